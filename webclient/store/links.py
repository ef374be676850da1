"""The links among the input requests: which were opened, and which are waited for."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import select

from webclient.model import InputRequest, RequestState
from webclient.store.request_columns import request_of
from webclient.store.tables import requests
from webclient.store.user_rows import UserRows


class UserLinks(UserRows):
    """The links among one user's requests."""

    async def opened(self, server_ids: Collection[str], limit: int = 1000) -> list[tuple[str, str, datetime]]:
        """Return server, URL and time of the newest opened links of these servers."""
        found = (
            select(requests.c.server_id, requests.c.params["url"].as_string(), requests.c.created_at)
            .where(requests.c.user_id == self._user_id, requests.c.server_id.in_(list(server_ids)))
            .where(requests.c.opened_at.is_not(None))
            .order_by(requests.c.created_at.desc())
            .limit(limit)
        )
        async with self._engine.connect() as db:
            return [(row[0], row[1] or "", row[2]) for row in await db.execute(found)]

    async def waiting_for(self, server_id: str, elicitation_ids: Collection[str]) -> list[InputRequest]:
        """Return the opened links of this server that wait for one of these `elicitationId`s."""
        waiting = select(requests).where(
            requests.c.user_id == self._user_id,
            requests.c.server_id == server_id,
            requests.c.state == RequestState.WAITING,
            requests.c.params["elicitationId"].as_string().in_(list(elicitation_ids)),
        )
        async with self._engine.connect() as db:
            return [request_of(row) for row in await db.execute(waiting)]
