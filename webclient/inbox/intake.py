"""The one way into the inbox: an `Arrival` is what came from a server, `Intake` admits its requests and shows them.

Requests come pushed (2025-11-25), in a round or with the state of a task (2026-07-28), or as the links of an error. All
of them become input requests in the same way, pass the same admission, and are put into the same inbox.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Protocol

from webclient.domain.model import (
    Call,
    CallContext,
    Came,
    InputRequest,
    Json,
    Reason,
    Requester,
    RequestState,
    Server,
    ServerStatus,
    new_id,
)
from webclient.inbox.admission import Admission
from webclient.inbox.hosted_tasks import new_task_id
from webclient.inbox.inbox import Inbox
from webclient.inbox.kinds import LINK, AutomaticKind, is_automatic, kind_of, recognised
from webclient.inbox.policy import Limit, Refusal, RefusedError, muted
from webclient.inbox.pushed_requests import PushedRequests
from webclient.store import CallChange, Health


class Source(Protocol):
    """A server and the state of its connection, now."""

    @property
    def server(self) -> Server: ...

    @property
    def status(self) -> ServerStatus: ...


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """Input requests that came together, as they came.

    `calls` are the running calls to which they may belong. `entries` have their methods and parameters by the server's
    keys; the key of a pushed request is its id. `malformed` has the reasons of entries that cannot be read, which are
    the last ones. `opened` has the links of entries that the person opened before; they stay as they are. `task_id` is
    the task of the server to which all of them belong, `wire_id` the JSON-RPC id of a pushed one.
    """

    source: Source
    calls: Sequence[Call]
    came: Came
    entries: Mapping[str, Json]
    round: int = 1
    malformed: Mapping[str, Reason] = field(default_factory=dict)
    opened: Mapping[str, InputRequest] = field(default_factory=dict)
    wire_id: str | int | None = None
    task_id: str | None = None

    @property
    def call(self) -> Call | None:
        """The call to which the requests belong, if that is certain."""
        return self.calls[0] if len(self.calls) == 1 else None

    @property
    def total(self) -> int:
        """The number of entries that can be read."""
        return len(self.entries) - len(self.malformed)

    @cached_property
    def requests(self) -> dict[str, InputRequest]:
        """The input requests by key. They are made on the first access: a round may have a hundred thousand."""
        return {
            key: self.opened.get(key) or self.request(position, key, entry)
            for position, (key, entry) in enumerate(self.entries.items(), start=1)
        }

    def request(self, position: int, key: str, entry: Json) -> InputRequest:
        """Make an input request of an entry."""
        server, status = self.source.server, self.source.status
        call = self.call
        params = entry.get("params") or {}
        # An error lists links only, even if one of them is malformed.
        kind = LINK if self.came is Came.REQUIRED else recognised(entry.get("method", ""), params)
        return InputRequest(
            id=key if self.came in (Came.PUSHED, Came.HOSTED) else new_id(),
            user_id=server.user_id,
            server_id=server.id,
            call_id=call.id if call else None,
            possible_calls=() if call else tuple(each.id for each in self.calls),
            kind=kind.name,
            came=self.came,
            hosted_task_id=new_task_id() if self.came is Came.HOSTED else None,
            params=params,
            asked_by=Requester(
                label=server.label,
                address=server.address,
                claims=status.claims,
                protocol_version=status.protocol_version,
            ),
            during=_context(call) if call else None,
            round=self.round if call else None,
            position=position,
            total=self.total,
            task_id=self.task_id,
            wire_id=self.wire_id,
        )


class Intake:
    """Admits the requests of servers, and puts them into the inbox."""

    def __init__(self, inbox: Inbox, admission: Admission, health: Health) -> None:
        self._inbox = inbox
        self._admission = admission
        self._health = health
        self.pushed_requests = PushedRequests(inbox)

    async def admit(self, arrival: Arrival) -> dict[str, InputRequest]:
        """Return the requests of an arrival by key, once they are admitted; `put` or `release` must follow.

        Malformed entries are left out, and shown as refused. Requests of a muted server are cancelled, and shown so
        already. Those that need no person are answered already. Raises RefusedError if any of the others is refused;
        then none is admitted.
        """
        # Before any entry is read.
        if why := self._admission.too_many_at_once(arrival.total):
            await self._admission.refuse(arrival.request(1, "", {}), why)
            raise RefusedError(why)
        for key, reason in arrival.malformed.items():
            await self._admission.refuse(arrival.requests[key], Refusal(Limit.MALFORMED, reason, reason.code))
        requests = {key: each for key, each in arrival.requests.items() if key not in arrival.malformed}
        server = arrival.source.server
        new = {key: each for key, each in requests.items() if key not in arrival.opened}
        if new and not await self._admission.admit(server, list(new.values())):
            requests |= {key: replace(each, state=RequestState.CANCELLED) for key, each in new.items()}
        if any(is_automatic(each) for each in requests.values()):
            # In a thread: the disk may be slow.
            return await asyncio.to_thread(_answered, requests, server)
        return requests

    async def record(self, request: InputRequest) -> None:
        """Show a pushed request that was answered automatically, in the history. Raises StorageError."""
        await self._admission.record(request)

    async def put(
        self,
        source: Source,
        call: Call | None,
        requests: Sequence[InputRequest],
        changes: Collection[CallChange] = (),
    ) -> None:
        """Show admitted requests to the person; `call` is the one to which they belong, `changes` come with them.

        Requests of rounds and errors that cannot be stored now are stored as soon as possible. A pushed request raises
        StorageError, because its server waits and can have an error instead.
        """
        if not requests:
            return
        looks_back = any(kind_of(each).looks_back for each in requests)
        earlier = await self._inbox.of_call(call) if call and looks_back else []
        placed = [kind_of(each).placed(each, earlier) for each in requests]
        put = partial(self._inbox.put, placed, call, changes)
        try:
            await (put() if requests[0].is_by_itself else self._health.until_written(put))
        finally:
            self._admission.release(*requests)
        # The server may have been muted while this was written, when they were not there to be cancelled.
        for request in placed if source.server.muted_at else ():
            await self._inbox.settle(request, RequestState.CANCELLED, muted().reason)

    def release(self, requests: Collection[InputRequest]) -> None:
        """Release the slots of admitted requests that are never put."""
        self._admission.release(*requests)


def _answered(requests: Mapping[str, InputRequest], server: Server) -> dict[str, InputRequest]:
    """Return the requests, with the answers of those that need no person."""
    kinds = {key: kind_of(each) for key, each in requests.items()}
    return {
        key: kind.answered(requests[key], server) if isinstance(kind, AutomaticKind) else requests[key]
        for key, kind in kinds.items()
    }


def _context(call: Call) -> CallContext:
    return CallContext(kind=call.kind, name=call.name, arguments=call.shown_arguments, withheld=call.withheld)
