"""Deadlines: how long a server waits for a person. They are generous, shown when near, and extended on demand.

An expired request is answered `cancel`, and says so. Deadlines are stored with the requests, so they outlive this
process; one task sleeps until the next one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from webclient.domain.model import Era, InputRequest, ListedRequest, Origin, now
from webclient.inbox.hosted_tasks import time_to_live
from webclient.store import Store
from webclient.store.live import Hub

logger = logging.getLogger(__name__)

NEAR = timedelta(minutes=10)
"""A deadline is shown this long before it passes."""

LONGEST_SLEEP = timedelta(minutes=1)
"""The clock is read again after this time: it may have been set, and timers stop while a laptop sleeps."""

_END_OF_TIME = datetime.max.replace(tzinfo=UTC)

Expire = Callable[[ListedRequest], Awaitable[object]]
"""Ends a request whose deadline has passed."""


@dataclass(frozen=True, slots=True)
class DeadlineLengths:
    """How long a request may wait, by its era; None is for ever.

    The links of an error wait as long as a round: their server does not wait for an answer. So does that of a
    task that we host, which always has an end, because its server may never come back.
    """

    push: timedelta | None = None
    rounds: timedelta | None = None

    def of(self, request: InputRequest) -> timedelta | None:
        """Return how long this request may wait."""
        if request.origin in (Origin.PROGRAM, Origin.APPROVAL) and request.expires_at is not None:
            # As the program wants it, or as long as an approval is valid.
            return request.expires_at - request.created_at
        if request.origin is Origin.HOSTED:
            return self.rounds or time_to_live(request)
        between_calls = request.origin is Origin.REQUIRED or request.asked_by.protocol_version == Era.ROUNDS
        return self.rounds if between_calls else self.push


def soon(request: InputRequest | ListedRequest) -> datetime | None:
    """Return the deadline of a pending request, if it is near."""
    expires_at = request.expires_at if request.pending else None
    return expires_at if expires_at and expires_at - now() <= NEAR else None


class Deadlines:
    """Sets the deadlines of requests, and expires them."""

    def __init__(self, store: Store, hub: Hub, lengths: DeadlineLengths) -> None:
        self._store = store
        self._hub = hub
        self._lengths = lengths
        self._changed = asyncio.Event()
        self._announced: set[tuple[str, datetime]] = set()
        self._next_look = _END_OF_TIME

    def set_on(self, request: InputRequest) -> InputRequest:
        """Return a pending request with the deadline of its era, if there is one."""
        length = self._lengths.of(request)
        if not request.pending or length is None:
            return request
        return replace(request, expires_at=request.created_at + length)

    def renewed(self, request: InputRequest) -> datetime | None:
        """Return the deadline of a request that is pending again."""
        length = self._lengths.of(request)
        return now() + length if length else None

    def extended(self, request: InputRequest, expires_at: datetime) -> datetime:
        """Return the new deadline of a request that is given its full time again."""
        return expires_at + (self._lengths.of(request) or expires_at - request.created_at)

    def watch(self, expires_at: datetime | None) -> None:
        """Announce and keep this deadline, which was added, in time."""
        if expires_at is not None and expires_at - NEAR < self._next_look:
            self.check()

    def check(self) -> None:
        """Look for late requests now."""
        self._changed.set()

    async def run(self, expire: Expire) -> None:
        """Expire requests when their deadlines pass, until cancelled."""
        while True:
            self._changed.clear()
            # Until it is known again: a deadline that is added while the others are read may be the next.
            self._next_look = _END_OF_TIME
            next_look = now() + LONGEST_SLEEP
            try:
                next_look = min(next_look, await self._look(expire))
            except Exception:
                # One row that cannot be written must not keep all others waiting for ever.
                logger.exception("Deadlines could not be checked; they are checked again soon")
            self._next_look = next_look
            with suppress(TimeoutError):
                async with asyncio.timeout(max((next_look - now()).total_seconds(), 0)):
                    await self._changed.wait()

    async def _look(self, expire: Expire) -> datetime:
        """Expire late requests, announce near deadlines, and return when there is something to do again."""
        horizon = now() + NEAR
        due = await self._store.system.due(now(), horizon)
        for request in due.late:
            await expire(request)
        for user_id, request_id, expires_at in due.near:
            if (request_id, expires_at) not in self._announced:
                self._hub.publish(user_id, "request", request_id)
        self._announced = {(request_id, expires_at) for _user, request_id, expires_at in due.near}
        moments = [expires_at for _user, _id, expires_at in due.near]
        return min(moments + ([due.next - NEAR] if due.next else []), default=_END_OF_TIME)
