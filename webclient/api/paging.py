"""Pages of a list, and what is in them.

`before` is the `next` of the page that was read, which is the id of the last thing on it. `fields` names what a list
leaves out because it may be large.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from fastapi import Query

from webclient.api.shapes import CallShape
from webclient.errors import InvalidInputError, NotFoundError
from webclient.i18n import gettext as _

Before = Annotated[str | None, Query(max_length=200, description="The `next` of a page: what is older than that.")]

Fields = Annotated[
    str | None,
    Query(
        max_length=1000,
        description="Fields of a call, with commas between. A list leaves out `result`, which may be megabytes, unless "
        "it is named here.",
    ),
]

T = TypeVar("T")


async def named_by(before: str | None, get: Callable[[str], Awaitable[T]]) -> T | None:
    """Return what the user's cursor names; raises InvalidInputError for what is none."""
    if before is None:
        return None
    try:
        return await get(before)
    except NotFoundError:
        message = _("Invalid cursor. Pass the `next` value of the previous page.")
        raise InvalidInputError(message, {"before": message}) from None


def wants_results(fields: str | None) -> bool:
    """Whether `fields` names the result; raises InvalidInputError for a field that a call does not have."""
    named = {name.strip() for name in (fields or "").split(",") if name.strip()}
    unknown = sorted(named - CallShape.__annotations__.keys())
    if unknown:
        message = _("A call has no field {name!r}. Its fields are: {fields}.").format(
            name=unknown[0], fields=", ".join(CallShape.__annotations__)
        )
        raise InvalidInputError(message, {"fields": message})
    return "result" in named
