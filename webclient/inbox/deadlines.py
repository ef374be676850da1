"""Deadlines: how long a server is kept waiting for a person; generous, seen when they near, and extended on demand.

No machine's timeout: what runs out is answered `cancel`, in the open. The moments are kept with the requests, so they
outlive this process; one task sleeps until the next of them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from webclient.live import Hub
from webclient.model import Came, Era, InputRequest, now
from webclient.store import Store

logger = logging.getLogger(__name__)

NEAR = timedelta(minutes=10)
"""How long before it runs out a deadline is shown."""

LONGEST_SLEEP = timedelta(minutes=1)
"""After so long the clock is looked at again: it may have been set, and timers stand still while a laptop sleeps."""


Expire = Callable[[InputRequest], Awaitable[object]]
"""Ends a request whose deadline has passed."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long a question may wait, by the era in which it was asked; None is for ever.

    What came in an error waits as long as what came in a result: nothing is kept waiting at the server.
    """

    push: timedelta | None = None
    rounds: timedelta | None = None

    def of(self, request: InputRequest) -> timedelta | None:
        """Return how long this question may wait."""
        between_calls = request.came is Came.REQUIRED or request.asked_by.protocol_version == Era.ROUNDS
        return self.rounds if between_calls else self.push


def soon(request: InputRequest) -> datetime | None:
    """Return when a pending question runs out, if that is near."""
    expires_at = request.expires_at if request.pending else None
    return expires_at if expires_at and expires_at - now() <= NEAR else None


class Deadlines:
    """Gives questions their deadlines, and expires them."""

    def __init__(self, store: Store, hub: Hub, lengths: Lengths) -> None:
        self._store = store
        self._hub = hub
        self._lengths = lengths
        self._changed = asyncio.Event()
        self._told: set[tuple[str, datetime]] = set()

    def given(self, request: InputRequest) -> InputRequest:
        """Return the request with its deadline, if it waits for a person and has one."""
        length = self._lengths.of(request)
        if not request.pending or length is None:
            return request
        return replace(request, expires_at=request.created_at + length)

    def extended(self, request: InputRequest, expires_at: datetime) -> datetime:
        """Return when the request runs out instead of at `expires_at`, given the same time once more."""
        return expires_at + (self._lengths.of(request) or expires_at - request.created_at)

    def changed(self) -> None:
        """Note that there is another deadline."""
        self._changed.set()

    async def run(self, expire: Expire) -> None:
        """Expire what runs out, for ever."""
        while True:
            self._changed.clear()
            sleep = LONGEST_SLEEP
            try:
                sleep = min(sleep, await self._look(expire))
            except Exception:
                # Also one row that cannot be written must not keep all others waiting for ever.
                logger.exception("Deadlines could not be kept; they are tried again")
            with suppress(TimeoutError):
                async with asyncio.timeout(max(sleep.total_seconds(), 0)):
                    await self._changed.wait()

    async def _look(self, expire: Expire) -> timedelta:
        """Expire what has run out, tell of what is about to, and return how long nothing else happens."""
        for request in await self._store.system.expired_requests(now()):
            await expire(request)
        horizon = now() + NEAR
        near = await self._store.system.deadlines_until(horizon)
        for user_id, request_id, expires_at in near:
            if (request_id, expires_at) not in self._told:
                self._hub.publish(user_id, "request", request_id)
        self._told = {(request_id, expires_at) for _user, request_id, expires_at in near}
        next_near = await self._store.system.next_deadline(after=horizon)
        moments = [expires_at for _user, _id, expires_at in near] + ([next_near - NEAR] if next_near else [])
        return min(moments, default=now() + LONGEST_SLEEP) - now()
