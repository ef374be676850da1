"""The configured servers of each user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import AuditAction, Json, Server
from webclient.store.database.database import reads, writes
from webclient.store.database.own_connection import scrub_after
from webclient.store.database.sealing import Sealer
from webclient.store.database.tables import servers
from webclient.store.database.user_rows import SealedUserRows
from webclient.store.requests.samplings import remove_spent
from webclient.store.servers.server_secrets import (
    audited_permissions,
    audited_server,
    changed_columns,
    sealed_columns,
    server_of,
)
from webclient.store.servers.sign_in_rows import remove_sign_ins
from webclient.store.servers.task_choices import remove_task_choices
from webclient.store.users.audit import of_another, record

_OWN = servers.c.user_id == bindparam("of_user")
_WITH_ID = servers.c.id == bindparam("with_id")

_ALL = select(servers).where(_OWN).order_by(servers.c.created_at)
_GET = select(servers).where(_OWN, _WITH_ID)
_LEARNED = select(servers.c.learned).where(_OWN, _WITH_ID)
_ADD = insert(servers)
_CHANGE = update(servers).where(_OWN, _WITH_ID)
_REMOVE = delete(servers).where(_OWN, servers.c.id.in_(bindparam("ids", expanding=True)))


class UserServers(SealedUserRows):
    """The servers of one user, with their secrets."""

    @reads
    def all(self, db: Connection) -> list[Server]:
        """Return the servers in the order in which they were added."""
        return all_servers(db, self._own(), self._sealer)

    @reads
    def get(self, db: Connection, server_id: str) -> Server:
        """Return one server; raises NotFoundError, also for a server of another user."""
        found = db.execute(_GET, self._own(with_id=server_id)).one_or_none()
        if found is None:
            raise NotFoundError(_("This server does not exist. It may have been removed."))
        return server_of(found, self._sealer)

    @writes
    def add(self, db: Connection, server: Server) -> None:
        """Add a new server."""
        self._check_owner(server.user_id)
        row = asdict(server) | {"sampling": server.sampling.to_json()} | sealed_columns(server, self._sealer)
        del row["lost"]
        db.execute(_ADD, row)
        if server.name is None:
            record(db, AuditAction.SERVER_ADDED, object=server.id, details=audited_server(server))

    @writes
    def change(self, db: Connection, server: Server) -> None:
        """Save what the user can change: label, transport, sign-in, era, modes, roots, the rule for sampling, mute.

        Secrets that are lost stay as they are until the user enters them again: their key may come back.
        """
        changed = {
            name: getattr(server, name)
            for name in ("label", "era", "modes", "muted_at", "log_level", "followed", "extensions_off")
        }
        changed["roots"] = None if server.roots is None else [asdict(root) for root in server.roots]
        changed["sampling"] = server.sampling.to_json()
        stored = db.execute(_GET, self._own(with_id=server.id)).one_or_none()
        if stored is not None:
            changed |= changed_columns(stored, server, self._sealer)
            _record_change(db, server_of(stored, self._sealer), server)
        db.execute(_CHANGE, self._own(with_id=server.id, **changed))

    @writes
    def reconnect(self, db: Connection, server_id: str, reconnects: bool) -> None:
        """Save whether the server is connected when its user comes back."""
        db.execute(_CHANGE, self._own(with_id=server_id, reconnects=reconnects))

    @writes
    def learn(self, db: Connection, server: Server) -> None:
        """Save what was learned about the server, if it is new."""
        if db.execute(_LEARNED, self._own(with_id=server.id)).scalar() != server.learned:
            db.execute(_CHANGE, self._own(with_id=server.id, learned=server.learned))

    @writes
    def remove(self, db: Connection, server_ids: Sequence[str]) -> None:
        """Remove these servers, with what belongs to them alone: sign-ins, choices for tools, use of models."""
        removed = [row for server_id in server_ids for row in db.execute(_GET, self._own(with_id=server_id))]
        if db.execute(_REMOVE, self._own(ids=list(server_ids))).rowcount:
            for row in removed:
                details = audited_server(server_of(row, self._sealer)) | of_another(self._user_id)
                record(db, AuditAction.SERVER_REMOVED, object=row.id, details=details)
            remove_sign_ins(db, self._own(), server_ids)
            remove_task_choices(db, self._own(), server_ids)
            remove_spent(db, self._own(), server_ids)
            scrub_after(db)


def all_servers(db: Connection, own: Json, sealer: Sealer) -> list[Server]:
    """Return all servers, oldest first, within a unit of work; `own` names the user."""
    return [server_of(row, sealer) for row in db.execute(_ALL, own)]


def _record_change(db: Connection, before: Server, after: Server) -> None:
    """Record a change of what an administrator cares about: where the server is, how, and what it may do."""
    earlier, later = [audited_server(each) | audited_permissions(each) for each in (before, after)]
    changed = {name: value for name, value in later.items() if value != earlier.get(name)}
    gone = {name: None for name in earlier if name not in later}
    if before.transport.get("headers") != after.transport.get("headers"):
        # The names alone: a new value of the same header is a change as well.
        changed["headers"] = sorted(after.transport.get("headers") or ())
    if before.oauth != after.oauth:
        changed["sign_in"] = sorted(after.oauth)
    if changed or gone:
        details = {"label": after.label, "changed": [*changed, *gone], **changed}
        record(db, AuditAction.SERVER_CHANGED, object=after.id, details=details)
