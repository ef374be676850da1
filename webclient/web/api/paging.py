"""Cursors and fields of lists.

`before` is the `next` of the previous page, which is the id of its last entry. `fields` names keys that a list
omits because they may be large.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from fastapi import Query

from webclient.domain.errors import InvalidInputError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.web.api.call_shapes import CallShape

Before = Annotated[str | None, Query(max_length=200, description="The `next` of the previous page, for older entries.")]

Fields = Annotated[
    str | None,
    Query(
        max_length=1000,
        description="Keys of a call, separated by commas. A list omits `result`, which may be megabytes, unless "
        "it is named.",
    ),
]

T = TypeVar("T")


async def read_cursor(before: str | None, get: Callable[[str], Awaitable[T]]) -> T | None:
    """Return the entry that the cursor names. Raises InvalidInputError."""
    if before is None:
        return None
    try:
        return await get(before)
    except NotFoundError:
        message = _("Invalid cursor. Pass the `next` value of the previous page.")
        raise InvalidInputError(message, {"before": message}) from None


def wants_results(fields: str | None) -> bool:
    """Return whether `fields` names `result`. Raises InvalidInputError for an unknown key."""
    named = {name.strip() for name in (fields or "").split(",") if name.strip()}
    unknown = sorted(named - CallShape.model_fields.keys())
    if unknown:
        message = _("A call has no field “{name}”. Its fields are: {fields}.").format(
            name=unknown[0], fields=", ".join(CallShape.model_fields)
        )
        raise InvalidInputError(message, {"fields": message})
    return "result" in named
