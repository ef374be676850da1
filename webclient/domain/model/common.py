"""Types and functions that all nouns share: JSON, the local user, ids, the clock, and where a person acted."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from secrets import token_urlsafe
from typing import Any

Json = dict[str, Any]

ServerKey = tuple[str, str]
"""A user's id and the id of one of their servers: the key of everything in memory for that server."""

LOCAL_USER = "local"
"""The one user of local mode."""


def new_id() -> str:
    """Return an opaque, unguessable id, safe as an HTML id and in a URL."""
    return token_urlsafe(12).replace("-", "x").replace("_", "y")


def now() -> datetime:
    """Return the current time, aware, in UTC."""
    return datetime.now(UTC)


class Via(StrEnum):
    """Where a person or agent acted; `rule`: a rule of the user sent a message of a model unseen, and nothing else."""

    PAGE = "page"
    API = "api"
    RULE = "rule"
    AGENT = "agent"
