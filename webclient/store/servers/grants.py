"""The tokens of users for their servers, sealed. A lease has one process at a time renew them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, delete, insert, or_, select, update

from webclient.domain.model import AuditAction, Grant, Json, now
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.own_connection import scrub_after
from webclient.store.database.sealing import LostKeyError, Sealer
from webclient.store.database.tables import grants as table
from webclient.store.database.user_rows import SealedUserRows
from webclient.store.servers.sign_in_rows import check_server
from webclient.store.users.audit import record

_OWN = table.c.user_id == bindparam("of_user")
_OF_SERVER = and_(_OWN, table.c.server_id == bindparam("of_server"))
_IN_VERSION = and_(_OF_SERVER, table.c.version == bindparam("in_version"))

_EVERY = select(table)
_ALL = select(table).where(_OWN)
_GET = select(table).where(_OF_SERVER)
_ADD = insert(table)
_RENEW = update(table).where(_IN_VERSION)
_LEASE = _RENEW.where(or_(table.c.lease_until.is_(None), table.c.lease_until < bindparam("at")))
_REMOVE = delete(table).where(_OF_SERVER)


class UserGrants(SealedUserRows):
    """The tokens of one user."""

    @reads
    def get(self, db: Connection, server_id: str) -> Grant | None:
        """Return the tokens for a server; None if there are none, or their key is lost."""
        return next(iter(_readable(db.execute(_GET, self._own(of_server=server_id)), self._sealer)), None)

    @reads
    def all(self, db: Connection) -> list[Grant]:
        """Return all tokens of the user."""
        return _readable(db.execute(_ALL, self._own()), self._sealer)

    @writes
    def save(self, db: Connection, grant: Grant) -> None:
        """Store the tokens of a new sign-in in place of earlier ones, without a lease.

        Raises NotFoundError without their server.
        """
        self._check_owner(grant.user_id)
        check_server(db, self._own(), grant.server_id)
        db.execute(_REMOVE, self._own(of_server=grant.server_id))
        db.execute(_ADD, _columns(grant, self._sealer))
        details = {"issuer": grant.issuer, "scopes": grant.scopes}
        record(db, AuditAction.SERVER_SIGNED_IN, object=grant.server_id, details=details)

    @writes
    def renew(self, db: Connection, grant: Grant) -> bool:
        """Store renewed tokens of the `version` before, and end the lease; False if those are not there any more.

        So what a sign-out or a new sign-in has replaced meanwhile does not come back.
        """
        self._check_owner(grant.user_id)
        columns = _columns(grant, self._sealer)
        return db.execute(_RENEW, self._of(grant.server_id, grant.version - 1) | columns).rowcount > 0

    @writes
    def lease(self, db: Connection, server_id: str, version: int, until: datetime) -> bool:
        """Take the right to renew this version of the tokens; False if another has it, or has renewed them."""
        wanted = self._of(server_id, version) | {"at": now(), "lease_until": until}
        return db.execute(_LEASE, wanted).rowcount > 0

    @writes
    def end_lease(self, db: Connection, server_id: str, version: int) -> bool:
        """Give the right back, because they could not be renewed; False if this version is not there any more."""
        return db.execute(_RENEW, self._of(server_id, version) | {"lease_until": None}).rowcount > 0

    @writes
    def remove(self, db: Connection, server_id: str, *, refused: bool = False) -> None:
        """Remove the tokens for a server; if it has `refused` them, no person did, so that is not audited."""
        if db.execute(_REMOVE, self._own(of_server=server_id)).rowcount:
            if not refused:
                record(db, AuditAction.SERVER_SIGNED_OUT, object=server_id)
            scrub_after(db)

    def _of(self, server_id: str, version: int) -> Json:
        return self._own(of_server=server_id, in_version=version)


class SystemGrants(UsesDatabase):
    """The tokens of all users."""

    def __init__(self, database: Database, sealer: Sealer) -> None:
        super().__init__(database)
        self._sealer = sealer

    @reads
    def all(self, db: Connection) -> list[Grant]:
        """Return all tokens whose key is there."""
        return _readable(db.execute(_EVERY), self._sealer)


def _columns(grant: Grant, sealer: Sealer) -> Json:
    names = [column.name for column in table.columns if column.name != "lease_until"]
    sealed = sealer.seal(grant.secrets, *_row_name(grant))
    return {name: getattr(grant, name) for name in names} | {"lease_until": None, "secrets": sealed}


def _row_name(row: Any) -> tuple[str, ...]:
    return table.name, row.user_id, row.server_id


def _readable(rows: Iterable[Row[Any]], sealer: Sealer) -> list[Grant]:
    """Return the tokens of the rows whose key is there; of the others, the user signs in again."""
    found = []
    for row in rows:
        values = dict(row._mapping)
        del values["lease_until"]
        try:
            values["secrets"] = sealer.open(row.secrets, *_row_name(row))
        except LostKeyError:
            continue
        found.append(Grant(**values | {"requested": tuple(row.requested), "scopes": tuple(row.scopes)}))
    return found
