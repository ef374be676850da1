"""How often a user was asked for more scopes of a server, so that it cannot go on asking."""

from __future__ import annotations

from hashlib import sha256

from sqlalchemy import Connection, and_, bindparam, delete, insert, select, update

from webclient.domain.model import now
from webclient.store.database.database import reads, writes
from webclient.store.database.tables import step_ups as table
from webclient.store.database.user_rows import UserRows
from webclient.store.servers.sign_in_rows import check_server

_OF_SERVER = and_(table.c.user_id == bindparam("of_user"), table.c.server_id == bindparam("of_server"))
_OF_SCOPE = and_(_OF_SERVER, table.c.scope_digest == bindparam("of_scope"))

_COUNT = select(table.c.count).where(_OF_SCOPE)
_INCREASE = update(table).where(_OF_SCOPE).values(count=table.c.count + 1)
_ADD = insert(table)
_CLEAR = delete(table).where(_OF_SERVER)


class UserStepUps(UserRows):
    """How often one user was asked for more scopes (MCP, Authorization, Step-Up Authorization Flow)."""

    @reads
    def count(self, db: Connection, server_id: str, scope: str) -> int:
        """Return how often the user was asked for this scope in the last day."""
        found = db.execute(_COUNT, self._own(of_server=server_id, of_scope=_digest(scope)))
        return found.scalar_one_or_none() or 0

    @writes
    def add(self, db: Connection, server_id: str, scope: str) -> None:
        """Count that the user is asked once more; raises NotFoundError without the server."""
        check_server(db, self._own(), server_id)
        digest = _digest(scope)
        if not db.execute(_INCREASE, self._own(of_server=server_id, of_scope=digest, last_at=now())).rowcount:
            row = {"user_id": self._user_id, "server_id": server_id, "scope_digest": digest}
            db.execute(_ADD, row | {"count": 1, "last_at": now()})

    @writes
    def remove(self, db: Connection, server_id: str) -> None:
        """Begin to count from zero for the server."""
        db.execute(_CLEAR, self._own(of_server=server_id))


def _digest(scope: str) -> str:
    return sha256(scope.encode("utf-8", "surrogatepass")).hexdigest()
