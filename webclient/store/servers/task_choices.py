"""The tools that a user wants to run as a task wherever the server leaves the choice."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from sqlalchemy import Connection, and_, bindparam, delete, insert, select

from webclient.domain.model import Json
from webclient.store.database.database import reads, writes
from webclient.store.database.tables import task_choices as table
from webclient.store.database.user_rows import UserRows
from webclient.store.servers.sign_in_rows import check_server

_OF_TOOL = and_(
    table.c.user_id == bindparam("of_user"),
    table.c.server_id == bindparam("of_server"),
    table.c.tool_digest == bindparam("of_tool"),
)
_FIND = select(table.c.tool_digest).where(_OF_TOOL)
_ADD = insert(table)
_REMOVE = delete(table).where(_OF_TOOL)
_REMOVE_OF_SERVERS = delete(table).where(
    table.c.user_id == bindparam("of_user"), table.c.server_id.in_(bindparam("ids", expanding=True))
)


class UserTaskChoices(UserRows):
    """The choices of one user, by server and tool; without one, a tool runs plainly."""

    @reads
    def get(self, db: Connection, server_id: str, tool: str) -> bool:
        """Return whether the user runs this tool as a task."""
        return db.execute(_FIND, self._of(server_id, tool)).one_or_none() is not None

    @writes
    def save(self, db: Connection, server_id: str, tool: str, *, as_task: bool) -> None:
        """Remember the choice for this tool; raises NotFoundError without the server."""
        check_server(db, self._own(), server_id)
        own = self._of(server_id, tool)
        chosen = db.execute(_FIND, own).one_or_none() is not None
        if as_task and not chosen:
            db.execute(_ADD, {"user_id": self._user_id, "server_id": server_id, "tool_digest": own["of_tool"]})
        elif chosen and not as_task:
            db.execute(_REMOVE, own)

    def _of(self, server_id: str, tool: str) -> Json:
        # The name is the server's: any text of any length.
        digest = sha256(tool.encode("utf-8", "surrogatepass")).hexdigest()
        return self._own(of_server=server_id, of_tool=digest)


def remove_task_choices(db: Connection, own: Json, server_ids: Sequence[str]) -> None:
    """Remove the choices for these servers, within a unit of work; `own` names the user."""
    db.execute(_REMOVE_OF_SERVERS, {**own, "ids": list(server_ids)})
