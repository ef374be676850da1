"""Whoever waits in this process until some questions have moved on; pages are told at the same time."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from webclient.live import Hub
from webclient.model import InputRequest
from webclient.store import Store


class Waiters:
    """Tells of each question that stands differently, and waits for such."""

    def __init__(self, store: Store, hub: Hub) -> None:
        self._store = store
        self._hub = hub
        self._watchers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    def tell(self, user_id: str, request_id: str) -> None:
        """Tell that the question stands differently."""
        for moved in self._watchers.get(request_id, ()):
            moved.set()
        self._hub.publish(user_id, "request", request_id)

    async def until(
        self, requests: Collection[InputRequest], done: Callable[[Sequence[InputRequest]], bool]
    ) -> list[InputRequest]:
        """Wait until these requests, as they stand then, are `done`, and return them so."""
        moved = asyncio.Event()
        with self._waiters(requests, moved):
            while True:
                moved.clear()
                newest = [await self._store.of(each.user_id).requests.get(each.id) for each in requests]
                if done(newest):
                    return newest
                await moved.wait()

    @contextmanager
    def _waiters(self, requests: Collection[InputRequest], moved: asyncio.Event) -> Iterator[None]:
        for request in requests:
            self._watchers[request.id].add(moved)
        try:
            yield
        finally:
            for request_id in {request.id for request in requests}:
                self._watchers[request_id].discard(moved)
                if not self._watchers[request_id]:
                    del self._watchers[request_id]
