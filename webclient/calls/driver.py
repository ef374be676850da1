"""Drives one call from its start, or from the round that it waits for, to its result: send, wait, send again.

While the call waits, for answers or for a sign-in that its server wants, its checkpoint is in the store: it needs
nothing of the connection, survives its loss and a restart of this program, and resumes with the next session.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, repeat

from webclient import protocol
from webclient.calls.checkpoint import Checkpoint, TaskCheckpoint, to_json
from webclient.calls.driving import DriverServices, Sending
from webclient.calls.link_polling import LinkPolling
from webclient.calls.outcomes import InputRequired, Outcome, Result, TaskCreated, outcome_of
from webclient.calls.progress import CallProgress
from webclient.calls.required_links import LinksRequired, UnopenedError, until_finished
from webclient.calls.rounds import (
    InputRound,
    LinksRound,
    Reply,
    Round,
    check_answers,
    check_era,
    check_rounds,
    unanswerable,
)
from webclient.calls.running import RunningCall
from webclient.calls.task_driver import TaskDriver
from webclient.calls.task_start import answer_to, report_elsewhere, task_to_ask_for
from webclient.domain.errors import ConflictError, SignInFailedError
from webclient.domain.model import (
    Call,
    CallState,
    Extension,
    InputRequest,
    Json,
    Origin,
    Reason,
    ReasonCode,
    Task,
    tracing,
)
from webclient.domain.spans import PREFIX, TOOL_ERROR, Attribute, Span, SpanKind, subject_of
from webclient.inbox import Arrival, is_automatic
from webclient.protocol import ServerError, Trouble
from webclient.servers.connections import Connection

MAX_RETRY_PAUSE = 0.5
"""Seconds before the call is sent again after a round that required nothing."""

RESEND_PAUSES = (0.1, 0.25, 0.5, 1, 2, 4, 8, 15)
"""Seconds before a request that did not arrive is sent again; the last repeats. A dead connection is known by then."""

MAX_RESENT = 12
"""How often a request is sent again to a server that is connected and never takes it."""


class Driver:
    """Drives one call. `connection` is the one on which it was sent last, or will be sent first.

    `decide_again` waits until what a person approved may still run, and raises if it may not; it is called each time
    that the call has waited after the decision, before anything is sent. `is_as_shown` says last of all whether the
    tool of such a call is as the person saw it.
    `has_required` is whether its server has required input or links during it; `progress` is the newest step that it
    reported.
    """

    def __init__(
        self,
        running: RunningCall,
        connection: Connection,
        services: DriverServices,
        decide_again: Callable[[], Awaitable[None]],
        is_as_shown: Callable[[Connection], Awaitable[bool]],
    ) -> None:
        self.connection = connection
        self.has_required = False
        self._has_waited = False
        self._decide_again = decide_again
        self._is_as_shown = is_as_shown
        self._is_decided = True
        self._progress = CallProgress()
        self._running = running
        self._services = services
        self._links = LinkPolling(running, services.inbox, self._send)
        running.on_progress = self._progressed

    @property
    def _call(self) -> Call:
        return self._running.call

    @property
    def progress(self) -> Json | None:
        """The newest step of progress that the server reported."""
        return self._progress.newest

    async def result(self, resumed: Round | TaskCheckpoint | None) -> Json:
        """Return the call's result; `resumed` is the round or the task in which an earlier process left it.

        Raises ServerError, MalformedResultError, ConflictError and SignInFailedError as sending does, RefusedError,
        TooLargeError, TooManyRoundsError, OtherEraError, UnansweredError, UnopenedError and TaskOverError.
        """
        self.has_required = resumed is not None
        if resumed is None and self._running.resumable:
            await self._wait_again()
        current, follows = None, None
        if isinstance(resumed, TaskCheckpoint):
            follows = resumed, self._call.task or Task(id=resumed.task_id)
        else:
            current = resumed
        while True:
            if follows:
                outcome, follows = await self._follow(*follows), None
            else:
                current, outcome = await self._ask(current)
            if isinstance(outcome, Result):
                await self._complete_links(current)
                return outcome.content
            if isinstance(outcome, TaskCreated):
                await self._complete_links(current)
                current, follows = None, (self._checkpoint_of(outcome.task), outcome.task)
            else:
                current = await self._next_round(current, outcome)

    async def _ask(self, current: Round | None) -> tuple[Round | None, Outcome]:
        """Send the call, as soon as the current round is over; return that as it is then, and the outcome."""
        if current:
            current = await self._wait(current)
        outcome = await self._send(current)
        return (
            await self._links.until_moved(current, outcome) if isinstance(current, InputRound) else (current, outcome)
        )

    async def _next_round(self, current: Round | None, required: InputRequired | LinksRequired) -> Round:
        """Put what the server requires to the person, and return it."""
        if isinstance(required, InputRequired):
            following: Round = await self._input_round(current, required)
        else:
            following = await self._links_round(current, required)
        self.has_required = True
        await self._put(current, following)
        self._running.is_saving = False
        return following

    def _checkpoint_of(self, task: Task) -> TaskCheckpoint:
        return TaskCheckpoint(
            generation=self.connection.status.protocol_version or "",
            task_id=task.id,
            progress_token=self._running.progress_token,
        )

    async def _follow(self, checkpoint: TaskCheckpoint, task: Task) -> Outcome:
        """Return the outcome of a call that runs as a task."""
        following = TaskDriver(self._running, self.connection, checkpoint, task, self._services)
        try:
            return await following.outcome()
        finally:
            self.connection = following.connection
            self.has_required |= following.has_required

    async def _wait_again(self) -> None:
        """Wait for the sign-in for which the call waited in an earlier process, if there still is one.

        Sent before that the call would be refused, and meanwhile it could not be resumed by the next process.
        """
        self._has_waited = True
        self._is_decided = not await self._services.connections.waits_for_sign_in(self._call.server_key)
        try:
            await self.connection.until_signed_in()
        except SignInFailedError as failed:
            if failed.reason is None or failed.reason.code is not ReasonCode.SIGN_IN_REQUIRED:
                raise

    async def _input_round(self, current: Round | None, required: InputRequired) -> InputRound:
        number, unanswered = _next_number(current), check_rounds(current)
        self.connection.limits.check_state(required.state)
        opened = current.opened_again(required.entries) if isinstance(current, InputRound) else {}
        arrival = Arrival(
            source=self.connection.endpoint,
            calls=[self._running],
            origin=Origin.ROUND,
            entries=required.entries,
            round=number,
            opened=opened,
        )
        requests = await self._services.intake.admit(arrival)
        return InputRound(number=number, requests=requests, state=required.state, unanswered_before=unanswered)

    async def _links_round(self, current: Round | None, required: LinksRequired) -> LinksRound:
        number, unanswered = _next_number(current), check_rounds(current)
        sent = current.reply if current else Reply()
        # The server no longer waits for requests that it pushed before it ended the call with this error.
        await self._services.intake.pushed_requests.end_pushed(self._call)
        arrival = Arrival(
            source=self.connection.endpoint,
            calls=[self._running],
            origin=Origin.REQUIRED,
            entries=required.entries,
            round=number,
            malformed=required.malformed,
        )
        requests = await self._services.intake.admit(arrival)
        if not requests:
            raise UnopenedError(Reason(required.missing), required.error)
        if not all(request.pending for request in requests.values()):
            raise UnopenedError(Reason.of(ReasonCode.LINKS_MUTED, label=self._call.server_label), required.error)
        return LinksRound(
            number=number, requests=requests, error=required.error, sent=sent, unanswered_before=unanswered
        )

    async def _put(self, current: Round | None, following: Round) -> None:
        """Put the requests of the following round to the person, and show those that were answered automatically."""
        requests = list(following.requests.values())
        pending = [each for each in requests if each.pending]
        answered = [each for each in requests if is_automatic(each)]
        try:
            await self._complete_links(current, following)
            if pending:
                await self._put_pending(following, [*answered, *pending])
            else:
                await self._services.intake.put(self.connection.endpoint, self._call, answered)
                if following.open:
                    await self._running.save_checkpoint(following.checkpoint)
        finally:
            self._services.intake.release(requests)

    async def _put_pending(self, following: Round, pending: Sequence[InputRequest]) -> None:
        """Write the requests, the checkpoint and that the call waits: all together, or nothing if it has ended."""
        columns = {"state": CallState.INPUT_REQUIRED, "may_wait": False, "round": following.number}
        saved = {"checkpoint": to_json(following.checkpoint)}
        with self._running.changing(required=True, **columns, **saved) as change:
            await self._services.intake.put(self.connection.endpoint, self._call, pending, [change])
        if not change.is_written:
            raise ConflictError(Reason(ReasonCode.CALL_OVER))

    async def _complete_links(self, current: Round | None, following: Round | None = None) -> None:
        """Complete the opened links of the round that the server no longer waits for."""
        still = {request.id for request in following.requests.values()} if following else set()
        for request in current.opened if isinstance(current, InputRound) else ():
            if request.id not in still:
                await self._services.inbox.links.went_on(request)

    async def _wait(self, current: Round) -> Round:
        """Wait for the person until the round is over."""
        requests = list(current.requests.values())
        check_answers(requests)
        if isinstance(current, InputRound) and not current.open:
            # There is nothing to wait for; a pause all the same, or the server would be hammered.
            await asyncio.sleep(min(0.05 * 2**current.number, MAX_RETRY_PAUSE))
            if (taken := await self._services.inbox.take_round(requests)) is not None:
                return current.updated(taken)
        async with self._running.waiting(round_number=current.number):
            if isinstance(current, LinksRound):
                return current.updated(await until_finished(self._services.inbox, requests, current.error))
            return current.updated(await self._answers_to(requests))

    async def _answers_to(self, requests: Sequence[InputRequest]) -> list[InputRequest]:
        """Wait until the person has answered all of them, and take the answers."""
        while True:
            check_answers(await self._services.inbox.until(requests, _over))
            # An answer may be reopened at the same moment; the store says who was first.
            if (taken := await self._services.inbox.take_round(requests)) is not None:
                return taken

    async def _send(self, current: Round | None) -> Outcome:
        """Send the call; send it again on the next session if the server has certainly not run anything new."""
        reply = current.reply if current else Reply()
        async with self._services.sending(self._running, reply.answers) as delivery:
            # Counted for each trouble: after the sign-in that it wanted, the server may have been restarted.
            failures: Counter[Trouble | None] = Counter()
            for pause in chain(RESEND_PAUSES, repeat(RESEND_PAUSES[-1])):
                try:
                    return await self._send_once(current, reply, delivery)
                except ServerError as error:
                    if not _may_resend(current, error, failures[error.trouble], has_waited=self._has_waited):
                        raise
                    failures[error.trouble] += 1
                    if error.trouble is Trouble.SIGN_IN:
                        await self._hold(current, self.connection.until_signed_in)
                    elif current or self._has_waited:
                        await self._running.save_checkpoint(self._checkpoint(current))
                    self._running.unsent = current is None
                    self._is_decided = False
                    self.connection.look_after(error)
                await asyncio.sleep(pause)
        raise AssertionError("repeat() does not end")

    def _checkpoint(self, current: Round | None) -> Checkpoint:
        return current.checkpoint if current else self._running.unsent_checkpoint

    async def _hold(self, current: Round | None, signed_in: Callable[[], Awaitable[object]]) -> None:
        """Wait until the user has signed in; the server has run nothing new of the call. Raises SignInFailedError."""
        self._has_waited, self._is_decided = True, False
        await self._running.save_checkpoint(self._checkpoint(current))
        async with self._running.waiting(round_number=current.number if current else 0):
            await signed_in()

    async def _send_once(self, current: Round | None, reply: Reply, delivery: Sending) -> Outcome:
        task = await self._prepared(current)
        check_era(current, self.connection.status.protocol_version)
        # Safe: read after the wait, in which the person may have approved other arguments.
        call = self._call
        self._running.unsent = False
        sending = protocol.send_call(
            self.connection.session,
            call.kind,
            call.name,
            call.arguments,
            answers=reply.answers,
            state=reply.state,
            task=task,
            more=call.agent.params if call.agent else None,
            on_progress=report_elsewhere if task else self._progressed,
            on_sent=self._running.sent if task else None,
        )
        with self._round_span(current) as span:
            try:
                with delivery.attempt():
                    answer: Json | ServerError = await answer_to(sending, self.connection, as_task=task is not None)
            except ServerError as error:
                answer = error
            tasks = Extension.TASKS not in self.connection.server.extensions_off
            outcome = outcome_of(answer, call.kind, self.connection.status.protocol_version, tasks=tasks)
            # Before anything is awaited: a session that is lost from now on takes nothing of it away.
            self._running.is_saving = not isinstance(outcome, Result)
            if span and isinstance(outcome, Result) and outcome.content.get("isError") is True:
                span.error = TOOL_ERROR
            return outcome

    @contextmanager
    def _round_span(self, current: Round | None) -> Iterator[Span | None]:
        """Give the span of one request of the call, which its server gets as the parent of its own."""
        subject = subject_of(self._call.kind, self._call.name)
        attributes: dict[str, Attribute] = {
            **subject,
            "mcp.protocol.version": self.connection.status.protocol_version or "",
            f"{PREFIX}.round": current.number if current else 0,
        }
        name = " ".join(subject.values())
        whole = self._call.trace
        with (
            self._services.spans.span(name, whole, SpanKind.CLIENT, attributes) as span,
            tracing(span.place if span else whole),
        ):
            yield span

    async def _prepared(self, current: Round | None) -> Json | None:
        """Wait until there is a session to send on, and return the task to ask for."""
        while True:
            could_resume = self._running.resumable
            session = await self._ready(current)
            # The row may still say that the call waits, from an earlier process.
            await self._running.show_waiting()
            self._progress.begin()
            wished = self._running.as_task
            task = await task_to_ask_for(self._services.connections, self.connection, self._call, wished=wished)
            if current is None:
                # Safe: nothing but the sending itself lies between this look and the run.
                self._is_decided = self._is_decided and await self._is_as_shown(self.connection)
            if self.connection.stands(session) and (current or self._is_decided):
                return task
            # It was lost meanwhile, or its tools have changed, and nothing was sent.
            if could_resume and not self._running.resumable:
                await self._running.save_checkpoint(self._checkpoint(current))

    async def _ready(self, current: Round | None) -> protocol.Session:
        """Wait for a session to send on, and return it; clear the checkpoint if the call must not be sent twice."""
        while True:
            self._running.unsent = current is None
            ready = partial(self._services.connections.ready, self._call.server_key)
            if await self._services.connections.waits_for_sign_in(self._call.server_key):
                await self._hold(current, ready)
            if current is None and not self._is_decided:
                self._is_decided = True
                await self._decide_again()
            self.connection = await ready()
            session = self.connection.session
            if (current and current.repeatable) or not self._running.resumable:
                return session
            await self._running.save_checkpoint(None)
            if self.connection.stands(session):
                return session
            # It was lost while that was written, and nothing was sent.
            await self._running.save_checkpoint(self._checkpoint(current))

    async def _progressed(self, progress: float, total: float | None, message: str | None) -> None:
        """Note a step that the server reports, and publish it unless one was published a moment ago."""
        for follower in self._running.followers:
            await follower(progress, total, message)
        if self._progress.note(progress, total, message):
            await self._running.progressed(self._progress.newest or {})


def _next_number(current: Round | None) -> int:
    return current.number + 1 if current else 1


def _over(requests: Sequence[InputRequest]) -> bool:
    return not any(request.pending for request in requests) or unanswerable(requests) is not None


def _may_resend(current: Round | None, error: ServerError, attempts: int, *, has_waited: bool) -> bool:
    """Whether to send again after so many failures of this kind: the server has not run it, or nothing in it is new.

    `has_waited`: for a person to sign in; the page has said that the call goes on then.
    """
    if error.trouble is Trouble.HEADERS_REFUSED:
        # Once, with the tool as it is now.
        return attempts == 0
    if error.trouble is Trouble.SIGN_IN:
        return attempts < MAX_RESENT
    if current is None and not has_waited:
        # Once: the call has not waited for a person, so they are there and can run it again.
        return attempts == 0 and error.trouble is Trouble.SESSION_UNKNOWN
    if attempts >= MAX_RESENT:
        return False
    return error.not_run or (current is not None and current.repeatable and error.unanswered)
