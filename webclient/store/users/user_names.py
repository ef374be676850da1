"""Finds and adds users by the names that issuers give them: the subject, and the e-mail address.

Safe against addresses that look alike: they are compared here, as each database has its own rules for letters beyond
ASCII.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, insert, select
from sqlalchemy.exc import IntegrityError

from webclient.domain.errors import ConflictError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import NO_SUBJECT, Person, Role, User, folded_email
from webclient.store.database.user_tables import users

_BY_SUBJECT = select(users).where(users.c.issuer == bindparam("of_issuer"), users.c.subject == bindparam("of_subject"))
_BY_EMAIL = select(users).where(
    users.c.issuer == bindparam("of_issuer"),
    users.c.email != "",
    func.lower(users.c.email) == func.lower(bindparam("of_email")),
)
_AWAITED = _BY_EMAIL.where(users.c.signed_in_at.is_(None), users.c.subject.startswith(NO_SUBJECT)).order_by(
    users.c.created_at
)
_ADD = insert(users)


def find_by_subject(db: Connection, person: Person) -> User | None:
    """Return the user with the subject of a person, or None."""
    of_person = {"of_issuer": person.issuer, "of_subject": person.subject}
    row = db.execute(_BY_SUBJECT, of_person).one_or_none()
    return None if row is None else user_of(row)


def find_awaited(db: Connection, person: Person) -> User | None:
    """Return the awaited user who was added with the address of a person, or None.

    Safe: the way has proved that the address is theirs, and no one has come with this row before.
    """
    return next(iter(_with_email(db, _AWAITED, person)), None) if person.email else None


def find_by_email(db: Connection, person: Person) -> User | None:
    """Return the user with the address of a person, or None. Raises ConflictError if it is that of several users."""
    found = _with_email(db, _BY_EMAIL, person)
    # Rather one who can sign in, and who has proved the address: it may be that of a colleague who left.
    found = [user for user in found if user.disabled_at is None] or found
    found = [user for user in found if not user.is_awaited] or found
    if len(found) > 1:
        raise ConflictError(_("Several users have this e-mail address. Name the user by the subject."))
    return found[0] if found else None


def insert_user(db: Connection, user: User) -> User | None:
    """Add a user. Return the one whom another process has added with this subject at the same moment, or None."""
    try:
        with db.begin_nested():
            db.execute(_ADD, asdict(user))
    except IntegrityError:
        return find_by_subject(db, user)
    return None


def user_of(row: Row[Any]) -> User:
    """Return the user of a row that has all columns of a user."""
    columns = {column.name: getattr(row, column.name) for column in users.columns}
    return User(**columns | {"role": Role(columns["role"])})


def _with_email(db: Connection, query: Select[Any], person: Person) -> list[User]:
    rows = db.execute(query, {"of_issuer": person.issuer, "of_email": person.email})
    return [user_of(row) for row in rows if folded_email(row.email) == folded_email(person.email)]
