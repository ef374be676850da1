"""The tokens of programs. Only a hash of each is stored: a stolen database lets no program in.

A token is random and long, so that its plain SHA-256 cannot be turned back.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from datetime import timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, select, update

from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import AuditAction, Json, ProgramToken, SignInKey, SignInKind, User, now
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.node import Node
from webclient.store.database.node_connection import Topic, announce
from webclient.store.database.program_tables import program_tokens as table
from webclient.store.database.storage_errors import StorageError
from webclient.store.database.user_rows import UserRows
from webclient.store.database.user_tables import users
from webclient.store.users.audit import of_another, record
from webclient.store.users.user_names import user_of
from webclient.store.users.watched_sign_ins import WatchedSignIns
from webclient.support.shared_work import SharedWork

MOST = 200
"""Tokens of one user, also revoked ones, which the page lists."""

NOTED = timedelta(minutes=1)
"""The use of a token is written at most this often."""

_OWN = table.c.user_id == bindparam("of_user")
_WITH_ID = table.c.id == bindparam("with_id")
_VALID = table.c.revoked_at.is_(None)
_OF_USER = users.c.id == table.c.user_id
_FIND = select(table).where(table.c.token_hash == bindparam("with_hash"), _VALID)
_GET_USER = select(users).where(users.c.id == bindparam("of_user"), users.c.disabled_at.is_(None))
_IS_VALID = select(table.c.id).join(users, _OF_USER).where(_WITH_ID, _VALID, users.c.disabled_at.is_(None))
_IS_REVOKED = select(table.c.id).where(_WITH_ID, table.c.revoked_at.is_not(None))
_LEARN = update(table).where(_OWN, _WITH_ID, table.c.user_header.is_(None))
_TOUCH = update(table).where(_WITH_ID)
_ALL = select(table).where(_OWN).order_by(table.c.created_at.desc(), table.c.id)
_GET = select(table).where(_OWN, _WITH_ID)
_COUNT = select(func.count()).where(_OWN)
_ADD = insert(table)
_CHANGE = update(table).where(_OWN, _WITH_ID).returning(table)
_REVOKE = _CHANGE.where(_VALID)


class UserTokens(UserRows):
    """The tokens of one user's programs; `watched` notifies the streams of a revoked one."""

    def __init__(self, database: Database, user_id: str, node: Node, watched: WatchedSignIns) -> None:
        super().__init__(database, user_id, node)
        self._watched = watched

    def _fence(self, db: Connection) -> None:
        """Let every node write: an administrator may revoke the token of a user who lives on another one."""

    @reads
    def all(self, db: Connection) -> list[ProgramToken]:
        """Return all tokens, newest first, revoked ones as well."""
        return [_token_of(row) for row in db.execute(_ALL, self._own())]

    @reads
    def get(self, db: Connection, token_id: str) -> ProgramToken:
        """Return one token; raises NotFoundError, also for a token of another user."""
        return self._found(token_id, db.execute(_GET, self._own(with_id=token_id)).one_or_none())

    @writes
    def add(self, db: Connection, token: ProgramToken, secret: str) -> None:
        """Store a token with the hash of its `secret`. Raises ConflictError if the user has too many."""
        self._check_owner(token.user_id)
        if db.execute(_COUNT, self._own()).scalar_one() >= MOST:
            raise ConflictError(_("There are {n} tokens, which is the limit.").format(n=MOST))
        lists = {"scopes": list(token.scopes), "may_ask": list(token.may_ask) or None}
        lists["servers"] = list(token.servers) or None
        db.execute(_ADD, asdict(token) | lists | {"token_hash": _hash(secret)})
        self._record(db, AuditAction.TOKEN_MADE, token)

    async def revoke(self, token_id: str) -> ProgramToken:
        """Revoke a token for good; it stays as it is if it was revoked before. Raises NotFoundError."""
        token = await self._revoke(token_id)
        self._watched.end([SignInKey(SignInKind.TOKEN, token.id)])
        return token

    @writes
    def _revoke(self, db: Connection, token_id: str) -> ProgramToken:
        row = db.execute(_REVOKE, self._own(with_id=token_id, revoked_at=now())).one_or_none()
        if row is None:
            return self._found(token_id, db.execute(_GET, self._own(with_id=token_id)).one_or_none())
        self._record(db, AuditAction.TOKEN_REVOKED, _token_of(row))
        announce(db, Topic.SIGN_INS)
        return _token_of(row)

    @writes
    def mute(self, db: Connection, token_id: str, *, muted: bool) -> ProgramToken:
        """Mute the program, or unmute it. Raises NotFoundError."""
        own = self._own(with_id=token_id, muted_at=now() if muted else None)
        token = self._found(token_id, db.execute(_CHANGE, own).one_or_none())
        self._record(db, AuditAction.PROGRAM_MUTED if muted else AuditAction.PROGRAM_UNMUTED, token)
        return token

    @writes
    def pass_on(self, db: Connection, token_id: str, *, passes_on: bool) -> ProgramToken:
        """Pass on to the program what servers ask during its calls, or do not. Raises NotFoundError."""
        own = self._own(with_id=token_id, passes_on=passes_on)
        return self._found(token_id, db.execute(_CHANGE, own).one_or_none())

    def _record(self, db: Connection, action: AuditAction, token: ProgramToken) -> None:
        details: Json = {"label": token.label, "scopes": token.scopes}
        if token.may_ask:
            details["may_ask"] = token.may_ask
        if token.servers:
            details["servers"] = token.servers
        if token.user_header:
            details["user_header"] = token.user_header
        record(db, action, object=token.id, details=details | of_another(self._user_id))

    def _found(self, token_id: str, row: Row[Any] | None) -> ProgramToken:
        if row is None:
            raise NotFoundError(_("There is no token “{id}”.").format(id=token_id))
        return _token_of(row)


class ProgramTokens(UsesDatabase):
    """Finds the token that a program sends, of whichever user."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._valid = SharedWork[bool]()

    async def find(self, secret: str) -> tuple[ProgramToken, User] | None:
        """Return the token with this secret and its user, and note that it is used.

        None if it is unknown or revoked, or if its user is disabled.
        """
        found = await self._find(_hash(secret))
        if found and (found[0].used_at is None or found[0].used_at < now() - NOTED):
            # What can be read goes on while nothing can be written.
            with suppress(StorageError):
                await self._touch(found[0].id)
        return found

    @writes
    def learn(self, db: Connection, user_id: str, token_id: str, seconds: float) -> None:
        """Note how long the agent with this token of a user was seen to wait; others have no row."""
        db.execute(_LEARN, {"of_user": user_id, "with_id": token_id, "learned_patience": seconds})

    @reads
    def was_revoked(self, db: Connection, token_id: str) -> bool:
        """Return whether the token of whichever user was revoked."""
        return db.execute(_IS_REVOKED, {"with_id": token_id}).one_or_none() is not None

    async def still_valid(self, token_id: str) -> bool:
        """Return whether the token is valid, as of a second ago: each of its webhooks asks."""
        return await self._valid.get(token_id, lambda: self._is_valid(token_id))

    @reads
    def _find(self, db: Connection, token_hash: str) -> tuple[ProgramToken, User] | None:
        row = db.execute(_FIND, {"with_hash": token_hash}).one_or_none()
        user = row and db.execute(_GET_USER, {"of_user": row.user_id}).one_or_none()
        return (_token_of(row), user_of(user)) if row and user else None

    @reads
    def _is_valid(self, db: Connection, token_id: str) -> bool:
        return db.execute(_IS_VALID, {"with_id": token_id}).one_or_none() is not None

    @writes
    def _touch(self, db: Connection, token_id: str) -> None:
        db.execute(_TOUCH, {"with_id": token_id, "used_at": now()})


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _token_of(row: Row[Any]) -> ProgramToken:
    values = {name: value for name, value in row._mapping.items() if name != "token_hash"}
    lists = {name: tuple(values[name] or ()) for name in ("scopes", "may_ask", "servers")}
    return ProgramToken(**values | lists | {"passes_on": bool(values["passes_on"])})
