"""The rows that events name, with the servers and counts of every page: one unit of work for all streams of a user."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, select

from webclient.domain.model import Call, InputRequest, ListedRequest, Requester, Server
from webclient.store.calls.calls import calls_by_ids, listed_calls
from webclient.store.database.database import Database, reads
from webclient.store.database.node import Node
from webclient.store.database.sealing import Sealer
from webclient.store.database.sizes import whole_size
from webclient.store.database.tables import calls, requests
from webclient.store.database.user_rows import UserRows, also_own
from webclient.store.requests.drafts import Draft, drafts_by_request
from webclient.store.requests.earlier_requests import declines_of, known_requesters
from webclient.store.requests.request_lists import listed_by_ids
from webclient.store.requests.requests import count_open, count_pending, requests_by_ids
from webclient.store.servers.servers import all_servers
from webclient.support.shared_work import SharedWork

_AMONG: BindParameter[Any] = bindparam("ids", expanding=True)
_REQUEST_SIZES = select(requests.c.id, whole_size).where(also_own(requests), requests.c.id.in_(_AMONG))
_CALL_SIZES = select(calls.c.id, calls.c.size + calls.c.result_size).where(also_own(calls), calls.c.id.in_(_AMONG))


@dataclass(frozen=True, slots=True)
class Changes:
    """Rows by id; one that is gone is missing. `listed` are requests as lists show them.

    `pending` is the number of pending requests by server, `open_count` that of all that are pending or waiting.
    """

    requests: dict[str, InputRequest] = field(default_factory=dict)
    listed: dict[str, ListedRequest] = field(default_factory=dict)
    calls: dict[str, Call] = field(default_factory=dict)
    servers: dict[str, Server] = field(default_factory=dict)
    pending: dict[str, int] = field(default_factory=dict)
    open_count: int = 0


@dataclass(frozen=True, slots=True)
class CardRows:
    """Rows for cards by request: drafts, and how often the same was declined.

    `known` has by server who asked the last question that the user said yes to.
    """

    drafts: dict[str, Draft] = field(default_factory=dict)
    declines: dict[str, int] = field(default_factory=dict)
    known: dict[str, Requester] = field(default_factory=dict)


class UserChanges(UserRows):
    """The rows of one user that events name."""

    def __init__(
        self, database: Database, user_id: str, node: Node, shared: SharedWork[Changes], sealer: Sealer
    ) -> None:
        super().__init__(database, user_id, node)
        self._shared = shared
        self._sealer = sealer

    async def at(
        self, event_id: str, *, request_ids: Collection[str], call_ids: Collection[str], with_servers: bool = False
    ) -> Changes:
        """Return these rows as they are at the event, or later; `with_servers`, also all servers and counts."""
        ids = frozenset(request_ids), frozenset(call_ids)
        key = (self._user_id, event_id, *ids, with_servers)
        return await self._shared.get(key, partial(self.read, *ids, with_servers=with_servers))

    async def listed_at(self, event_id: str, request_ids: Collection[str], call_ids: Collection[str]) -> Changes:
        """Return these rows at the event, or later, as in `read_listed`."""
        ids = frozenset(request_ids), frozenset(call_ids)
        return await self._shared.get((self._user_id, event_id, *ids, "listed"), partial(self.read_listed, *ids))

    @reads
    def sizes(self, db: Connection, request_ids: Collection[str], call_ids: Collection[str]) -> dict[str, int]:
        """Return about how many bytes these rows have, by id."""
        own = self._own()
        found = list(db.execute(_REQUEST_SIZES, {**own, "ids": list(request_ids)})) if request_ids else []
        found += db.execute(_CALL_SIZES, {**own, "ids": list(call_ids)}) if call_ids else []
        return {row[0]: row[1] for row in found}

    @reads
    def read(
        self, db: Connection, request_ids: Collection[str], call_ids: Collection[str], *, with_servers: bool
    ) -> Changes:
        """Return these rows as they are now; `with_servers`, also all servers and counts."""
        own = self._own()
        return Changes(
            requests=requests_by_ids(db, own, request_ids) if request_ids else {},
            calls=calls_by_ids(db, own, call_ids) if call_ids else {},
            **(self._around(db) if with_servers else {}),
        )

    @reads
    def read_listed(self, db: Connection, request_ids: Collection[str] = (), call_ids: Collection[str] = ()) -> Changes:
        """Return these rows as lists show them, with all servers and counts."""
        own = self._own()
        return Changes(
            listed=listed_by_ids(db, own, request_ids) if request_ids else {},
            calls=listed_calls(db, own, call_ids) if call_ids else {},
            **self._around(db),
        )

    def _around(self, db: Connection) -> dict[str, Any]:
        own = self._own()
        return {
            "servers": {server.id: server for server in all_servers(db, own, self._sealer)},
            "pending": count_pending(db, own),
            "open_count": count_open(db, own),
        }

    @reads
    def around_cards(self, db: Connection, request_ids: Collection[str], pending: Sequence[InputRequest]) -> CardRows:
        """Return the drafts for these ids, and facts on earlier requests like the `pending` ones."""
        own = self._own()
        return CardRows(
            drafts_by_request(db, own, request_ids) if request_ids else {},
            declines_of(db, own, pending) if pending else {},
            known_requesters(db, own, pending),
        )
