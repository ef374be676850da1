"""Deletes what sign-ins have left: with their server, when they are over, or when they are too old.

All functions run within a unit of work; `own` names the user.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from sqlalchemy import Connection, and_, bindparam, delete, exists, or_, select

from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json, now
from webclient.store.database.tables import grants, pending_sign_ins, registrations, saved_sessions, servers, step_ups

OVER = timedelta(days=1)
"""How long the row of a sign-in that is over can still tell a browser that comes back late what has happened."""

FORGET = timedelta(days=1)
"""How long it is remembered how often a user was asked for more scopes."""

OF_SERVER = "server:"
"""In place of an issuer, before the id of the server whose settings name the client."""

_OF_SERVERS = (pending_sign_ins, grants, step_ups, saved_sessions)

_SERVER = select(servers.c.id).where(servers.c.user_id == bindparam("of_user"), servers.c.id == bindparam("of_server"))


def check_server(db: Connection, own: Json, server_id: str) -> None:
    """Raise NotFoundError unless the user has this server: one that was removed gets no new rows."""
    if db.execute(_SERVER, {**own, "of_server": server_id}).one_or_none() is None:
        raise NotFoundError(_("This server does not exist. It may have been removed."))


def remove_sign_ins(db: Connection, own: Json, server_ids: Collection[str]) -> None:
    """Remove all rows of these servers, and registrations with issuers that no other server uses."""
    for table in _OF_SERVERS:
        db.execute(delete(table).where(table.c.user_id == own["of_user"], table.c.server_id.in_(list(server_ids))))
    used = or_(
        *(
            exists().where(table.c.user_id == registrations.c.user_id, table.c.issuer == registrations.c.issuer)
            for table in (pending_sign_ins, grants)
        )
    )
    of_issuers = and_(~registrations.c.issuer.startswith(OF_SERVER), ~used)
    of_servers = registrations.c.issuer.in_([f"{OF_SERVER}{server_id}" for server_id in server_ids])
    db.execute(delete(registrations).where(registrations.c.user_id == own["of_user"], or_(of_issuers, of_servers)))


def purge_sign_ins(db: Connection) -> int:
    """Purge what is over of the sign-ins of all users; return how many rows."""
    moment = now()
    conditions = (
        delete(pending_sign_ins).where(pending_sign_ins.c.expires_at < moment - OVER),
        delete(step_ups).where(step_ups.c.last_at < moment - FORGET),
        *(
            delete(table).where(
                ~exists().where(and_(servers.c.id == table.c.server_id, servers.c.user_id == table.c.user_id))
            )
            for table in _OF_SERVERS
        ),
    )
    return sum(db.execute(statement).rowcount for statement in conditions)
