"""The users: found by issuer and subject, made when they first come, and known elsewhere by an id of our own."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from webclient.model import LOCAL_PERSON, LOCAL_USER, Person, Role, User
from webclient.store.database import UsesDatabase, reads, writes
from webclient.store.tables import users

_WITH_ID = users.c.id == bindparam("with_id")

_FIND = select(users).where(users.c.issuer == bindparam("of_issuer"), users.c.subject == bindparam("of_subject"))
_GET = select(users).where(_WITH_ID)
_ADD = insert(users)
_CHANGE = update(users).where(_WITH_ID)


class Users(UsesDatabase):
    """The table of users."""

    @writes
    def recognise(self, db: Connection, person: Person) -> User:
        """Return the user of a person, made or refreshed: name, e-mail and role are as the way says now."""
        found = db.execute(_FIND, {"of_issuer": person.issuer, "of_subject": person.subject}).one_or_none()
        if found is None:
            user = User(**asdict(person))
            db.execute(_ADD, asdict(user))
            return user
        user = user_of(found)
        changed = {name: getattr(person, name) for name in ("name", "email", "role")}
        if changed != {name: getattr(user, name) for name in changed}:
            db.execute(_CHANGE, {"with_id": user.id, **changed})
        return User(**asdict(user) | changed)

    @reads
    def get(self, db: Connection, user_id: str) -> User | None:
        """Return a user, or None if there is none with this id."""
        found = db.execute(_GET, {"with_id": user_id}).one_or_none()
        return None if found is None else user_of(found)

    @writes
    def seen(self, db: Connection, user_id: str, at: datetime) -> None:
        """Note when a user was last seen."""
        db.execute(_CHANGE, {"with_id": user_id, "seen_at": at})


def ensure_local_user(db: Connection) -> None:
    """Make the row of the user with the token, within a unit of work."""
    if db.execute(_GET, {"with_id": LOCAL_USER}).one_or_none() is None:
        db.execute(_ADD, asdict(User(**asdict(LOCAL_PERSON), id=LOCAL_USER)))


def user_of(row: Row[Any]) -> User:
    """Return the user of a row that has all columns of a user."""
    columns = {column.name: getattr(row, column.name) for column in users.columns}
    return User(**columns | {"role": Role(columns["role"])})
