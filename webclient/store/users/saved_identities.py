"""The ID tokens of users, sealed: one for each user, from their last sign-in at the OpenID provider."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, and_, bindparam, delete, insert, or_, select, update

from webclient.domain.model import Json, SavedIdentity
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.node_connection import Topic, announce
from webclient.store.database.own_connection import scrub_after
from webclient.store.database.sealing import LostKeyError, Sealer
from webclient.store.database.user_tables import saved_identities as table
from webclient.store.database.user_tables import users

_OF_USER = table.c.user_id == bindparam("of_user")
_IN_VERSION = and_(_OF_USER, table.c.version == bindparam("in_version"))
_GET = select(table).where(_OF_USER)
_SAVED = select(table.c.user_id).where(table.c.user_id.in_(bindparam("ids", expanding=True)))
_ADD = insert(table)
_RENEW = update(table).where(_IN_VERSION)
_REMOVE = delete(table).where(_OF_USER)
_REMOVE_VERSION = delete(table).where(_IN_VERSION)

_OF_ISSUER = users.c.issuer == bindparam("of_issuer")
_IN_SESSION = table.c.provider_session == bindparam("of_session")
_OF_SUBJECT = and_(_OF_ISSUER, users.c.subject == bindparam("of_subject"))


class SavedIdentities(UsesDatabase):
    """The ID tokens of all users. Each process may write them: a user signs in where they do not live."""

    def __init__(self, database: Database, sealer: Sealer) -> None:
        super().__init__(database)
        self._sealer = sealer

    @reads
    def get(self, db: Connection, user_id: str) -> SavedIdentity | None:
        """Return the ID token of a user; None if there is none, or its key is lost."""
        row = db.execute(_GET, {"of_user": user_id}).one_or_none()
        if row is None:
            return None
        try:
            secrets = self._sealer.open(row.secrets, table.name, row.user_id)
        except LostKeyError:
            return None
        return SavedIdentity(
            user_id=row.user_id,
            ends_at=datetime.fromisoformat(secrets.pop("ends_at")),
            provider_session=row.provider_session,
            version=row.version,
            **secrets,
        )

    @reads
    def saved_of(self, db: Connection, user_ids: Collection[str]) -> set[str]:
        """Return those of the users of whom an ID token is stored."""
        return set(db.execute(_SAVED, {"ids": sorted(user_ids)}).scalars())

    @writes
    def save(self, db: Connection, saved: SavedIdentity) -> None:
        """Store the ID token of a new sign-in in place of an earlier one."""
        db.execute(_REMOVE, {"of_user": saved.user_id})
        db.execute(_ADD, {"user_id": saved.user_id, **self._columns(saved)})
        announce(db, Topic.IDENTITIES)
        scrub_after(db)

    @writes
    def renew(self, db: Connection, saved: SavedIdentity) -> bool:
        """Store a renewed one of the `version` before; False if that is not there any more.

        So one that a sign-out or a new sign-in has replaced meanwhile does not come back.
        """
        given = {"of_user": saved.user_id, "in_version": saved.version - 1, **self._columns(saved)}
        return db.execute(_RENEW, given).rowcount > 0

    @writes
    def remove(self, db: Connection, saved: SavedIdentity) -> None:
        """Remove one of this version."""
        if db.execute(_REMOVE_VERSION, {"of_user": saved.user_id, "in_version": saved.version}).rowcount:
            scrub_after(db)

    @writes
    def remove_of_user(self, db: Connection, user_id: str) -> None:
        """Remove the one of a user."""
        if db.execute(_REMOVE, {"of_user": user_id}).rowcount:
            scrub_after(db)

    @writes
    def end_of_provider(
        self, db: Connection, issuer: str, *, subject: str | None, provider_session: str | None
    ) -> None:
        """Remove those of a subject, of a session of the provider, or of both."""
        wanted = [_OF_SUBJECT] if subject else [_OF_ISSUER]
        if provider_session:
            wanted.append(or_(_IN_SESSION, table.c.provider_session.is_(None)) if subject else _IN_SESSION)
        query = select(table.c.user_id).join(users, table.c.user_id == users.c.id).where(*wanted)
        given = {"of_issuer": issuer, "of_subject": subject, "of_session": provider_session}
        found = db.execute(query, {name: value for name, value in given.items() if value}).scalars().all()
        for user_id in found:
            db.execute(_REMOVE, {"of_user": user_id})
        if found:
            scrub_after(db)

    def _columns(self, saved: SavedIdentity) -> Json:
        names = ("issuer", "subject", "id_token", "refresh_token")
        secrets = {name: getattr(saved, name) for name in names} | {"ends_at": saved.ends_at.isoformat()}
        sealed = self._sealer.seal(secrets, table.name, saved.user_id)
        return {"version": saved.version, "provider_session": saved.provider_session, "secrets": sealed}
