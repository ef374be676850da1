"""Carries questions from servers into the inbox, however they come: pushed, in a result, or in an error.

A pushed question (2025-11-25) is answered from here: the SDK's callback parks until the person has answered. What comes
in a result or an error makes a round of its call, which `driver.py` goes on with.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from mcp.types import INVALID_PARAMS, ElicitResult, ErrorData

from webclient.calls.delivery import Deliveries
from webclient.calls.required_links import LinksRequired, UnopenedError
from webclient.calls.running import RunningCalls
from webclient.i18n import gettext as _
from webclient.inbox import Admission, Inbox, RefusedError
from webclient.inbox.kinds import name_of
from webclient.inbox.policy import FLOODS, Limit, Refusal, muted
from webclient.inbox.unanswered import Pushed, Unanswered
from webclient.model import (
    Action,
    Answer,
    AskedBy,
    AskedDuring,
    Call,
    Came,
    Delivery,
    InputRequest,
    Json,
    RequestState,
)
from webclient.protocol.tap import Asked, take_asked
from webclient.store.health import Health

if TYPE_CHECKING:
    from webclient.servers.connection import Connection

_TOO_MUCH = -32000
"""The JSON-RPC error code for what floods the person (JSON-RPC 2.0, 5.1: -32000 to -32099 are the server's own)."""


class Intake:
    """Asks the person on behalf of servers."""

    def __init__(
        self, inbox: Inbox, admission: Admission, running_calls: RunningCalls, deliveries: Deliveries, health: Health
    ) -> None:
        self._inbox = inbox
        self._admission = admission
        self._running_calls = running_calls
        self._deliveries = deliveries
        self._health = health
        self.unanswered = Unanswered(inbox)

    async def pushed(self, connection: Connection) -> ElicitResult | ErrorData:
        """Answer an `elicitation/create` that the server pushed; runs inside the SDK's callback for it."""
        asked = take_asked()
        calls = self._running_calls.asking(connection.server.id, asked.call_id)
        request = _request(connection, calls, asked.method, asked.params, round=1 if len(calls) == 1 else None)
        with self.unanswered.pushed(request, asked) as pushed:
            try:
                if not await self._admission.admit(connection.server, [request]):
                    return ElicitResult(action=Action.CANCEL.value)
            except RefusedError as refused:
                code = _TOO_MUCH if refused.refusal.limit in FLOODS else INVALID_PARAMS
                return ErrorData(code=code, message=refused.refusal.told)
            asked.told = partial(self._deliveries.pushed, request)
            try:
                answer = await self._ask(connection, calls, pushed)
            finally:
                self._admission.release(request)
        return ElicitResult(action=answer.action.value, content=answer.content)

    async def round(
        self,
        connection: Connection,
        call: Call,
        asked: Json,
        number: int,
        *,
        opened: Mapping[str, InputRequest],
    ) -> dict[str, InputRequest]:
        """Return the questions of a 2026-07-28 round by the server's keys; links that are `opened` stay.

        Raises RefusedError when the round asks for something that it may not; then nothing of it is put.
        """
        # Before any of them is read: a round may hold a hundred thousand.
        if why := self._admission.too_many_at_once(len(asked)):
            request = _request(connection, [call], "", {}, came=Came.ROUND, round=number, total=len(asked))
            await self._admission.refuse(request, why)
            raise RefusedError(why)
        requests = {
            key: opened.get(key)
            or _request(
                connection,
                [call],
                question.get("method", ""),
                question.get("params") or {},
                came=Came.ROUND,
                round=number,
                position=position,
                total=len(asked),
            )
            for position, (key, question) in enumerate(asked.items(), start=1)
        }
        new = {key: request for key, request in requests.items() if request.pending}
        if not await self._admission.admit(connection.server, list(new.values())):
            # The server is muted: nothing is put, and each is answered `cancel`; that is shown already.
            return requests | {key: replace(request, state=RequestState.CANCELLED) for key, request in new.items()}
        return requests

    async def required(
        self, connection: Connection, call: Call, required: LinksRequired, number: int
    ) -> dict[str, InputRequest]:
        """Return the links of an error -32042 by their ids; what is none is shown as refused.

        Raises UnopenedError when there is none or the server is muted, RefusedError when it may not ask for links.
        """
        # What the server pushed before it ended the call with this error, nobody waits for.
        await self.unanswered.end_pushed(call)
        about: dict[str, Any] = {"came": Came.REQUIRED, "kind": "url", "round": number}
        for position, (params, why) in enumerate(required.refused, start=1):
            refused = _request(connection, [call], "", params, **about, position=position)
            reason = _("The server listed this among the links that it needs, but {why}").format(why=why)
            await self._admission.refuse(refused, Refusal(Limit.MALFORMED, reason, why))
        if not required.links:
            message = _("The server needs you to open a link first, but did not say which: {missing}.")
            raise UnopenedError({**required.error, "message": message.format(missing=required.missing)})
        links = [
            _request(connection, [call], "", params, **about, position=position, total=len(required.links))
            for position, params in enumerate(required.links, start=1)
        ]
        if not await self._admission.admit(connection.server, links):
            message = _("You muted {label}, so the links that it needs were not shown.").format(label=call.server_label)
            raise UnopenedError({**required.error, "message": message})
        return {each.id: each for each in links}

    async def put(self, connection: Connection, call: Call, requests: Sequence[InputRequest]) -> None:
        """Put the new questions of a round, which came on `connection`, to the person.

        Those that cannot be stored now are put as soon as they can.
        """
        finished = [each for each in await self._inbox.of_call(call) if each.state is RequestState.COMPLETED]
        for request in requests:
            noted = replace(request, reason=_asked_again(request, finished))
            # Nothing is answered to an error, so nobody waits for an answer to send.
            required = request.came is Came.REQUIRED
            await self._health.lasting(
                partial(self._inbox.record, noted) if required else partial(self._inbox.ask, noted, call)
            )
            self._admission.release(request)
            await self._unless_muted(connection, noted)

    def release(self, requests: Collection[InputRequest]) -> None:
        """Note that these questions of a round were put, or never will be: they need no place any more."""
        self._admission.release(*requests)

    async def _unless_muted(self, connection: Connection, request: InputRequest) -> None:
        # The server may have been muted while this was written down, and so was not there to be cancelled.
        if connection.server.muted_at:
            await self._inbox.settle(request, RequestState.CANCELLED, muted().reason)

    async def malformed(self, connection: Connection, asked: Asked, error: str) -> None:
        """Show a question that the SDK refused because it is not well-formed; the person learns that there was one."""
        if asked.method != "elicitation/create":
            return
        calls = self._running_calls.asking(connection.server.id, asked.call_id)
        reason = _("The server's question was not well-formed, so it was refused: {error}").format(error=error)
        await self._admission.refuse(
            _request(connection, calls, asked.method, asked.params), Refusal(Limit.MALFORMED, reason, error)
        )

    async def _ask(self, connection: Connection, calls: Sequence[Call], pushed: Pushed) -> Answer:
        request = pushed.request
        try:
            answer = await self._inbox.ask(request, _only(calls))
            self._admission.release(request)
            await self.unanswered.catch_up(pushed)
            await self._unless_muted(connection, request)
            # After the question is there: whoever sees that the call waits must find what it waits for.
            async with self._running_calls.one_waiting(calls):
                return await answer
        except BaseException:
            ending = self._running_calls.ending(request.call_id) or pushed.withdrawn or connection.why_unanswered()
            # Whatever it was, nobody waits any more. Shielded: the scope may be cancelled already, and the card must
            # still be told why.
            with anyio.CancelScope(shield=True):
                await self._inbox.settle(request, *ending)
                await self._deliveries.tell([request], Delivery.FAILED)
            raise


def _only(calls: Sequence[Call]) -> Call | None:
    return calls[0] if len(calls) == 1 else None


def _request(connection: Connection, calls: Sequence[Call], method: str, params: Json, **place: Any) -> InputRequest:
    server, call = connection.server, _only(calls)
    return InputRequest(
        user_id=server.user_id,
        server_id=server.id,
        call_id=call.id if call else None,
        possible_calls=() if call else tuple(each.id for each in calls),
        params=params,
        asked_by=AskedBy(
            label=server.label,
            address=server.address,
            claims=connection.status.claims,
            protocol_version=connection.status.protocol_version,
        ),
        during=_during(call) if call else None,
        **{"kind": name_of(method, params), **place},
    )


def _asked_again(request: InputRequest, finished: Sequence[InputRequest]) -> str | None:
    """Return what is to be said on the card of a link that was `finished` before in its call, or None."""
    url = request.params.get("url")
    before = [each for each in finished if url is not None and each.params.get("url") == url]
    if not before:
        return request.reason
    if any(each.digest == request.digest for each in before):
        return _("You opened this link before during this call, and the server asks for the same link again.")
    return _(
        "You opened this link before during this call, and the server asks for the same link again, with another text."
    )


def _during(call: Call) -> AskedDuring:
    return AskedDuring(kind=call.kind, name=call.name, arguments=call.shown_arguments, withheld=call.withheld)
