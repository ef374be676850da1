"""The changes that a server reports of followed resources: bounded, and in memory as long as its connection.

Pages follow resources, and agents do.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from webclient.domain.model import FollowedResource, Json, ResourceUpdate, now

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
        within = [each for each in followed if is_same_or_below(uri, each)]
        if not within:
            return False
        found = self._by_uri.setdefault(max(within, key=len), _Followed())
        found.updates.append(ResourceUpdate(now(), uri))
        found.count += 1
        return True


_NONE: Json = {}


class Watched:
    """The resources of one server that agents follow, each as often as they do, over all its connections."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._answers: dict[str, Json | None] = {}
        self._missed: set[str] = set()
        self._changed = asyncio.Event()

    @property
    def uris(self) -> Sequence[str]:
        """The resources, in the order in which they were first followed."""
        return tuple(self._counts)

    def add(self, uri: str) -> bool:
        """Follow a resource; return whether no agent did before."""
        self._counts[uri] += 1
        return self._counts[uri] == 1

    def remove(self, uri: str) -> bool:
        """Follow a resource once less; return whether no agent follows it any more."""
        self._counts[uri] -= 1
        if self._counts[uri] > 0:
            return False
        del self._counts[uri]
        return True

    def answered(self, uri: str, refusal: Json | None) -> bool:
        """Note what the server has answered, also for a page: the error, or None.

        Return whether it notifies of the resource again, after it did not for a while.
        """
        self._answers[uri] = refusal
        self._changed.set()
        again = refusal is None and uri in self._missed
        if again:
            self._missed.discard(uri)
        return again

    def ended(self, uri: str) -> bool:
        """Note that the resource is not followed any more; return whether the server has notified of it."""
        self._missed.discard(uri)
        return self._answers.pop(uri, _NONE) is None

    def interrupted(self) -> None:
        """Note that the server notifies of nothing for now."""
        self._missed.update(uri for uri, refusal in self._answers.items() if refusal is None)
        self._answers.clear()

    async def answer(self, uri: str) -> Json | None:
        """Wait for what the server answers: the error, or None."""
        while uri not in self._answers:
            self._changed.clear()
            await self._changed.wait()
        return self._answers[uri]


def is_same_or_below(uri: str, followed: str) -> bool:
    """Return whether a resource is the followed one, or below it."""
    return uri == followed or uri.startswith((followed.rstrip("/") + "/", f"{followed}?", f"{followed}#"))
