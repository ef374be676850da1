"""Waits for requests to change: an event names a changed request, and one reader reads the rows for all waiters.

The event and the store are the only sources, so the answer may have been taken by another process.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass, field

from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import InputRequest
from webclient.store import Store
from webclient.store.live import Event, Gap, Hub
from webclient.support import background

logger = logging.getLogger(__name__)

PAUSE = 1.0
"""Seconds before rows that could not be read are read again."""

Done = Callable[[Sequence[InputRequest]], bool]


@dataclass(eq=False, slots=True)
class _Wait:
    """One wait for `rows` of one user to be `done`; a row is None until it was read."""

    rows: dict[str, InputRequest | None]
    done: Done
    moved: asyncio.Future[list[InputRequest]] = field(default_factory=asyncio.Future)

    def see(self, request_id: str, row: InputRequest | None) -> None:
        """Take the newest version of a row."""
        if row is None:
            self._fail(NotFoundError(_("There is no request “{id}”.").format(id=request_id)))
        self.rows[request_id] = row
        rows = [row for row in self.rows.values() if row is not None]
        if self.moved.done() or len(rows) < len(self.rows):
            return
        try:
            if self.done(rows):
                self.moved.set_result(rows)
        except Exception as error:  # noqa: BLE001  (it belongs to the waiter, and must not end the reader)
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        if not self.moved.done():
            self.moved.set_exception(error)


class Waiters:
    """All waits of this process. Each burst of events is followed by one read for all of them."""

    def __init__(self, store: Store, hub: Hub) -> None:
        self._store = store
        self._waits: defaultdict[tuple[str, str], set[_Wait]] = defaultdict(set)
        self._to_read: set[tuple[str, str]] = set()
        self._reader: asyncio.Task[None] | None = None
        self._closed = False
        self._events: dict[tuple[str, str], int] = {}
        self._fresh: dict[tuple[str, str], InputRequest] = {}
        hub.listen(self._heard)

    async def until(self, requests: Collection[InputRequest], done: Done) -> list[InputRequest]:
        """Wait until `done` accepts the newest rows of these requests, and return those rows.

        The requests are all of one user.
        """
        wait = _Wait({request.id: None for request in requests}, done)
        if not requests:
            return []
        with self._registered({(request.user_id, request.id) for request in requests}, wait):
            return await wait.moved

    @contextmanager
    def adding(self, request: InputRequest) -> Iterator[None]:
        """Remember a new request, which the block stores and publishes, until its next event."""
        key = request.user_id, request.id
        self._events[key] = 0
        try:
            yield
            # Its own event and no other: it was not moved since it was stored.
            if request.pending and self._events[key] == 1:
                self._fresh[key] = request
        finally:
            del self._events[key]

    def see(self, request: InputRequest) -> None:
        """Pass on a row that this process has just written, before its event: then it needs no read."""
        for wait in tuple(self._waits.get((request.user_id, request.id), ())):
            wait.see(request.id, request)

    async def close(self) -> None:
        """End the reader. Open waits last until they are cancelled."""
        self._closed = True
        # It ends by itself: cancelling it could interrupt a statement.
        if self._reader is not None:
            await asyncio.wait([self._reader])

    @contextmanager
    def _registered(self, keys: Collection[tuple[str, str]], wait: _Wait) -> Iterator[None]:
        for key in keys:
            self._waits[key].add(wait)
        for key in self._fresh.keys() & keys:
            wait.see(key[1], self._fresh[key])
        # The reader makes the first read as well: of two reads at once, the older row might arrive last.
        self._read_soon([key for key in keys if key not in self._fresh])
        try:
            yield
        finally:
            for key in keys:
                self._waits[key].discard(wait)
                if not self._waits[key]:
                    del self._waits[key]

    def _heard(self, user_id: str | None, item: Event | Gap) -> None:
        if isinstance(item, Gap):
            self._fresh.clear()
            # For all users: the hub knows no gap of one.
            self._read_soon(self._waits)
        elif item.kind == "request" and user_id is not None:
            key = user_id, item.subject
            self._fresh.pop(key, None)
            if key in self._events:
                self._events[key] += 1
            if key in self._waits:
                self._read_soon([key])

    def _read_soon(self, keys: Collection[tuple[str, str]]) -> None:
        self._to_read.update(keys)
        if self._to_read and self._reader is None and not self._closed:
            self._reader = background.start(self._read(), name="waiters", context=Context())

    async def _read(self) -> None:
        try:
            while self._to_read and not self._closed:
                keys = {key for key in self._to_read if key in self._waits}
                self._to_read.clear()
                try:
                    await self._pass_on(keys)
                except Exception:
                    # The answer is in the store, so its waiter must get it, after any error.
                    logger.exception("Requests could not be read; they are read again")
                    await asyncio.sleep(PAUSE)
                    self._to_read |= keys
        finally:
            self._reader = None

    async def _pass_on(self, keys: Collection[tuple[str, str]]) -> None:
        for user_id in {user_id for user_id, _id in keys}:
            ids = [request_id for each, request_id in keys if each == user_id]
            rows = await self._store.of(user_id).requests.by_ids(ids)
            for request_id in ids:
                for wait in tuple(self._waits.get((user_id, request_id), ())):
                    wait.see(request_id, rows.get(request_id))
