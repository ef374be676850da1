"""Carries questions from servers into the inbox, however they come: pushed, in a result, or in an error.

A pushed question (2025-11-25) is answered on its session, which waits until the person has answered. What comes in a
result or an error makes a round of its call.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from webclient.inbox.admission import Admission
from webclient.inbox.inbox import Inbox
from webclient.inbox.kinds import name_of
from webclient.inbox.policy import Limit, Refusal, RefusedError, muted
from webclient.inbox.pushed_requests import Pushed, PushedRequests
from webclient.model import (
    AskedBy,
    AskedDuring,
    Call,
    Came,
    InputRequest,
    Json,
    Reason,
    ReasonCode,
    RequestState,
    Server,
    ServerRequest,
    ServerStatus,
)
from webclient.store import Health
from webclient.visible_text import shortened


class Source(Protocol):
    """Where a question comes from: the server, and how its connection stands, at any moment."""

    @property
    def server(self) -> Server: ...

    @property
    def status(self) -> ServerStatus: ...


class Intake:
    """Asks the person on behalf of servers."""

    def __init__(self, inbox: Inbox, admission: Admission, health: Health) -> None:
        self._inbox = inbox
        self._admission = admission
        self._health = health
        self.pushed_requests = PushedRequests(inbox)

    def pushed(self, source: Source, calls: Sequence[Call], asked: ServerRequest) -> AbstractContextManager[Pushed]:
        """Know, while the block runs, a question that the server pushed during one of `calls`."""
        place = {"id": asked.id, "round": 1 if len(calls) == 1 else None}
        return self.pushed_requests.tracking(_request(source, calls, asked.method, asked.params, **place), asked)

    async def put_pushed(self, source: Source, calls: Sequence[Call], pushed: Pushed) -> bool:
        """Show a pushed request to the person; False if its server is muted.

        Raises RefusedError when it may not be put, StorageError when it cannot be stored.
        """
        request = pushed.request
        if not await self._admission.admit(source.server, [request]):
            return False
        pushed.server_request.wants_delivery = True
        try:
            await self._inbox.put([request], _only(calls))
        finally:
            self._admission.release(request)
        await self.pushed_requests.catch_up(pushed)
        await self._unless_muted(source, request)
        return True

    async def round(
        self,
        source: Source,
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
            request = _request(source, [call], "", {}, came=Came.ROUND, round=number, total=len(asked))
            await self._admission.refuse(request, why)
            raise RefusedError(why)
        requests = {
            key: opened.get(key)
            or _request(
                source,
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
        if not await self._admission.admit(source.server, list(new.values())):
            # The server is muted: nothing is put, and each is answered `cancel`; that is shown already.
            return requests | {key: replace(request, state=RequestState.CANCELLED) for key, request in new.items()}
        return requests

    async def required(
        self, source: Source, call: Call, links: Sequence[Json], refused: Sequence[tuple[Json, Reason]], number: int
    ) -> dict[str, InputRequest] | None:
        """Return the links of an error -32042 by their ids; None if its server is muted.

        `links` are their parameters, `refused` are the entries that are not links, and why; they are shown as refused.
        Raises RefusedError when the server may not ask for links.
        """
        # What the server pushed before it ended the call with this error, nobody waits for.
        await self.pushed_requests.end_pushed(call)
        about: dict[str, Any] = {"came": Came.REQUIRED, "kind": "url", "round": number}
        for position, (params, why) in enumerate(refused, start=1):
            shown = _request(source, [call], "", params, **about, position=position)
            await self._admission.refuse(shown, Refusal(Limit.MALFORMED, why, why.code))
        requests = [
            _request(source, [call], "", params, **about, position=position, total=len(links))
            for position, params in enumerate(links, start=1)
        ]
        admitted = await self._admission.admit(source.server, requests)
        return {each.id: each for each in requests} if admitted else None

    async def put(self, source: Source, call: Call, requests: Sequence[InputRequest]) -> None:
        """Put the new questions of a round, which came on `source`, to the person.

        Those that cannot be stored now are put as soon as they can.
        """
        finished = [each for each in await self._inbox.of_call(call) if each.state is RequestState.COMPLETED]
        for request in requests:
            noted = replace(request, reason=_asked_again(request, finished))
            await self._health.until_written(partial(self._inbox.put, [noted], call))
            self._admission.release(request)
            await self._unless_muted(source, noted)

    def release(self, requests: Collection[InputRequest]) -> None:
        """Note that these questions of a round were put, or never will be: they need no place any more."""
        self._admission.release(*requests)

    async def _unless_muted(self, source: Source, request: InputRequest) -> None:
        # The server may have been muted while this was written down, and so was not there to be cancelled.
        if source.server.muted_at:
            await self._inbox.settle(request, RequestState.CANCELLED, muted().reason)

    async def malformed(self, source: Source, calls: Sequence[Call], asked: ServerRequest, error: str) -> None:
        """Show a question that the SDK refused because it is not well-formed; the person learns that there was one."""
        reason = Reason.of(ReasonCode.MALFORMED, error=shortened(error, 500))
        await self._admission.refuse(
            _request(source, calls, asked.method, asked.params), Refusal(Limit.MALFORMED, reason, error)
        )


def _only(calls: Sequence[Call]) -> Call | None:
    return calls[0] if len(calls) == 1 else None


def _request(source: Source, calls: Sequence[Call], method: str, params: Json, **place: Any) -> InputRequest:
    server, call = source.server, _only(calls)
    return InputRequest(
        user_id=server.user_id,
        server_id=server.id,
        call_id=call.id if call else None,
        possible_calls=() if call else tuple(each.id for each in calls),
        params=params,
        asked_by=AskedBy(
            label=server.label,
            address=server.address,
            claims=source.status.claims,
            protocol_version=source.status.protocol_version,
        ),
        during=_during(call) if call else None,
        **{"kind": name_of(method, params), **place},
    )


def _asked_again(request: InputRequest, finished: Sequence[InputRequest]) -> Reason | None:
    """Return what is to be said on the card of a link that was `finished` before in its call, or None."""
    url = request.params.get("url")
    before = [each for each in finished if url is not None and each.params.get("url") == url]
    if not before:
        return request.reason
    if any(each.digest == request.digest for each in before):
        return Reason(ReasonCode.LINK_REPEATED)
    return Reason(ReasonCode.LINK_REPEATED_CHANGED)


def _during(call: Call) -> AskedDuring:
    return AskedDuring(kind=call.kind, name=call.name, arguments=call.shown_arguments, withheld=call.withheld)
