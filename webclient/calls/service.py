"""Starts, cancels, retries and resumes calls. Each runs in a task of its own, from its start to its result.

No timeout runs, because a person may be thinking. `driver.py` drives the rounds, not the SDK, so that they are data:
the server's `requestState` is sent back exactly as it came, all answers of a round together.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from datetime import datetime
from functools import partial

import anyio

from webclient.calls.approving import Approvals, AskFirst, Judge, checkpoint_of
from webclient.calls.checkpoint import (
    ApprovalCheckpoint,
    Checkpoint,
    TaskCheckpoint,
    UnreadableCheckpointError,
    UnsentCheckpoint,
    from_json,
    to_json,
)
from webclient.calls.driver import Driver
from webclient.calls.driving import DriverServices
from webclient.calls.outcomes import End, end_of_error, end_of_result
from webclient.calls.push_only import acted_unasked, may_ask_elsewhere
from webclient.calls.rounds import Round, round_at
from webclient.calls.running import OnProgress, RunningCall, RunningCalls
from webclient.domain.errors import ArgumentsGoneError, ConflictError, TooManyError, WebclientError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import listed
from webclient.domain.model import (
    CURRENT_TRACE,
    Agent,
    Call,
    CallError,
    CallKind,
    CallState,
    Delivery,
    InputRequest,
    Json,
    Reason,
    ReasonCode,
    Report,
    RequestState,
    Server,
    ServerKey,
    Trace,
    Via,
    new_trace,
)
from webclient.inbox import RetentionPolicy
from webclient.protocol import CALL, ServerError
from webclient.servers.connections import Connection, TaskSupport, takes_tasks
from webclient.store import Store
from webclient.support.background import CancellableTask

Resumed = Round | TaskCheckpoint | ApprovalCheckpoint | None
"""The round, task or approval in which an earlier process left a call; None if it was not sent."""

logger = logging.getLogger(__name__)


class Calls:
    """The calls of all users in this process, of each user `most_running` at once."""

    def __init__(
        self,
        store: Store,
        running_calls: RunningCalls,
        services: DriverServices,
        retention_policy: RetentionPolicy,
        most_running: int,
    ) -> None:
        self._most_running = most_running
        self._store = store
        self._running_calls = running_calls
        self._services = services
        self._retention_policy = retention_policy
        self._approvals = Approvals(store=store, services=services, retention_policy=retention_policy)
        self._closing: asyncio.Task[None] | None = None

    def judged_by(self, judge: Judge) -> None:
        """Judge calls of agents that were approved once more, just before they run."""
        self._approvals.judge = judge

    def at_server(self, server_key: ServerKey, call_id: str | None) -> Sequence[Call]:
        """Return the calls during which the server may have sent a message; `call_id` is known over HTTP."""
        return [running.call for running in self._running_calls.possible_calls(server_key, call_id)]

    async def start(
        self,
        user_id: str,
        server: Server,
        *,
        kind: CallKind,
        name: str,
        arguments: Json | None = None,
        retry_of: str | None = None,
        via: Via = Via.API,
        agent: Agent | None = None,
        ask_first: AskFirst | None = None,
        reports: Sequence[Report] = (),
        as_task: bool = False,
        trace: Trace | None = None,
    ) -> Call:
        """Start a call and return it; `retry_of` is the call that it repeats, `agent` the agent that makes it.

        With `ask_first`, a person decides before the call is sent. `reports` are what rules that only report would have
        done with it. `trace` is the one that it is part of; without it, it begins a new one.

        It runs by itself, as soon as the server is connected. A tool that must run as a task does; `as_task` asks for
        that where the tool allows both. Raises ConflictError if the server is not connected or about to be, too many
        calls run, and for `as_task` with a tool that is known to allow none.
        """
        connection = self._services.connections.reachable(server)
        if kind is CallKind.TOOL and takes_tasks(connection.status.capabilities):
            # A program may run a tool without having looked at the list.
            await self._services.connections.know_tools(server)
        if as_task and (kind is not CallKind.TOOL or connection.task_support(name) is TaskSupport.FORBIDDEN):
            raise ConflictError(_("{name} cannot run as a task.").format(name=name))
        # Before the rest, so that a flood of calls costs little; nothing waits from here until the call counts.
        if self._running_calls.count_of(user_id) >= self._most_running:
            message = _("{n} calls are running, which is the limit. Wait until one ends, or stop one.")
            raise ConflictError(message.format(n=self._most_running))
        call = Call(
            user_id=user_id,
            server_id=server.id,
            server_label=server.label,
            kind=kind,
            name=name,
            arguments=arguments,
            retry_of=retry_of,
            via=Via.AGENT if agent else via,
            agent=agent,
            reports=tuple(reports),
            trace=self._services.spans.place(trace) or new_trace(),
            withheld=self._withheld(connection, kind, name, arguments),
        )
        approval = checkpoint_of(ask_first) if ask_first else None
        if approval:
            call = replace(call, checkpoint=to_json(approval))
        self._run(await self._running_calls.add(call, as_task=as_task), connection, approval)
        return call

    async def follow(self, call: Call, checkpoint: TaskCheckpoint, connection: Connection) -> Call:
        """Store a new call with this checkpoint and return it: it follows a task that the server has already."""
        call = replace(call, checkpoint=to_json(checkpoint))
        self._run(await self._running_calls.add(call), connection, checkpoint)
        return call

    def _withheld(self, connection: Connection, kind: CallKind, name: str, arguments: Json | None) -> tuple[str, ...]:
        tool = connection.catalog.tool(name) if kind is CallKind.TOOL else None
        return self._retention_policy.withheld_from_call((tool or {}).get("inputSchema"), arguments or {})

    def begin(self) -> None:
        """Begin without calls of an earlier process; those of a user are resumed when they come."""
        self._services.work.calls_resumed()

    async def resume(self) -> None:
        """Resume the calls that an earlier process left with a checkpoint; interrupt all others."""
        await self._resume(None)
        self._services.work.calls_resumed()

    async def resume_of(self, user_id: str, before: Callable[[], Awaitable[None]]) -> None:
        """Do the same for one user, who has come from another process; `before` that connect their servers."""
        with self._services.work.resuming(user_id):
            await before()
            await self._resume(user_id)

    async def hand_over(self, user_id: str, leave: Callable[[], Awaitable[None]]) -> None:
        """Stop the calls of a user without ending them, then `leave`: another process goes on with them."""
        await self._running_calls.hand_over(user_id)
        await leave()
        self._running_calls.forget_handed_over(user_id)

    async def _resume(self, user_id: str | None) -> None:
        resumed = await self._resumable(user_id)
        reason = Reason(ReasonCode.CLIENT_STOPPED)
        await self._store.system.end_leftovers(reason, resumed=resumed, user_id=user_id)
        for call, at in resumed.values():
            server = await self._store.of(call.user_id).servers.get(call.server_id)
            as_task = isinstance(at, UnsentCheckpoint) and at.as_task
            running = self._running_calls.add_resumed(call, as_task=as_task)
            if isinstance(at, Round) and not at.open:
                # Everything was answered, and the earlier process was stopped before it could write that.
                await running.change(state=CallState.RUNNING)
            connection = self._services.connections.connect(server)
            self._run(running, connection, None if isinstance(at, UnsentCheckpoint) else at)

    async def _resumable(
        self, user_id: str | None
    ) -> dict[str, tuple[Call, Round | ApprovalCheckpoint | TaskCheckpoint | UnsentCheckpoint]]:
        """Return the calls that can resume, each with the round or the task for which it waits, if it was sent."""
        found: dict[str, tuple[Call, Round | ApprovalCheckpoint | TaskCheckpoint | UnsentCheckpoint]] = {}
        for call in await self._store.system.resumable_calls(user_id):
            try:
                checkpoint = from_json(call.checkpoint or {})
            except UnreadableCheckpointError:
                logger.exception("Call %s cannot resume", call.id)
                await self._interrupt(call, Reason(ReasonCode.CHECKPOINT_UNREADABLE))
                continue
            if not await self._has_server(call):
                continue
            requests = await self._services.inbox.of_call(call)
            if _lacks_secrets(call, checkpoint, requests):
                await self._interrupt(call, Reason(ReasonCode.CALL_SECRETS_LOST))
                continue
            if isinstance(checkpoint, ApprovalCheckpoint | TaskCheckpoint | UnsentCheckpoint):
                found[call.id] = call, checkpoint
            elif round_ := round_at(checkpoint, requests):
                found[call.id] = call, round_
        return found

    async def _has_server(self, call: Call) -> bool:
        """Return whether the server of the call is still there."""
        return call.server_id in {server.id for server in await self._store.of(call.user_id).servers.all()}

    async def _interrupt(self, call: Call, reason: Reason) -> None:
        interrupted = {"state": CallState.INTERRUPTED, "error": CallError(reason=reason)}
        await self._store.of(call.user_id).calls.change(call.id, **interrupted)
        await self._services.intake.end_call(call, (RequestState.INTERRUPTED, reason), by_server=False)

    def _run(self, running: RunningCall, connection: Connection, resumed: Resumed = None) -> None:
        context = copy_context()
        context.run(CALL.set, running.call.id)
        context.run(CURRENT_TRACE.set, running.call.trace)
        work = self._drive(running, connection, resumed)
        running.run(CancellableTask(work, name="call", of=running.call.id, context=context))

    async def cancel(self, call: Call, reason: ReasonCode = ReasonCode.CALL_CANCELLED) -> Call:
        """Cancel a call and notify its server. Raises ConflictError if it has ended."""
        if call.state.ended:
            raise ConflictError(_("This call has ended ({state}); it cannot be cancelled.").format(state=call.state))
        ending = (RequestState.CANCELLED, Reason(reason))
        if running := self._running_calls.get(call.id):
            await running.stop(CallState.CANCELLED, ending, at_once=True)
            if running.ending and self._running_calls.get(call.id):
                # It takes long to notify the server, and a question of the call must not be answered meanwhile.
                await self._settle_open(running, None)
        return await self._store.of(call.user_id).calls.get(call.id)

    async def retry(self, call: Call, *, via: Via = Via.API, trace: Trace | None = None) -> Call:
        """Start the same call again; requests are prefilled with the earlier answers.

        Raises ArgumentsGoneError if some of its arguments were erased, and ConflictError if its tool is not known.
        """
        self.check_complete(call)
        if call.was_taken_up:
            raise ConflictError(_("This call follows a task that another program started, so it cannot be run again."))
        server = await self._store.of(call.user_id).servers.get(call.server_id)
        return await self.start(
            call.user_id,
            server,
            kind=call.kind,
            name=call.name,
            arguments=call.arguments,
            retry_of=call.id,
            via=via,
            trace=trace,
            as_task=call.task is not None and self._may_run_as_task(server, call),
        )

    def _may_run_as_task(self, server: Server, call: Call) -> bool:
        return self._services.connections.reachable(server).task_support(call.name) is not TaskSupport.FORBIDDEN

    def check_complete(self, call: Call) -> None:
        """Raise ArgumentsGoneError if some arguments of the call were erased."""
        if call.gone:
            names = listed(f"“{name}”" for name in call.gone)
            message = _("Some arguments of this call were erased. Fill in {names} again to run it.")
            raise ArgumentsGoneError(message.format(names=names))

    async def until_over(self, call: Call, on_progress: OnProgress | None = None) -> Call:
        """Wait until a call has ended, and return it then; one that another process goes on with is open still.

        `on_progress` gets each step of progress that the server reports meanwhile.
        """
        running = self._running_calls.get(call.id)
        if running:
            followers = [on_progress] if on_progress else []
            running.followers.extend(followers)
            try:
                await running.until_over()
            finally:
                for follower in followers:
                    running.followers.remove(follower)
        return await self._store.of(call.user_id).calls.get(call.id)

    def running_of_agents(self, user_id: str | None) -> list[Call]:
        """Return the running calls of agents, of one user or of all."""
        return [call for call in self._running_calls.of_user(user_id) if call.agent]

    async def note_agent(self, call: Call, agent: Agent) -> None:
        """Write whether the agent of a call is there, or has got its result; what cannot be written now is dropped."""
        if (running := self._running_calls.get(call.id)) or agent.taken:
            with suppress(WebclientError):
                await self._store.of(call.user_id).calls.note_agent(call.id, agent)
                if running:
                    running.publish()

    def want(self, call_id: str, *, wanted: bool) -> None:
        """Note whether the agent of a call waits for it: what was approved does not run while it is away."""
        if running := self._running_calls.get(call_id):
            (running.wanted.set if wanted else running.wanted.clear)()

    def asks(self, call_id: str) -> bool:
        """Return whether a running call waits for a person."""
        running = self._running_calls.get(call_id)
        return running is not None and running.asks

    def will_ask(self, call_id: str) -> bool:
        """Return whether a running call will ask its person before it is sent."""
        running = self._running_calls.get(call_id)
        return running is not None and running.will_ask

    def is_at_server(self, call_id: str) -> bool:
        """Return whether a server works for the call; not for one that was approved while its agent was away."""
        running = self._running_calls.get(call_id)
        return running is not None and running.is_at_server

    def wait_of(self, call_id: str) -> Callable[[], bool]:
        """Return what tells whether a call has waited for a person, also after its end; one that has ended may have."""
        running = self._running_calls.get(call_id)
        # A call that never asks changes its state once.
        return lambda: running is None or running.changes > 1

    async def until_asking(self, call_id: str) -> None:
        """Wait until a call waits for a person, or no longer runs here."""
        while (running := self._running_calls.get(call_id)) and not running.asks:
            await running.moved.wait()

    def cursor(self, call_id: str) -> str | None:
        """Return the place after the call's newest change of state; None if it does not run.

        Read it before the call's row: a row that is newer than its cursor is given twice, one that is older is missed.
        """
        running = self._running_calls.get(call_id)
        return running.cursor if running else None

    def next_check(self, call_id: str) -> datetime | None:
        """Return when the server is asked next how the call's task stands; None if it is not, or just now."""
        return self._services.scheduler.next_at(call_id)

    async def next_change(self, call: Call, seconds: float, *, since: str | None = None) -> None:
        """Wait for the call's next change of state, `seconds` at most; with `since`, for the next after that cursor."""
        if running := self._running_calls.get(call.id):
            await running.next_change(seconds, since=since)

    async def first_change(self, call: Call, seconds: float) -> None:
        """Wait until a call that has just been started asks or ends, `seconds` at most."""
        # Where too many streams are open, the call runs all the same.
        with suppress(TooManyError):
            await self.next_change(call, seconds)

    async def close(self) -> None:
        """End all connections and calls, because this program stops; hand resumable calls to the next process.

        It is done once, however often it is called; each caller waits until it is done.
        """
        self._closing = self._closing or asyncio.create_task(self._close(), name="closing")
        await self._closing

    async def _close(self) -> None:
        await self._running_calls.hand_over_resumable()
        reason = Reason(ReasonCode.CLIENT_STOPPED)
        await self._services.connections.close(reason)
        await self._running_calls.end_all((RequestState.INTERRUPTED, reason))

    async def _drive(self, running: RunningCall, connection: Connection, resumed: Resumed) -> None:
        still = partial(self._approvals.still, running, connection.server)
        driver = Driver(running, connection, self._services, still, partial(self._approvals.is_as_shown, running))
        end = None
        try:
            end = await self._end(driver, running, resumed)
            await running.change(progress=driver.progress, **end.columns, **end.noted_in(running.call))
            running.publish_approval()
        finally:
            # Shielded: the call may have been cancelled, and its requests must still be settled.
            with anyio.CancelScope(shield=True):
                if not running.handed_over:
                    await self._settle_open(running, end)
                self._running_calls.remove(running)
                await self._services.work.release(running.call.server_key)
            self._services.intake.pushed_requests.forget(running.call)

    async def _end(self, driver: Driver, running: RunningCall, resumed: Resumed) -> End:
        call = running.call
        try:
            if isinstance(resumed, ApprovalCheckpoint):
                await self._approvals.until_decided(running, driver.connection.server, resumed)
                resumed = None
            result = await driver.result(resumed)
        except Exception as error:  # noqa: BLE001  (any error ends the call, with its reason)
            if isinstance(error, ServerError):
                driver.connection.look_after(error)
            end = end_of_error(error, driver.connection, has_required=driver.has_required)
        else:
            end = end_of_result(result, driver.connection, has_required=driver.has_required)
        # Before anything is awaited: what the server has pushed may be gone a moment later.
        if end.ending is None and (reason := self._services.intake.pushed_requests.why_given_up(call, end.error_text)):
            return end.given_up(reason)
        if end.result is None or call.kind is not CallKind.TOOL:
            return end
        return await self._checked(end, driver, call)

    async def _checked(self, end: End, driver: Driver, call: Call) -> End:
        """Return the end with what there is to note on the result of a tool."""
        connection = driver.connection
        version, learned = connection.status.protocol_version, connection.server.learned
        unasked = may_ask_elsewhere(version, learned, has_required=driver.has_required)
        if "structuredContent" in (end.result or {}) or (unasked and not connection.knows_catalog):
            await self._services.connections.know_tools(connection.server)
        tool = connection.catalog.tool(call.name)
        return end.noted(acted_unasked(tool) if unasked else None).checked(tool)

    async def _settle_open(self, running: RunningCall, end: End | None) -> None:
        """Settle what the call leaves open; without an `end` it was stopped."""
        running.returned = True
        ending = running.ending or (end.ending if end else None)
        by_server = end is not None and end.by_server
        await self._services.intake.end_call(running.call, ending, by_server=by_server)


def _lacks_secrets(call: Call, checkpoint: Checkpoint, requests: Sequence[InputRequest]) -> bool:
    """Return whether the call cannot be sent as it was: the key of its arguments or of an answer is missing."""
    # A task has its arguments already.
    unsealed = call.gone and not isinstance(checkpoint, TaskCheckpoint)
    return bool(unsealed) or any(each.gone and each.delivery in (Delivery.SAVED, Delivery.SENDING) for each in requests)
