"""The sessions in which work goes on without a connection, sealed: who knows the id of one can speak in it."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import Connection, and_, bindparam, delete, insert, select

from webclient.domain.model import SavedSession
from webclient.store.database.database import reads, writes
from webclient.store.database.own_connection import scrub_after
from webclient.store.database.sealing import LostKeyError
from webclient.store.database.tables import saved_sessions as table
from webclient.store.database.user_rows import SealedUserRows
from webclient.store.servers.sign_in_rows import check_server

_OF_SERVER = and_(table.c.user_id == bindparam("of_user"), table.c.server_id == bindparam("of_server"))

_GET = select(table).where(_OF_SERVER)
_ADD = insert(table)
_REMOVE = delete(table).where(_OF_SERVER)


class UserSavedSessions(SealedUserRows):
    """The saved sessions of one user, one for each server at most."""

    @reads
    def get(self, db: Connection, server_id: str) -> SavedSession | None:
        """Return the saved session with a server; None if there is none, or its key is lost."""
        row = db.execute(_GET, self._own(of_server=server_id)).one_or_none()
        if row is None:
            return None
        try:
            return SavedSession(**self._sealer.open(row.secrets, table.name, row.user_id, row.server_id))
        except LostKeyError:
            return None

    @writes
    def save(self, db: Connection, saved: SavedSession) -> None:
        """Store the session in place of an earlier one. Raises NotFoundError without its server."""
        self._check_owner(saved.user_id)
        check_server(db, self._own(), saved.server_id)
        sealed = self._sealer.seal(asdict(saved), table.name, saved.user_id, saved.server_id)
        db.execute(_REMOVE, self._own(of_server=saved.server_id))
        db.execute(_ADD, {"user_id": saved.user_id, "server_id": saved.server_id, "secrets": sealed})

    @writes
    def remove(self, db: Connection, server_id: str) -> None:
        """Forget the session."""
        if db.execute(_REMOVE, self._own(of_server=server_id)).rowcount:
            scrub_after(db)
