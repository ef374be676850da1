"""The programs of other users that a user has muted: an administrator lets them ask, and the user decides for one."""

from __future__ import annotations

from sqlalchemy import Connection, and_, bindparam, delete, insert, select

from webclient.domain.model import AuditAction, MutedProgram, now
from webclient.store.database.database import reads, writes
from webclient.store.database.program_tables import muted_programs as table
from webclient.store.database.tables import requests
from webclient.store.database.user_rows import UserRows, also_own
from webclient.store.users.audit import record

_OWN = table.c.user_id == bindparam("of_user")
_THIS = and_(_OWN, table.c.asker_id == bindparam("of_asker"))
_ALL = select(table.c.asker_id, table.c.label, table.c.muted_at).where(_OWN).order_by(table.c.asker_id)
_ASKER = select(requests.c.server_id, requests.c.asked_by).where(
    requests.c.id == bindparam("with_id"), also_own(requests)
)
_GET = select(table.c.asker_id).where(_THIS)


class UserMutedPrograms(UserRows):
    """The programs that one user has muted."""

    @reads
    def all(self, db: Connection) -> list[MutedProgram]:
        """Return all of them."""
        return [MutedProgram(**row._mapping) for row in db.execute(_ALL, self._own())]

    @reads
    def has(self, db: Connection, asker_id: str) -> bool:
        """Return whether the user has muted a program."""
        return db.execute(_GET, self._own(of_asker=asker_id)).first() is not None

    @writes
    def add(self, db: Connection, request_id: str) -> bool:
        """Mute the program of a request; False if it was muted before, or if there is no such request."""
        row = db.execute(_ASKER, self._own(with_id=request_id)).one_or_none()
        if row is None or db.execute(_GET, self._own(of_asker=row.server_id)).first() is not None:
            return False
        label = str(row.asked_by["label"])
        columns = {"user_id": self._user_id, "asker_id": row.server_id, "label": label, "muted_at": now()}
        db.execute(insert(table), columns)
        record(db, AuditAction.PROGRAM_MUTED, object=row.server_id, details={"label": label})
        return True

    @writes
    def remove(self, db: Connection, asker_id: str) -> bool:
        """Unmute a program; False if it was not muted."""
        if not db.execute(delete(table).where(_THIS), self._own(of_asker=asker_id)).rowcount:
            return False
        record(db, AuditAction.PROGRAM_UNMUTED, object=asker_id)
        return True
