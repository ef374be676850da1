"""Pages of a list: `before` is the `next` of the page that was read, which is the id of the last thing on it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from fastapi import Query

from webclient.errors import InvalidInputError, NotFoundError
from webclient.i18n import gettext as _

Before = Annotated[str | None, Query(max_length=200, description="The `next` of a page: what is older than that.")]

T = TypeVar("T")


async def named_by(before: str | None, get: Callable[[str, str], Awaitable[T]], user_id: str) -> T | None:
    """Return what the user's cursor names; raises InvalidInputError for what is none."""
    if before is None:
        return None
    try:
        return await get(user_id, before)
    except NotFoundError:
        message = _("This is no cursor of the list; take the “next” of a page.")
        raise InvalidInputError(message, {"before": message}) from None
