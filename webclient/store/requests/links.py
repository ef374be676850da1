"""The links among the input requests: which were opened, and which are waited for."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from webclient.domain.model import InputRequest, RequestState
from webclient.store.database.database import reads
from webclient.store.database.tables import requests
from webclient.store.database.user_rows import UserRows
from webclient.store.requests.request_columns import request_of

_OWN = requests.c.user_id == bindparam("of_user")

_OPENED = (
    select(requests.c.server_id, requests.c.params["url"].as_string(), requests.c.created_at)
    .where(_OWN, requests.c.server_id.in_(bindparam("servers", expanding=True)), requests.c.opened_at.is_not(None))
    .order_by(requests.c.created_at.desc())
    .limit(bindparam("most"))
)
_WAITING_FOR = select(requests).where(
    _OWN,
    requests.c.server_id == bindparam("of_server"),
    requests.c.state == RequestState.WAITING,
    requests.c.params["elicitationId"].as_string().in_(bindparam("ids", expanding=True)),
)


class UserLinks(UserRows):
    """The links among one user's requests."""

    @reads
    def opened(self, db: Connection, server_ids: Collection[str], limit: int = 1000) -> list[tuple[str, str, datetime]]:
        """Return server, URL and time of the newest opened links of these servers."""
        found = db.execute(_OPENED, self._own(servers=list(server_ids), most=limit))
        return [(row[0], row[1] or "", row[2]) for row in found]

    @reads
    def waiting_for(self, db: Connection, server_id: str, elicitation_ids: Collection[str]) -> list[InputRequest]:
        """Return the opened links of this server that wait for one of these `elicitationId`s."""
        found = db.execute(_WAITING_FOR, self._own(of_server=server_id, ids=list(elicitation_ids)))
        return [request_of(row) for row in found]
