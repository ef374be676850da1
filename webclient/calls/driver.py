"""Drives one call from its start, or from the round that it waits for, to its result.

A round is data (`checkpoint.py`): while the call waits it needs nothing of the connection, survives its loss and a
restart of this program, and goes on with whatever session there is when everything is answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import chain, repeat

import anyio
from mcp import MCPError
from mcp.types import CONNECTION_CLOSED

from webclient.calls.asking import Asking
from webclient.calls.delivery import Deliveries
from webclient.calls.progress import Progress
from webclient.calls.required_links import UrlRequired, url_required
from webclient.calls.rounds import InputRound, LinksRound, Reply, Round
from webclient.calls.running import RunningCalls
from webclient.calls.unopened import until_finished
from webclient.cancellable_task import CancellableTask
from webclient.inbox import Inbox
from webclient.inbox.intake import Intake
from webclient.model import Call, InputRequest, Json, RequestState
from webclient.protocol.call_request import call_request
from webclient.protocol.explain import is_lost_session, was_not_sent
from webclient.protocol.raw_request import send
from webclient.servers.connection import Connection
from webclient.servers.connections import Connections

MAX_RETRY_PAUSE = 0.5
"""Seconds before a round that asked nothing is followed by the next."""

POLL_PAUSES = (1, 2, 4, 8, 16, 30)
"""Seconds before a server that waits for an opened link is asked again; the last repeats."""

RESEND_PAUSES = (0.1, 0.25, 0.5, 1, 2, 4, 8, 15)
"""Seconds before what did not arrive is sent again; the last repeats. By then a dead connection is known as such."""

MAX_RESENT = 12
"""How often something is sent again to a server that is connected and never takes it."""


class Driver:
    """The way of one call. `connection` is the one on which it was sent last, or will be sent first.

    `asked` is whether its server has asked anything during it.
    """

    def __init__(
        self,
        call: Call,
        connection: Connection,
        *,
        inbox: Inbox,
        connections: Connections,
        running_calls: RunningCalls,
        questions: Intake,
        deliveries: Deliveries,
    ) -> None:
        self.connection = connection
        self.asked = False
        self.progress = Progress(call, running_calls)
        self._call = call
        self._inbox = inbox
        self._connections = connections
        self._running_calls = running_calls
        self._asking = Asking(call, inbox, running_calls, questions)
        self._deliveries = deliveries

    async def result(self, current: Round | None) -> Json:
        """Return the call's result; `current` is the round in which an earlier process left it.

        Raises MCPError, ValidationError and ConflictError as sending does, RefusedError, TooManyRoundsError and
        UnopenedError.
        """
        self.asked = current is not None
        while True:
            if current:
                current = await self._answered(current)
            outcome = await self._sent(current)
            if current and not isinstance(outcome, UrlRequired):
                current, outcome = await self._waited(current, outcome)
            if not isinstance(outcome, UrlRequired) and outcome.get("resultType") != "input_required":
                await self._asking.went_on(current)
                return outcome
            self.asked = True
            current = await self._asking.next(self.connection, current, outcome)

    async def _answered(self, current: Round) -> Round:
        """Wait for the person, and return the round as it stands when nothing of it is open any more."""
        requests = current.open
        if not requests and not isinstance(current, LinksRound):
            # There is nothing to wait for; not at once all the same, or the server would be hammered.
            await asyncio.sleep(min(0.05 * 2**current.number, MAX_RETRY_PAUSE))
            return current
        async with self._running_calls.waiting(self._call, round_number=current.number):
            if isinstance(current, LinksRound):
                links = list(current.requests.values())
                return current.updated(await until_finished(self._inbox, links, current.error))
            return current.updated(await self._inbox.until(requests, _all_answered))

    async def _sent(self, current: Round | None) -> Json | UrlRequired:
        """Make the call, and make it again on the next session where nothing of it, or nothing new, arrived."""
        reply = current.reply if current else Reply()
        request = call_request(self._call, reply.answers, reply.state)
        attempts = 0
        async with self._deliveries.carried_by(self._call, reply.answers):
            while True:
                self._running_calls.note_unsent(self._call, unsent=current is None)
                self.connection = await self._connections.ready(self._call.server_id)
                session = self.connection.session
                self._running_calls.note_unsent(self._call, unsent=False)
                if current and not current.repeatable:
                    await self._running_calls.save_checkpoint(self._call, None)
                    if not self.connection.stands(session):
                        # It went while that was written, and nothing was sent.
                        await self._running_calls.save_checkpoint(self._call, current.checkpoint)
                        continue
                try:
                    return await send(session, request, progress_callback=self.progress)
                except MCPError as error:
                    if required := url_required(error):
                        return required
                    if not _may_go_again(current, error, attempts):
                        raise
                    if current:
                        await self._running_calls.save_checkpoint(self._call, current.checkpoint)
                    self._running_calls.note_unsent(self._call, unsent=current is None)
                    self.connection.look_after(error)
                await asyncio.sleep(RESEND_PAUSES[min(attempts, len(RESEND_PAUSES) - 1)])
                attempts += 1

    async def _waited(self, current: Round, outcome: Json | UrlRequired) -> tuple[Round, Json | UrlRequired]:
        """Ask again, with growing pauses, as long as the server waits for opened links and for nothing else."""
        while again := _again(current, outcome):
            async with self._elsewhere(again):
                current, outcome = await self._polled(again)
        return current, outcome

    @asynccontextmanager
    async def _elsewhere(self, again: InputRound) -> AsyncIterator[None]:
        """Have the call wait for the person while the block runs, for as long as they are at the links."""
        for request in again.open:
            await self._inbox.links.still_waits(request)
        waiting = CancellableTask(self._until_back(again), name=f"links of call {self._call.id}")
        try:
            yield
        finally:
            waiting.stop()
            with anyio.CancelScope(shield=True):
                await waiting.ended()

    async def _until_back(self, again: InputRound) -> None:
        async with self._running_calls.waiting(self._call, round_number=again.number):
            await self._inbox.until(again.open, _some_came_back)

    async def _polled(self, again: InputRound) -> tuple[Round, Json | UrlRequired]:
        """Ask again and again while the person is elsewhere, and once more when they said something to a link."""
        for pause in chain(POLL_PAUSES, repeat(POLL_PAUSES[-1])):
            await self._running_calls.save_checkpoint(self._call, again.checkpoint)
            current = await self._paused(again, pause)
            outcome = await self._sent(current)
            following = _again(current, outcome)
            if following is None or _some_came_back(list(current.requests.values())):
                break
            again = following
        return current, outcome

    async def _paused(self, current: InputRound, seconds: float) -> InputRound:
        """Wait so long, or until the person says something to one of the links."""
        # A scope, as `asyncio.timeout` would cut off a statement.
        with anyio.move_on_after(seconds):
            await self._inbox.until(current.open, _some_came_back)
        return current.updated(await self._inbox.until(current.open, lambda _newest: True))


def _again(current: Round, outcome: Json | UrlRequired) -> InputRound | None:
    # Links of an error have ids of ours for keys, so a result never asks for them again.
    if isinstance(outcome, UrlRequired) or not isinstance(current, InputRound):
        return None
    return current.again(outcome.get("inputRequests") or {}, outcome.get("requestState"))


def _all_answered(requests: Sequence[InputRequest]) -> bool:
    return not any(request.pending for request in requests)


def _some_came_back(requests: Sequence[InputRequest]) -> bool:
    return any(request.state is not RequestState.WAITING for request in requests)


def _may_go_again(current: Round | None, error: MCPError, attempts: int) -> bool:
    """Whether it may be sent again after so many attempts: the server has not looked at it, or nothing in it is new."""
    if current is None:
        # Once: the call has waited for nobody, so that its person is there and can run it again.
        return attempts == 0 and is_lost_session(error)
    if attempts >= MAX_RESENT:
        return False
    return was_not_sent(error) or (current.repeatable and error.error.code == CONNECTION_CLOSED)
