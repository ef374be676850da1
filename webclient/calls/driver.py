"""Drives one call from its start, or from the round that it waits for, to its result: send, wait, send again.

While the call waits, its checkpoint is in the store: it needs nothing of the connection, survives its loss and a
restart of this program, and resumes with the next session when everything is answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import chain, repeat
from time import monotonic

import anyio

from webclient.calls.delivery import Deliveries
from webclient.calls.outcomes import InputRequired, Outcome, Result, outcome_of
from webclient.calls.required_links import LinksRequired, UnopenedError, until_finished
from webclient.calls.rounds import InputRound, LinksRound, Reply, Round, check_rounds
from webclient.calls.running import RunningCall
from webclient.cancellable_task import CancellableTask
from webclient.inbox import Inbox, Intake
from webclient.model import InputRequest, Json, Reason, ReasonCode, RequestState
from webclient.protocol import ServerError, Trouble, send_call
from webclient.servers import Connection, Connections

MAX_RETRY_PAUSE = 0.5
"""Seconds before the call is sent again after a round that required nothing."""

POLL_PAUSES = (1, 2, 4, 8, 16, 30)
"""Seconds between polls of a server that waits for an opened link; the last repeats."""

RESEND_PAUSES = (0.1, 0.25, 0.5, 1, 2, 4, 8, 15)
"""Seconds before a request that did not arrive is sent again; the last repeats. A dead connection is known by then."""

MAX_RESENT = 12
"""How often a request is sent again to a server that is connected and never takes it."""

PROGRESS_PAUSE = 0.2
"""Seconds between two steps of progress that are published; a server may report thousands."""


class Driver:
    """Drives one call. `connection` is the one on which it was sent last, or will be sent first.

    `has_required` is whether its server has required input or links during it; `progress` is the newest step that it
    reported.
    """

    def __init__(
        self,
        running: RunningCall,
        connection: Connection,
        *,
        inbox: Inbox,
        connections: Connections,
        intake: Intake,
        deliveries: Deliveries,
    ) -> None:
        self.connection = connection
        self.has_required = False
        self.progress: Json | None = None
        self._progressed_at = 0.0
        self._running = running
        self._call = running.call
        self._inbox = inbox
        self._connections = connections
        self._intake = intake
        self._deliveries = deliveries

    async def result(self, current: Round | None) -> Json:
        """Return the call's result; `current` is the round in which an earlier process left it.

        Raises ServerError, MalformedResultError and ConflictError as sending does, RefusedError, TooLargeError,
        TooManyRoundsError and UnopenedError.
        """
        self.has_required = current is not None
        while True:
            if current:
                current = await self._wait(current)
            outcome = await self._send(current)
            if isinstance(current, InputRound):
                current, outcome = await self._poll(current, outcome)
            match outcome:
                case Result(content):
                    await self._complete_links(current)
                    return content
                case InputRequired():
                    following: Round = await self._input_round(current, outcome)
                case LinksRequired():
                    following = await self._links_round(current, outcome)
            self.has_required = True
            await self._put(current, following)
            current = following

    async def _input_round(self, current: Round | None, required: InputRequired) -> InputRound:
        number, unanswered = _next_number(current), check_rounds(current)
        self.connection.limits.check_state(required.state)
        opened = current.opened_again(required.entries) if isinstance(current, InputRound) else {}
        requests = await self._intake.round(self.connection, self._call, required.entries, number, opened=opened)
        return InputRound(number=number, requests=requests, state=required.state, unanswered_before=unanswered)

    async def _links_round(self, current: Round | None, required: LinksRequired) -> LinksRound:
        number, unanswered = _next_number(current), check_rounds(current)
        sent = current.reply if current else Reply()
        links, refused = required.links, required.refused
        requests = await self._intake.required(self.connection, self._call, links, refused, number)
        if not links:
            raise UnopenedError(Reason(required.missing), required.error)
        if requests is None:
            raise UnopenedError(Reason.of(ReasonCode.LINKS_MUTED, label=self._call.server_label), required.error)
        return LinksRound(
            number=number, requests=requests, error=required.error, sent=sent, unanswered_before=unanswered
        )

    async def _put(self, current: Round | None, following: Round) -> None:
        """Put the requests of the following round to the person."""
        requests = list(following.requests.values())
        try:
            await self._complete_links(current, following)
            if following.open:
                await self._running.save_checkpoint(following.checkpoint)
            await self._intake.put(self.connection, self._call, [each for each in requests if each.pending])
        finally:
            self._intake.release(requests)

    async def _complete_links(self, current: Round | None, following: Round | None = None) -> None:
        """Complete the opened links of the round that the server no longer waits for."""
        still = {request.id for request in following.requests.values()} if following else set()
        for request in current.opened if isinstance(current, InputRound) else ():
            if request.id not in still:
                await self._inbox.links.went_on(request)

    async def _wait(self, current: Round) -> Round:
        """Wait for the person until the round is over."""
        if isinstance(current, InputRound) and not current.open:
            # There is nothing to wait for; a pause all the same, or the server would be hammered.
            await asyncio.sleep(min(0.05 * 2**current.number, MAX_RETRY_PAUSE))
            return current
        async with self._running.waiting(round_number=current.number):
            if isinstance(current, LinksRound):
                links = list(current.requests.values())
                return current.updated(await until_finished(self._inbox, links, current.error))
            return current.updated(await self._inbox.until(current.open, _all_answered))

    async def _send(self, current: Round | None) -> Outcome:
        """Send the call; send it again on the next session if the server has certainly not run anything new."""
        reply = current.reply if current else Reply()
        async with self._deliveries.sending(self._call, reply.answers):
            for attempts, pause in enumerate(chain(RESEND_PAUSES, repeat(RESEND_PAUSES[-1]))):
                try:
                    return await self._send_once(current, reply)
                except ServerError as error:
                    if not _may_resend(current, error, attempts):
                        raise
                    if current:
                        await self._running.save_checkpoint(current.checkpoint)
                    self._running.unsent = current is None
                    self.connection.look_after(error)
                await asyncio.sleep(pause)
        raise AssertionError("repeat() does not end")

    async def _send_once(self, current: Round | None, reply: Reply) -> Outcome:
        await self._ready(current)
        call = self._call
        try:
            answer: Json | ServerError = await send_call(
                self.connection.session,
                call.kind,
                call.name,
                call.arguments,
                answers=reply.answers,
                state=reply.state,
                on_progress=self._progressed,
            )
        except ServerError as error:
            answer = error
        return outcome_of(answer)

    async def _ready(self, current: Round | None) -> None:
        """Wait for a session to send on, and clear the checkpoint if the reply must not be sent twice."""
        while True:
            self._running.unsent = current is None
            self.connection = await self._connections.ready(self._call.server_id)
            session = self.connection.session
            self._running.unsent = False
            if current is None or current.repeatable:
                return
            await self._running.save_checkpoint(None)
            if self.connection.stands(session):
                return
            # It was lost while that was written, and nothing was sent.
            await self._running.save_checkpoint(current.checkpoint)

    async def _poll(self, current: InputRound, outcome: Outcome) -> tuple[InputRound, Outcome]:
        """Send again, with growing pauses, as long as the server waits for opened links and for nothing else."""
        while again := _again(current, outcome):
            async with self._elsewhere(again):
                current, outcome = await self._poll_until_moved(again)
        return current, outcome

    @asynccontextmanager
    async def _elsewhere(self, again: InputRound) -> AsyncIterator[None]:
        """Mark the call as waiting for the person while the block runs, for as long as they are at the links."""
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
        async with self._running.waiting(round_number=again.number):
            await self._inbox.until(again.open, _some_came_back)

    async def _poll_until_moved(self, again: InputRound) -> tuple[InputRound, Outcome]:
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

    async def _progressed(self, progress: float, total: float | None, message: str | None) -> None:
        """Note a step that the server reports, and publish it unless one was published a moment ago."""
        step = {"progress": progress, "total": total, "message": message}
        self.progress = {key: value for key, value in step.items() if value is not None}
        if monotonic() - self._progressed_at >= PROGRESS_PAUSE:
            self._progressed_at = monotonic()
            await self._running.progressed(self.progress)


def _next_number(current: Round | None) -> int:
    return current.number + 1 if current else 1


def _again(current: InputRound, outcome: Outcome) -> InputRound | None:
    return current.again(outcome.entries, outcome.state) if isinstance(outcome, InputRequired) else None


def _all_answered(requests: Sequence[InputRequest]) -> bool:
    return not any(request.pending for request in requests)


def _some_came_back(requests: Sequence[InputRequest]) -> bool:
    return any(request.state is not RequestState.WAITING for request in requests)


def _may_resend(current: Round | None, error: ServerError, attempts: int) -> bool:
    """Whether to send again after so many attempts: the server has not run the request, or nothing in it is new."""
    if current is None:
        # Once: the call has not waited for a person, so they are there and can run it again.
        return attempts == 0 and error.trouble is Trouble.SESSION_UNKNOWN
    if attempts >= MAX_RESENT:
        return False
    return error.not_run or (current.repeatable and error.unanswered)
