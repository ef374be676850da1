"""Sampling requests: where each stands while it is pending, and what each server has used of models on a day."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, delete, insert, select, update

from webclient.domain.model import InputRequest, Json, RequestState, Sampling, Spent, Stage, Usage, now
from webclient.store.database.database import reads, writes
from webclient.store.database.node import Node
from webclient.store.database.tables import requests, sampling_spent, servers
from webclient.store.database.user_rows import UserRows, also_own
from webclient.store.requests.request_columns import request_of

MOST_DAYS = 31
"""Days after which sums are deleted."""

_PENDING = (
    also_own(requests),
    requests.c.id == bindparam("with_id"),
    requests.c.state == RequestState.PENDING,
)
_GET = select(requests).where(*_PENDING).with_for_update()
_CHANGE = update(requests).where(*_PENDING).returning(requests)
_LEFT = select(requests).where(requests.c.state == RequestState.PENDING, requests.c.kind == "sampling")

_OF_SERVER = (
    sampling_spent.c.user_id == bindparam("of_user"),
    sampling_spent.c.server_id == bindparam("of_server"),
)
_SERVER = select(servers.c.id).where(servers.c.user_id == bindparam("of_user"), servers.c.id == bindparam("of_server"))
_SPENT = select(sampling_spent).where(*_OF_SERVER, sampling_spent.c.day == bindparam("of_day"))
_SPEND = update(sampling_spent).where(*_OF_SERVER, sampling_spent.c.day == bindparam("of_day"))
_REMOVE = delete(sampling_spent).where(
    sampling_spent.c.user_id == bindparam("of_user"),
    sampling_spent.c.server_id.in_(bindparam("servers", expanding=True)),
)
_OLD = delete(sampling_spent).where(*_OF_SERVER)


class UserSamplings(UserRows):
    """The sampling requests of one user."""

    @writes
    def change(
        self, db: Connection, request_id: str, sampling: Sampling, stages: Collection[Stage]
    ) -> InputRequest | None:
        """Save where a pending request stands; None if it is settled, or not in one of the `stages`."""
        row = db.execute(_GET, self._own(with_id=request_id)).one_or_none()
        if row is None or Sampling.from_json(row.sampling or {}).stage not in stages:
            return None
        changed = db.execute(_CHANGE, self._own(with_id=request_id, sampling=sampling.to_json())).one()
        return request_of(changed)

    @reads
    def spent(self, db: Connection, server_id: str) -> Spent:
        """Return what the server has used today, in UTC."""
        return self._spent(db, server_id, Spent(), _SPENT)

    @writes
    def spend(self, db: Connection, server_id: str, usage: Usage) -> Spent:
        """Add one use of a model to those of today, and return their sums; nothing for a server that is gone."""
        today = Spent()
        if db.execute(_SERVER, self._own(of_server=server_id)).scalar() is None:
            return today
        before = self._spent(db, server_id, today, _SPENT.with_for_update())
        after = before.plus(usage)
        values = {"requests": after.requests, "tokens": after.tokens, "costs": after.costs}
        here = self._own(of_server=server_id, of_day=today.day)
        if not db.execute(_SPEND, here | values).rowcount:
            key = {"user_id": self._user_id, "server_id": server_id, "day": today.day}
            db.execute(insert(sampling_spent), key | values)
            first = now().date().fromordinal(now().date().toordinal() - MOST_DAYS).isoformat()
            db.execute(_OLD.where(sampling_spent.c.day < first), self._own(of_server=server_id))
        return after

    def _spent(self, db: Connection, server_id: str, today: Spent, query: Select[Any]) -> Spent:
        row = db.execute(query, self._own(of_server=server_id, of_day=today.day)).one_or_none()
        return _read(row) if row else today


def remove_spent(db: Connection, own: Json, server_ids: Collection[str]) -> None:
    """Remove the sums of servers that are removed, within a unit of work; `own` names the user."""
    db.execute(_REMOVE, {**own, "servers": list(server_ids)})


def of_user(query: Select[Any], user_id: str | None) -> Select[Any]:
    """Return a query for requests of one user, or as it is."""
    return query if user_id is None else query.where(requests.c.user_id == user_id)


def left_generating(db: Connection, node: Node, user_id: str | None = None) -> list[InputRequest]:
    """Return this run's pending requests, or a user's, whose model worked before."""
    found = (request_of(row) for row in db.execute(of_user(_LEFT.where(node.owns(requests)), user_id)))
    return [each for each in found if each.sampling and each.sampling.stage is Stage.GENERATING]


def _read(row: Row[Any]) -> Spent:
    return Spent(requests=row.requests, tokens=row.tokens, costs=row.costs, day=row.day)
