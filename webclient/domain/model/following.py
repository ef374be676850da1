"""The resources of a server that a user follows, as its connection has them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ResourceUpdate:
    """The server said that a resource has changed: the one that is followed, or one below it (`uri`)."""

    at: datetime
    uri: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedResource:
    """A resource that the user follows, with its newest `updates`, newest first, and the number of those `omitted`.

    The server notifies of changes since `since`: None while it does not, because there is no connection, or it refuses.
    `error` is what it said then, in its own words.
    """

    uri: str
    since: datetime | None = None
    error: str | None = None
    updates: tuple[ResourceUpdate, ...] = ()
    omitted: int = 0
