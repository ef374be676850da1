"""The sign-ins that wait for a user, one for each server at most; what finishes them is sealed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, delete, insert, select, update

from webclient.domain.model import Json, PendingSignIn, now
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.own_connection import scrub_after
from webclient.store.database.sealing import LostKeyError, Sealer
from webclient.store.database.tables import pending_sign_ins as table
from webclient.store.database.user_rows import SealedUserRows
from webclient.store.servers.sign_in_rows import check_server

_OWN = table.c.user_id == bindparam("of_user")
_OF_SERVER = and_(_OWN, table.c.server_id == bindparam("of_server"))
_WITH_ID = and_(_OWN, table.c.id == bindparam("with_id"))
_WITH_STATE = table.c.state_hash == bindparam("with_state")
_UNUSED = table.c.used_at.is_(None)

_WAITING = select(table).where(_UNUSED, table.c.expires_at > bindparam("at"))
_ALL = _WAITING.where(_OWN)
_PENDING = _WAITING.where(_OF_SERVER)
_LATEST = select(table).where(_OF_SERVER)
_GET = select(table).where(_WITH_ID)
_BY_STATE = select(table).where(_WITH_STATE)
_ADD = insert(table)
_CHANGE = update(table).where(_WITH_ID, _UNUSED)
_USE = update(table).where(_WITH_STATE, _OWN, _UNUSED).returning(table)
_REMOVE = delete(table).where(_OF_SERVER)


class UserSignIns(SealedUserRows):
    """The sign-ins that wait for one user."""

    @reads
    def pending(self, db: Connection, server_id: str) -> PendingSignIn | None:
        """Return the sign-in that waits for the user; None if there is none, or it is used, expired or unreadable."""
        return _one(db.execute(_PENDING, self._own(of_server=server_id, at=now())).one_or_none(), self._sealer)

    @reads
    def get(self, db: Connection, sign_in_id: str) -> PendingSignIn | None:
        """Return a sign-in by its id, also one that is used or has expired."""
        return _one(db.execute(_GET, self._own(with_id=sign_in_id)).one_or_none(), self._sealer)

    @reads
    def latest(self, db: Connection, server_id: str) -> PendingSignIn | None:
        """Return the last sign-in to this server, also one that is used or has expired; None if it was dropped."""
        return _one(db.execute(_LATEST, self._own(of_server=server_id)).one_or_none(), self._sealer)

    @reads
    def all(self, db: Connection) -> list[PendingSignIn]:
        """Return all sign-ins that wait for the user."""
        return _readable(db.execute(_ALL, self._own(at=now())).all(), self._sealer)

    @writes
    def put(self, db: Connection, pending: PendingSignIn) -> None:
        """Add a sign-in in place of the one that its server has; raises NotFoundError without that server."""
        self._check_owner(pending.user_id)
        check_server(db, self._own(), pending.server_id)
        db.execute(_REMOVE, self._own(of_server=pending.server_id))
        db.execute(_ADD, _columns(pending, self._sealer))

    @writes
    def change(self, db: Connection, pending: PendingSignIn) -> bool:
        """Save a changed sign-in; False if it was used, replaced or dropped meanwhile, and then nothing is changed."""
        self._check_owner(pending.user_id)
        columns = _columns(pending, self._sealer)
        return db.execute(_CHANGE, self._own(with_id=columns.pop("id"), **columns)).rowcount > 0

    @writes
    def use(self, db: Connection, state_hash: str, at: datetime) -> PendingSignIn | None:
        """Mark the sign-in with this state as used, and return it; None if it was used before, or is unknown.

        Of several browsers that come back with one state, exactly one gets it. It may have expired.
        """
        used = db.execute(_USE, self._own(with_state=state_hash, used_at=at)).one_or_none()
        return _one(used, self._sealer)

    @writes
    def remove(self, db: Connection, server_id: str) -> None:
        """Remove the sign-in of this server."""
        if db.execute(_REMOVE, self._own(of_server=server_id)).rowcount:
            scrub_after(db)


class SystemSignIns(UsesDatabase):
    """The sign-ins of all users."""

    def __init__(self, database: Database, sealer: Sealer) -> None:
        super().__init__(database)
        self._sealer = sealer

    @reads
    def all(self, db: Connection) -> list[PendingSignIn]:
        """Return all sign-ins that wait for their users."""
        return _readable(db.execute(_WAITING, {"at": now()}).all(), self._sealer)

    @reads
    def by_state(self, db: Connection, state_hash: str) -> PendingSignIn | None:
        """Return the sign-in with this state, for a browser without a session; also if it is used or has expired."""
        return _one(db.execute(_BY_STATE, {"with_state": state_hash}).one_or_none(), self._sealer)


def _columns(pending: PendingSignIn, sealer: Sealer) -> Json:
    columns = {column.name: getattr(pending, column.name) for column in table.columns}
    # The address has the state in it, which is as good as a password until it is used.
    secret = {"secrets": pending.secrets, "authorization_url": pending.authorization_url}
    return columns | {"secrets": sealer.seal(secret, *_row_name(pending))}


def _row_name(row: Any) -> tuple[str, ...]:
    return table.name, row.user_id, row.server_id, row.id


def _one(row: Row[Any] | None, sealer: Sealer) -> PendingSignIn | None:
    return next(iter(_readable([row], sealer)), None) if row is not None else None


def _readable(rows: Any, sealer: Sealer) -> list[PendingSignIn]:
    """Return the sign-ins of the rows whose key is there; of the others, the user begins a new one."""
    found = []
    for row in rows:
        try:
            secret = sealer.open(row.secrets, *_row_name(row))
        except LostKeyError:
            continue
        scopes = {"scopes": tuple(row.scopes), "new_scopes": tuple(row.new_scopes)}
        found.append(PendingSignIn(**{**row._mapping, **scopes, **secret}))
    return found
