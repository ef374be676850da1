"""Carries questions from servers into the inbox and answers back, in both eras.

2025-11-25: the server pushes a request and the SDK's callback parks until the person answers. 2026-07-28: a round of
questions comes as a result, and their answers go back together with the retry.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from mcp.types import INVALID_PARAMS, ElicitResult, ErrorData

from webclient.connections.delivery import Deliveries
from webclient.connections.open_calls import Ending, OpenCalls, left_behind, taken_back
from webclient.connections.tap import Asked, take_asked
from webclient.i18n import gettext as _
from webclient.inbox import Gate, Inbox, RefusedError
from webclient.inbox.policy import FLOODS, Limit, Refusal
from webclient.model import (
    Action,
    Answer,
    AskedBy,
    AskedDuring,
    Call,
    Delivery,
    InputRequest,
    Json,
    RequestKind,
)

if TYPE_CHECKING:
    from webclient.connections.connection import Connection

_KINDS = {"sampling/createMessage": RequestKind.SAMPLING, "roots/list": RequestKind.ROOTS}
_MODES = {"form": RequestKind.FORM, "url": RequestKind.URL}


_TOO_MUCH = -32000
"""The JSON-RPC error code for what floods the person (JSON-RPC 2.0, 5.1: -32000 to -32099 are the server's own)."""

_MUTED = Answer(action=Action.CANCEL)


Ask = Callable[[InputRequest], Awaitable[asyncio.Future[Answer]]]
"""Puts a question, or takes up one that was put, and returns what will be answered."""


class Questions:
    """Asks the person on behalf of servers."""

    def __init__(self, inbox: Inbox, gate: Gate, open_calls: OpenCalls, deliveries: Deliveries) -> None:
        self._inbox = inbox
        self._gate = gate
        self._open_calls = open_calls
        self._deliveries = deliveries
        self._pushed: dict[str, tuple[InputRequest, Asked]] = {}

    async def pushed(self, connection: Connection) -> ElicitResult | ErrorData:
        """Answer an `elicitation/create` that the server pushed; runs inside the SDK's callback for it."""
        asked = take_asked()
        call = self._open_calls.during(connection.server.id, asked.call_id)
        request = _request(connection, call, asked.method, asked.params, round=1 if call else None)
        try:
            if not await self._gate.admit(connection.server, [request]):
                return _result(_MUTED)
        except RefusedError as refused:
            code = _TOO_MUCH if refused.refusal.limit in FLOODS else INVALID_PARAMS
            return ErrorData(code=code, message=refused.refusal.told)
        asked.told = partial(self._deliveries.pushed, request)
        self._pushed[request.id] = request, asked
        try:
            [answer] = await self._ask(connection, call, [request], partial(self._inbox.ask, call=call))
        finally:
            del self._pushed[request.id]
        return _result(answer)

    def left_by_its_call(self, request: InputRequest) -> Ending:
        """Return how a question ends that is pending when its call ends.

        A server that takes its question back and then ends the call sends both at once, and the callback may not
        have settled the question yet.
        """
        _, asked = self._pushed.get(request.id, (None, None))
        return taken_back() if asked and asked.taken_back else left_behind()

    def waits_for_answer(self, server_id: str) -> bool:
        """Whether the server has pushed a question that is not answered."""
        return any(request.server_id == server_id for request, _ in self._pushed.values())

    async def round(
        self, connection: Connection, call: Call, asked: Json, state: str | None, number: int
    ) -> dict[str, ElicitResult]:
        """Put all questions of a 2026-07-28 round and return the answers by the server's keys, when all are in.

        While they are not, the call is held with the server's `requestState`, so that it survives a restart. Raises
        RefusedError when the round asks for something that it may not; then nothing of it is put.
        """
        requests = {
            key: _request(
                connection,
                call,
                question.get("method", ""),
                question.get("params") or {},
                round=number,
                position=position,
                total=len(asked),
            )
            for position, (key, question) in enumerate(asked.items(), start=1)
        }
        if not await self._gate.admit(connection.server, list(requests.values())):
            return dict.fromkeys(requests, _result(_MUTED))
        await self._open_calls.hold(
            call, {"requests": {key: each.id for key, each in requests.items()}, "state": state}
        )
        return await self._answers(connection, call, requests, partial(self._inbox.ask, call=call), number)

    async def resumed(
        self, connection: Connection, call: Call, requests: dict[str, InputRequest]
    ) -> dict[str, ElicitResult]:
        """Return the answers of a round that an earlier process put, when all are in."""
        return await self._answers(connection, call, requests, self._inbox.resume, call.round)

    async def _answers(
        self, connection: Connection, call: Call, requests: dict[str, InputRequest], ask: Ask, number: int
    ) -> dict[str, ElicitResult]:
        answers = await self._ask(connection, call, list(requests.values()), ask, number)
        await self._open_calls.hold(call, None)
        return {key: _result(answer) for key, answer in zip(requests, answers, strict=True)}

    async def malformed(self, connection: Connection, asked: Asked, error: str) -> None:
        """Show a question that the SDK refused because it is not well-formed; the person learns that there was one."""
        if asked.method != "elicitation/create":
            return
        call = self._open_calls.during(connection.server.id, asked.call_id)
        reason = _("The server's question was not well-formed, so it was refused: {error}").format(error=error)
        await self._gate.turn_away(
            _request(connection, call, asked.method, asked.params), Refusal(Limit.MALFORMED, reason, error)
        )

    async def _ask(
        self, connection: Connection, call: Call | None, requests: list[InputRequest], ask: Ask, number: int = 1
    ) -> list[Answer]:
        try:
            answers = [await ask(request) for request in requests]
            # After the questions are there: whoever sees that the call waits must find what it waits for.
            async with self._open_calls.waiting(call, round_number=number):
                return [await answer for answer in answers]
        except BaseException:
            if self._open_calls.is_left(call.id if call else None):
                raise
            ending = self._open_calls.ending(call.id if call else None) or connection.why_unanswered()
            # Whatever it was, nobody waits any more. Shielded: the scope may be cancelled already, and the cards must
            # still be told why.
            with anyio.CancelScope(shield=True):
                await self._inbox.settle_all(requests, *ending)
                await self._deliveries.tell(requests, Delivery.FAILED)
            raise


def _request(connection: Connection, call: Call | None, method: str, params: Json, **place: Any) -> InputRequest:
    server = connection.server
    return InputRequest(
        user_id=server.user_id,
        server_id=server.id,
        call_id=call.id if call else None,
        kind=_kind(method, params),
        params=params,
        asked_by=AskedBy(
            label=server.label,
            address=server.address,
            claims=connection.status.claims,
            protocol_version=connection.status.protocol_version,
        ),
        during=AskedDuring(kind=call.kind, name=call.name, arguments=call.arguments) if call else None,
        **place,
    )


def _kind(method: str, params: Json) -> RequestKind:
    # Elicitation without a mode is form mode (MCP 2025-11-25, Elicitation Requests: MUST).
    return _KINDS.get(method) or _MODES.get(params.get("mode", "form"), RequestKind.FORM)


def _result(answer: Answer) -> ElicitResult:
    return ElicitResult(action=answer.action.value, content=answer.content)
