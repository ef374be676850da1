"""The changes that a server reports of followed resources: bounded, and in memory as long as its connection."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from webclient.domain.model import FollowedResource, ResourceUpdate, now

MOST_UPDATES = 20
"""The newest updates of one resource; older ones are dropped and counted."""

LONGEST_ERROR = 500
"""Characters of what a server says when it refuses."""


@dataclass(slots=True)
class _Followed:
    since: datetime | None = None
    error: str | None = None
    updates: deque[ResourceUpdate] = field(default_factory=lambda: deque(maxlen=MOST_UPDATES))
    count: int = 0


class ResourceUpdates:
    """The updates of the resources of one server, by the URI that is followed."""

    def __init__(self) -> None:
        self._by_uri: dict[str, _Followed] = {}

    def get(self, uri: str) -> FollowedResource:
        """Return what is known of a followed resource."""
        found = self._by_uri.get(uri, _Followed())
        return FollowedResource(
            uri=uri,
            since=found.since,
            error=found.error,
            updates=tuple(reversed(found.updates)),
            omitted=found.count - len(found.updates),
        )

    def subscribed(self, uri: str) -> None:
        """Note that the server notifies of changes from now on."""
        found = self._by_uri.setdefault(uri, _Followed())
        found.since, found.error = found.since or now(), None

    def refused(self, uri: str, error: str) -> None:
        """Note that the server does not notify of changes, and what it said."""
        found = self._by_uri.setdefault(uri, _Followed())
        found.since, found.error = None, error[:LONGEST_ERROR]

    def interrupted(self) -> None:
        """Note that the server notifies of nothing for now."""
        for found in self._by_uri.values():
            found.since = None

    def keep(self, followed: Sequence[str]) -> None:
        """Forget everything about resources that are not among the `followed`."""
        self._by_uri = {uri: found for uri, found in self._by_uri.items() if uri in followed}

    def add(self, uri: str, followed: Sequence[str]) -> bool:
        """Add an update of `uri` to the followed resource that it is, or is below; return whether there is one.

        It "might be a sub-resource of the one that the client actually subscribed to" (MCP 2025-11-25, Schema,
        ResourceUpdatedNotification).
        """
        within = [each for each in followed if _is_within(uri, each)]
        if not within:
            return False
        found = self._by_uri.setdefault(max(within, key=len), _Followed())
        found.updates.append(ResourceUpdate(now(), uri))
        found.count += 1
        return True


def _is_within(uri: str, followed: str) -> bool:
    return uri == followed or uri.startswith((followed.rstrip("/") + "/", f"{followed}?", f"{followed}#"))
