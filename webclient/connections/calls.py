"""Carries out calls: one task each, through all rounds of questions, until the result.

No timeout runs: a person may be thinking. Rounds (2026-07-28) are driven here and not by the SDK, so that they are
data: the server's `requestState` goes back exactly as it came, all answers of a round together.
"""

from __future__ import annotations

import asyncio
import logging
from contextvars import copy_context
from time import monotonic
from typing import Any

import anyio
from mcp import MCPError
from mcp.types import (
    CONNECTION_CLOSED,
    CallToolRequest,
    CallToolRequestParams,
    GetPromptRequest,
    GetPromptRequestParams,
    ReadResourceRequest,
    ReadResourceRequestParams,
    Request,
)
from pydantic import ValidationError

from webclient.connections.connection import Connection
from webclient.connections.connections import Connections
from webclient.connections.delivery import Deliveries
from webclient.connections.explain import is_forgotten, is_lost_session
from webclient.connections.notes import note_on_error, note_on_result
from webclient.connections.open_calls import Ending, OpenCalls, cut_off
from webclient.connections.questions import Questions
from webclient.connections.tap import CALL
from webclient.connections.verbatim import send
from webclient.errors import ConflictError
from webclient.i18n import gettext as _
from webclient.inbox import Inbox, RefusedError
from webclient.model import Call, CallKind, CallState, InputRequest, Json, RequestState, Server, Via
from webclient.store import Store

logger = logging.getLogger(__name__)

MAX_ROUNDS = 10
"""Rounds of questions in one call (the SDK's own driver stops there too); a server that goes on is in a loop."""

MAX_RETRY_PAUSE = 0.5
"""Seconds before a round that asked nothing is followed by the next."""

PROGRESS_PAUSE = 0.2
"""Seconds between two steps of progress that are told; a server may report thousands."""


class TooManyRoundsError(Exception):
    """The server asked for more rounds than `MAX_ROUNDS`."""


class Progress:
    """The steps that a server reports during a call; an SDK progress callback. `latest` is the newest, told or not."""

    def __init__(self, call: Call, open_calls: OpenCalls) -> None:
        self.latest: Json | None = None
        self._call = call
        self._open_calls = open_calls
        self._told_at = 0.0

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        """Note a step, and tell it unless one was told a moment ago."""
        steps = {"progress": progress, "total": total, "message": message}
        self.latest = {key: value for key, value in steps.items() if value is not None}
        if monotonic() - self._told_at >= PROGRESS_PAUSE:
            self._told_at = monotonic()
            await self._open_calls.progressed(self._call, self.latest)


class Calls:
    """Starts, cancels and repeats calls."""

    def __init__(
        self,
        store: Store,
        inbox: Inbox,
        connections: Connections,
        open_calls: OpenCalls,
        questions: Questions,
        *,
        deliveries: Deliveries,
    ) -> None:
        self._store = store
        self._inbox = inbox
        self._connections = connections
        self._open_calls = open_calls
        self._questions = questions
        self._deliveries = deliveries

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
        """Begin a call, which may start another over, and return it.

        It goes on by itself, if need be once the server is connected again. Raises ConflictError when the server is
        not connected and is not about to be.
        """
        connection = self._connections.reachable(server)
        call = Call(
            user_id=user_id,
            server_id=server.id,
            server_label=server.label,
            kind=kind,
            name=name,
            arguments=arguments,
            retry_of=retry_of,
            via=via,
        )
        await self._open_calls.open(call)
        self._begin(connection, call)
        return call

    async def resume(self) -> None:
        """Go on with the calls that an earlier process left waiting for a round, and interrupt what cannot go on."""
        held = {
            call.id: (call, requests)
            for call in await self._store.calls.held()
            if (requests := await self._round(call))
        }
        reason = _("This program was stopped before it ended.")
        await self._store.calls.interrupt_all({"message": reason}, but=held)
        await self._store.requests.interrupt_all(reason, but=held)
        for call, requests in held.values():
            server = await self._store.servers.get(call.user_id, call.server_id)
            self._open_calls.reopen(call)
            self._begin(self._connections.connect(server), call, requests)

    async def _round(self, call: Call) -> dict[str, InputRequest]:
        """Return the round that the call waits for.

        Empty when it cannot go on: its server is gone, or it was answered whole, and the answers may have been sent.
        """
        found = {each.id: each for each in await self._store.requests.find(call.user_id, call_id=call.id)}
        keys: dict[str, str] = (call.held or {})["requests"]
        requests = {key: found[request_id] for key, request_id in keys.items() if request_id in found}
        servers = {server.id for server in await self._store.servers.all(call.user_id)}
        whole = len(requests) == len(keys) and any(request.pending for request in requests.values())
        return requests if whole and call.server_id in servers else {}

    def _begin(self, connection: Connection, call: Call, held: dict[str, InputRequest] | None = None) -> None:
        context = copy_context()
        context.run(CALL.set, call.id)
        work = self._carry_out(connection, call, held)
        self._open_calls.follow(call, asyncio.create_task(work, name=f"call {call.id}", context=context))

    async def cancel(self, call: Call) -> Call:
        """Stop a call; the server is told. Raises ConflictError when it has ended."""
        if call.state.ended:
            raise ConflictError(_("This call has ended ({state}); it cannot be cancelled.").format(state=call.state))
        self._store.health.check()
        await self._open_calls.stop(
            call.id, CallState.CANCELLED, (RequestState.CANCELLED, _("You cancelled the call."))
        )
        return await self._store.calls.get(call.user_id, call.id)

    async def retry(self, call: Call, *, via: Via = Via.API) -> Call:
        """Begin the same call again as a new one; what was answered is filled in where the same is asked again."""
        server = await self._store.servers.get(call.user_id, call.server_id)
        return await self.start(
            call.user_id,
            server,
            kind=call.kind,
            name=call.name,
            arguments=call.arguments,
            retry_of=call.id,
            via=via,
        )

    async def next_change(self, call: Call, seconds: float) -> Call:
        """Wait so long at most for the call's next change of state (see `OpenCalls.next_change`)."""
        return await self._open_calls.next_change(call, seconds)

    async def _carry_out(self, connection: Connection, call: Call, held: dict[str, InputRequest] | None) -> None:
        progress = Progress(call, self._open_calls)
        ending: Ending | None = None
        try:
            outcome = await self._outcome(connection, call, progress, held)
            if outcome["state"] is CallState.INTERRUPTED:
                ending = cut_off()
            await self._open_calls.change(call, progress=progress.latest, **outcome)
        finally:
            # Shielded: the call may have been cancelled, and its questions must still be settled.
            with anyio.CancelScope(shield=True):
                if not self._open_calls.is_left(call.id):
                    await self._settle_questions(call, self._open_calls.ending(call.id) or ending)
            self._open_calls.forget(call)

    async def _outcome(
        self, connection: Connection, call: Call, progress: Progress, held: dict[str, InputRequest] | None
    ) -> dict[str, Any]:
        try:
            result = await self._rounds(connection, call, progress, held)
        except MCPError as error:
            return self._failed(connection, error)
        except (RefusedError, TooManyRoundsError, ConflictError) as error:
            return {"state": CallState.FAILED, "error": {"message": str(error)}}
        except ValidationError as error:
            message = _("The server's result is not valid MCP: {error}").format(error=_first(error))
            return {"state": CallState.FAILED, "error": {"message": message}}
        except Exception:
            logger.exception("Call %s failed", call.id)
            message = _("The call failed here, not at the server; the log of this program says why.")
            return {"state": CallState.FAILED, "error": {"message": message}}
        return {
            "state": CallState.DONE,
            "result": result,
            "error": note_on_result(connection, call, result),
        }

    async def _rounds(
        self, connection: Connection, call: Call, progress: Progress, held: dict[str, InputRequest] | None
    ) -> Json:
        answers: dict[str, Any] | None = None
        state: str | None = None
        if held:
            answers, state = await self._questions.resumed(connection, call, held), (call.held or {})["state"]
        for number in range(call.round + 1, MAX_ROUNDS + 2):
            session = await connection.ready()
            async with self._deliveries.carried_by(call, answers):
                result = await send(session, _request(call, answers, state), progress_callback=progress)
            if result.get("resultType") != "input_required":
                return result
            if number > MAX_ROUNDS:
                break
            asked = result.get("inputRequests") or {}
            if not asked:
                # The server only wants to be asked again; not at once, or it would be hammered.
                await asyncio.sleep(min(0.05 * 2**number, MAX_RETRY_PAUSE))
            state = result.get("requestState")
            answers = await self._questions.round(connection, call, asked, state, number)
        raise TooManyRoundsError(
            _("The server asked for input {rounds} times in one call and would not end; the call was given up.").format(
                rounds=MAX_ROUNDS
            )
        )

    def _failed(self, connection: Connection, error: MCPError) -> dict[str, Any]:
        told = error.error
        if is_lost_session(error):
            connection.lose()
        if is_lost_session(error) or told.code == CONNECTION_CLOSED:
            connection.probe()
            message = _("The connection to the server was lost before the call ended.")
            return {"state": CallState.INTERRUPTED, "error": {"code": told.code, "message": message}}
        message = _("The server no longer remembers this question.") if is_forgotten(error) else told.message
        return {
            "state": CallState.FAILED,
            "error": {"code": told.code, "message": message}
            | ({"forgotten": True} if is_forgotten(error) else {})
            | ({"data": told.data} if told.data is not None else {})
            | (note_on_error(connection, told.message) or {}),
        }

    async def _settle_questions(self, call: Call, ending: Ending | None) -> None:
        for left in await self._store.requests.find(call.user_id, state=RequestState.PENDING, call_id=call.id):
            await self._inbox.settle(left, *(ending or self._questions.left_by_its_call(left)))


def _request(call: Call, answers: dict[str, Any] | None, state: str | None) -> Request[Any, Any]:
    again: dict[str, Any] = {"input_responses": answers, "request_state": state}
    match call.kind:
        case CallKind.TOOL:
            return CallToolRequest(params=CallToolRequestParams(name=call.name, arguments=call.arguments, **again))
        case CallKind.PROMPT:
            return GetPromptRequest(params=GetPromptRequestParams(name=call.name, arguments=call.arguments, **again))
        case CallKind.RESOURCE:
            return ReadResourceRequest(params=ReadResourceRequestParams(uri=call.name, **again))


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(step) for step in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]
