"""An `Arrival`: what came together from a server, and the input requests that it becomes.

Requests come pushed (2025-11-25), in a round or with the state of a task (2026-07-28), or as the links of an error. All
of them become input requests in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from webclient.domain.model import (
    Call,
    CallContext,
    InputRequest,
    Json,
    Origin,
    Reason,
    Requester,
    RequesterIds,
    Server,
    ServerRequest,
    ServerStatus,
    new_id,
)
from webclient.inbox.hosted_tasks import new_task_id
from webclient.inbox.kinds import LINK, recognised
from webclient.inbox.open_calls import OpenCall


class Source(Protocol):
    """A server and the state of its connection, now; `interrupted` says why its last session ended."""

    @property
    def server(self) -> Server: ...

    @property
    def status(self) -> ServerStatus: ...

    @property
    def interrupted(self) -> Reason | None: ...


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """Input requests that came together, as they came.

    `calls` are the running calls to which they may belong. `entries` have their methods and parameters by the server's
    keys; the key of a pushed request is its id. `malformed` has the reasons of entries that cannot be read, which are
    the last ones. `opened` has the links of entries that the person opened before; they stay as they are. All of them
    have the `ids`.
    """

    source: Source
    calls: Sequence[OpenCall]
    origin: Origin
    entries: Mapping[str, Json]
    round: int = 1
    malformed: Mapping[str, Reason] = field(default_factory=dict)
    opened: Mapping[str, InputRequest] = field(default_factory=dict)
    ids: RequesterIds = field(default_factory=RequesterIds)

    @classmethod
    def pushed(
        cls,
        source: Source,
        calls: Sequence[OpenCall],
        request: ServerRequest,
        *,
        origin: Origin = Origin.PUSHED,
        malformed: Reason | None = None,
    ) -> Arrival:
        """Return the arrival of one request of the server; `malformed` is why it cannot be read."""
        return cls(
            source=source,
            calls=calls,
            origin=origin,
            entries={request.id: {"method": request.method, "params": request.params}},
            malformed={request.id: malformed} if malformed else {},
            ids=RequesterIds(wire_id=request.wire_id, task_id=request.task_id),
        )

    @property
    def call(self) -> Call | None:
        """The call to which the requests belong, if that is certain."""
        return self.calls[0].call if len(self.calls) == 1 else None

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
        kind = LINK if self.origin is Origin.REQUIRED else recognised(entry.get("method", ""), params)
        return InputRequest(
            id=key if self.origin in (Origin.PUSHED, Origin.HOSTED) else new_id(),
            user_id=server.user_id,
            server_id=server.id,
            call_id=call.id if call else None,
            possible_calls=() if call else tuple(each.call.id for each in self.calls),
            kind=kind.name,
            origin=self.origin,
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
            ids=replace(self.ids, hosted_task_id=new_task_id()) if self.origin is Origin.HOSTED else self.ids,
        )


def _context(call: Call) -> CallContext:
    agent = call.agent
    return CallContext(
        kind=call.kind,
        name=call.name,
        arguments=call.shown_arguments,
        withheld=call.withheld,
        agent=agent.label if agent else "",
        agent_claims=agent.claims if agent else "",
    )
