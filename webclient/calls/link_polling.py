"""Polls a server of 2026-07-28 that waits for opened links.

Only its next answer shows whether the person has finished.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import chain, repeat

import anyio

from webclient.calls.outcomes import InputRequired, Outcome
from webclient.calls.rounds import InputRound
from webclient.calls.running import RunningCall
from webclient.domain.model import InputRequest, RequestState
from webclient.inbox import Inbox
from webclient.support.background import CancellableTask

POLL_PAUSES = (1, 2, 4, 8, 16, 30)
"""Seconds between polls of a server that waits for an opened link; the last repeats."""


class LinkPolling:
    """Polls for the links of one call; `send` sends the call with the answers of a round."""

    def __init__(self, running: RunningCall, inbox: Inbox, send: Callable[[InputRound], Awaitable[Outcome]]) -> None:
        self._running = running
        self._inbox = inbox
        self._send = send

    async def until_moved(self, current: InputRound, outcome: Outcome) -> tuple[InputRound, Outcome]:
        """Send again, with growing pauses, while the server waits for nothing but opened links."""
        while again := _again(current, outcome):
            async with self._elsewhere(again):
                current, outcome = await self._poll(again)
        return current, outcome

    @asynccontextmanager
    async def _elsewhere(self, again: InputRound) -> AsyncIterator[None]:
        """Mark the call as waiting for the person while the block runs, for as long as they are at the links."""
        for request in again.open:
            await self._inbox.links.still_waits(request)
        waiting = CancellableTask(self._until_back(again), name="links", of=self._running.call.id)
        try:
            yield
        finally:
            waiting.stop()
            with anyio.CancelScope(shield=True):
                await waiting.ended()

    async def _until_back(self, again: InputRound) -> None:
        async with self._running.waiting(round_number=again.number):
            await self._inbox.until(again.open, _some_came_back)

    async def _poll(self, again: InputRound) -> tuple[InputRound, Outcome]:
        """Poll while the person is elsewhere, and once more when they have said something to a link."""
        for pause in chain(POLL_PAUSES, repeat(POLL_PAUSES[-1])):
            await self._running.save_checkpoint(again.checkpoint)
            current = await self._pause(again, pause)
            outcome = await self._send(current)
            following = _again(current, outcome)
            if following is None or _some_came_back(list(current.requests.values())):
                break
            again = following
        return current, outcome

    async def _pause(self, current: InputRound, seconds: float) -> InputRound:
        """Wait so long, or until the person says something to one of the links."""
        # A scope, as `asyncio.timeout` would cut off a statement.
        with anyio.move_on_after(seconds):
            await self._inbox.until(current.open, _some_came_back)
        return current.updated(await self._inbox.until(current.open, lambda _newest: True))


def _again(current: InputRound, outcome: Outcome) -> InputRound | None:
    return current.again(outcome.entries, outcome.state) if isinstance(outcome, InputRequired) else None


def _some_came_back(requests: Sequence[InputRequest]) -> bool:
    return any(request.state is not RequestState.WAITING for request in requests)
