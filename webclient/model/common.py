"""What all nouns share: JSON, the local user, ids, the clock, and by which way something was done."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from secrets import token_urlsafe
from typing import Any

Json = dict[str, Any]

ServerKey = tuple[str, str]
"""A user's id and the id of one of their servers: the key of everything that is kept in memory for that server."""

LOCAL_USER = "local"
"""The one user of local mode."""


def new_id() -> str:
    """Return an opaque id that nobody can guess, safe as an HTML id and in a URL."""
    return token_urlsafe(12).replace("-", "x").replace("_", "y")


def now() -> datetime:
    """Return the current time, aware, in UTC."""
    return datetime.now(UTC)


class Via(StrEnum):
    """Where a person acted."""

    PAGE = "page"
    API = "api"
