"""Starts, cancels, retries and resumes calls. Each runs in a task of its own, from its start to its result.

No timeout runs, because a person may be thinking. `driver.py` drives the rounds, not the SDK, so that they are data:
the server's `requestState` is sent back exactly as it came, all answers of a round together.
"""

from __future__ import annotations

import asyncio
import logging
from contextvars import copy_context

import anyio

from webclient.calls.checkpoint import UnreadableCheckpointError, from_json
from webclient.calls.delivery import Deliveries
from webclient.calls.driver import Driver
from webclient.calls.outcomes import End, end_of_error, end_of_result
from webclient.calls.rounds import Round, round_at
from webclient.calls.running import RunningCall, RunningCalls
from webclient.cancellable_task import CancellableTask
from webclient.errors import ArgumentsGoneError, ConflictError
from webclient.i18n import gettext as _
from webclient.inbox import Inbox, Intake
from webclient.model import Call, CallError, CallKind, CallState, Json, Reason, ReasonCode, RequestState, Server, Via
from webclient.protocol import CALL, ServerError
from webclient.retention import RetentionPolicy
from webclient.servers import Connection, Connections, takes_tasks
from webclient.store import Store

logger = logging.getLogger(__name__)


class Calls:
    """The calls of all users in this process."""

    def __init__(
        self,
        store: Store,
        inbox: Inbox,
        connections: Connections,
        running_calls: RunningCalls,
        intake: Intake,
        *,
        deliveries: Deliveries,
        retention_policy: RetentionPolicy,
    ) -> None:
        self._retention_policy = retention_policy
        self._store = store
        self._inbox = inbox
        self._connections = connections
        self._running_calls = running_calls
        self._intake = intake
        self._deliveries = deliveries
        self._closing: asyncio.Task[None] | None = None

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
    ) -> Call:
        """Start a call and return it; `retry_of` is the call that it repeats.

        It runs by itself, as soon as the server is connected. Raises ConflictError if the server is not connected or
        about to be, and for a tool that is known to run only as a task.
        """
        connection = self._connections.reachable(server)
        if kind is CallKind.TOOL and takes_tasks(connection.status.capabilities):
            # A program may run a tool without having looked at the list.
            await self._connections.know_tools(server)
        if kind is CallKind.TOOL and connection.requires_task(name):
            message = _("{name} runs only as a task, which this client cannot start yet.")
            raise ConflictError(message.format(name=name))
        call = Call(
            user_id=user_id,
            server_id=server.id,
            server_label=server.label,
            kind=kind,
            name=name,
            arguments=arguments,
            retry_of=retry_of,
            via=via,
            withheld=self._withheld(connection, kind, name, arguments),
        )
        self._run(await self._running_calls.add(call), connection)
        return call

    def _withheld(self, connection: Connection, kind: CallKind, name: str, arguments: Json | None) -> tuple[str, ...]:
        tool = connection.catalog.tool(name) if kind is CallKind.TOOL else None
        return self._retention_policy.withheld_from_call((tool or {}).get("inputSchema"), arguments or {})

    async def resume(self) -> None:
        """Resume the calls that an earlier process left with a checkpoint; interrupt all others."""
        resumed = await self._resumable()
        reason = Reason(ReasonCode.CLIENT_STOPPED)
        await self._store.system.end_leftovers(reason, resumed=resumed)
        for call, round_ in resumed.values():
            server = await self._store.of(call.user_id).servers.get(call.server_id)
            running = self._running_calls.add_resumed(call)
            if not round_.open:
                # Everything was answered, and the earlier process was stopped before it could write that.
                await running.change(state=CallState.RUNNING)
            self._run(running, self._connections.connect(server), round_)

    async def _resumable(self) -> dict[str, tuple[Call, Round]]:
        found = {}
        for call in await self._store.system.resumable_calls():
            try:
                round_ = await self._round(call)
            except UnreadableCheckpointError:
                logger.exception("Call %s cannot resume", call.id)
                await self._interrupt(call, Reason(ReasonCode.CHECKPOINT_UNREADABLE))
            else:
                if round_ is not None:
                    found[call.id] = call, round_
        return found

    async def _round(self, call: Call) -> Round | None:
        """Return the round that the call waits for; None when it cannot resume, as when its server is gone."""
        checkpoint = from_json(call.checkpoint or {})
        servers = {server.id for server in await self._store.of(call.user_id).servers.all()}
        if call.server_id not in servers:
            return None
        return round_at(checkpoint, await self._inbox.of_call(call))

    async def _interrupt(self, call: Call, reason: Reason) -> None:
        interrupted = {"state": CallState.INTERRUPTED, "error": CallError(reason=reason)}
        await self._store.of(call.user_id).calls.change(call.id, **interrupted)
        pending = [request for request in await self._inbox.of_call(call) if request.pending]
        await self._inbox.settle_all(pending, RequestState.INTERRUPTED, reason)

    def _run(self, running: RunningCall, connection: Connection, resumed: Round | None = None) -> None:
        context = copy_context()
        context.run(CALL.set, running.call.id)
        work = self._drive(running, connection, resumed)
        running.run(CancellableTask(work, name=f"call {running.call.id}", context=context))

    async def cancel(self, call: Call) -> Call:
        """Cancel a call and notify its server. Raises ConflictError if it has ended."""
        if call.state.ended:
            raise ConflictError(_("This call has ended ({state}); it cannot be cancelled.").format(state=call.state))
        ending = (RequestState.CANCELLED, Reason(ReasonCode.CALL_CANCELLED))
        if running := self._running_calls.get(call.id):
            await running.stop(CallState.CANCELLED, ending, at_once=True)
        return await self._store.of(call.user_id).calls.get(call.id)

    async def retry(self, call: Call, *, via: Via = Via.API) -> Call:
        """Start the same call again; requests are prefilled with the earlier answers.

        Raises ArgumentsGoneError if some of its arguments were erased.
        """
        self.check_complete(call)
        server = await self._store.of(call.user_id).servers.get(call.server_id)
        return await self.start(
            call.user_id,
            server,
            kind=call.kind,
            name=call.name,
            arguments=call.arguments,
            retry_of=call.id,
            via=via,
        )

    def check_complete(self, call: Call) -> None:
        """Raise ArgumentsGoneError if some arguments of the call were erased."""
        if call.gone:
            names = ", ".join(f"“{name}”" for name in call.gone)
            message = _("Some arguments of this call were erased. Fill in {names} again to run it.")
            raise ArgumentsGoneError(message.format(names=names))

    async def next_change(self, call: Call, seconds: float) -> Call:
        """Wait for the call's next change of state, `seconds` at most; return the call."""
        if running := self._running_calls.get(call.id):
            await running.next_change(seconds)
        return await self._store.of(call.user_id).calls.get(call.id)

    async def close(self) -> None:
        """End all connections and calls, because this program stops; hand resumable calls to the next process.

        It is done once, however often it is called; each caller waits until it is done.
        """
        self._closing = self._closing or asyncio.create_task(self._close(), name="closing")
        await self._closing

    async def _close(self) -> None:
        await self._running_calls.hand_over_resumable()
        reason = Reason(ReasonCode.CLIENT_STOPPED)
        await self._connections.close(reason)
        await self._running_calls.end_all((RequestState.INTERRUPTED, reason))

    async def _drive(self, running: RunningCall, connection: Connection, resumed: Round | None) -> None:
        driver = Driver(
            running,
            connection,
            inbox=self._inbox,
            connections=self._connections,
            intake=self._intake,
            deliveries=self._deliveries,
        )
        end = None
        try:
            end = await self._end(driver, running.call, resumed)
            await running.change(progress=driver.progress, **end.columns)
        finally:
            # Shielded: the call may have been cancelled, and its requests must still be settled.
            with anyio.CancelScope(shield=True):
                if not running.handed_over:
                    await self._settle_open(running, end)
            self._running_calls.remove(running)
            self._intake.pushed_requests.forget(running.call)

    async def _end(self, driver: Driver, call: Call, resumed: Round | None) -> End:
        try:
            result = await driver.result(resumed)
        except Exception as error:  # noqa: BLE001  (any error ends the call, with its reason)
            if isinstance(error, ServerError):
                driver.connection.look_after(error)
            end = end_of_error(error, driver.connection, has_required=driver.has_required)
        else:
            end = end_of_result(result, driver.connection, has_required=driver.has_required)
        # Before anything is awaited: what the server has pushed may be gone a moment later.
        if end.ending is None and (reason := self._intake.pushed_requests.why_given_up(call, end.error_text)):
            return end.given_up(reason)
        if end.result is None or call.kind is not CallKind.TOOL:
            return end
        if "structuredContent" in end.result:
            await self._connections.know_tools(driver.connection.server)
        return end.checked(driver.connection.catalog.tool(call.name))

    async def _settle_open(self, running: RunningCall, end: End | None) -> None:
        """Settle what the call leaves open; without an `end` it was stopped."""
        running.returned = True
        ending = running.ending or (end.ending if end else None)
        await self._intake.pushed_requests.end(running.call, ending, by_server=end is not None and end.by_server)
        await self._deliveries.record_unsent(running.call)
