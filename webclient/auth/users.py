"""The users behind what authenticators recognise: found or made in the store, and refused while they are disabled."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Protocol

from webclient.auth.authenticator import InvalidCredentialError
from webclient.auth.refusals import Refusal
from webclient.domain.model import Person, Role, User
from webclient.store import StorageError
from webclient.support.shared_work import SharedWork

LONGEST_SUBJECT = 255
"""Characters of an issuer or subject, as OpenID Connect Core 1.0, section 2, limits them."""

LONGEST_NAME = 500


class UserTable(Protocol):
    """The users that are stored; the store has them."""

    async def recognise(self, person: Person) -> User:
        """Return the user of a person, made or refreshed."""
        ...

    async def find(self, issuer: str, subject: str) -> User | None:
        """Return the user with this subject at the issuer, or None."""
        ...

    async def find_by_email(self, issuer: str, email: str) -> User | None:
        """Return the user with this e-mail address at the issuer, or None. Raises ConflictError for several."""
        ...

    def is_disabled(self, user_id: str) -> bool:
        """Return whether the user is disabled or deleted."""
        ...


class Users:
    """Gives the user of whomever a way has recognised; what it finds holds for a second.

    Persons with one of the names `admins` are administrators, besides those whom a way makes one.
    """

    def __init__(self, table: UserTable, admins: Collection[str] = ()) -> None:
        self._table = table
        self._admins = frozenset(admins)
        self._recognised = SharedWork[User]()

    async def recognise(self, person: Person) -> User:
        """Return the user of a person, made when they first come.

        Raises InvalidCredentialError for a disabled user, and for a subject that cannot be one.
        """
        if not all(map(_is_name, (person.issuer, person.subject))) or len(person.name + person.email) > LONGEST_NAME:
            raise InvalidCredentialError("malformed_user")
        if not self._admins.isdisjoint(person.names):
            person = replace(person, role=Role.ADMIN)
        # A proxy asserts who it is with each request, and a page makes many at once.
        user = await self._recognised.get(person, lambda: self._recognise(person))
        if self._table.is_disabled(user.id):
            raise InvalidCredentialError("disabled_user", user.id)
        return user

    async def _recognise(self, person: Person) -> User:
        user = await self._table.recognise(person)
        # A command has disabled the user since the last look: a sign-in that began now would outlast that look.
        if user.disabled_at is not None and not self._table.is_disabled(user.id):
            raise InvalidCredentialError("disabled_user", user.id)
        return user

    async def named(self, refusal: Refusal, person: Person) -> Refusal:
        """Return a refusal that names the person, and the user if there is one."""
        try:
            user = await self._table.find(person.issuer, person.subject)
        except StorageError:
            # The person is refused in any case.
            user = None
        proved = {"issuer": person.issuer, "subject": person.subject, "email": person.email}
        return replace(refusal, user_id=user.id if user else "", **proved)

    async def is_enabled(self, user_id: str) -> bool:
        """Return whether the user is neither disabled nor deleted."""
        return not self._table.is_disabled(user_id)


def _is_name(text: str) -> bool:
    return 0 < len(text) <= LONGEST_SUBJECT and text.isprintable()
