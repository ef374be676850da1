"""The way of tokens: a program sends a token that its user has made, with the scopes that the user gave it.

A token of an administrator may act, at the gateway, for whichever user a header names: its program serves several.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import timedelta
from secrets import token_urlsafe
from typing import Protocol

from starlette.requests import HTTPConnection

from webclient.auth.authenticator import InvalidCredentialError, LapsedUserError, NoUserError
from webclient.auth.credentials import bearer_token, utf_8
from webclient.auth.principal import Principal, PrincipalKind, Scope, scopes_of
from webclient.auth.users import UserTable
from webclient.domain.errors import ConflictError
from webclient.domain.model import ProgramToken, Role, SignInKey, SignInKind, User, now

PREFIX = "mcpweb_"
"""The beginning of every token, by which scanners of leaked secrets can recognise one."""

HINT = 4
"""The last characters of a token, which may be shown."""


class Tokens(Protocol):
    """The tokens of programs, by hash; the store has them."""

    async def find(self, secret: str) -> tuple[ProgramToken, User] | None:
        """Return the token with this secret and its user; None if it is not valid, or the user is disabled."""
        ...


class NamedUsers:
    """Finds the users of these `issuers` by their names there: the subject, or the e-mail address that one has proved.

    Users of embedding applications are not among them: an application chooses their names freely, so that one of them
    could have the address of a colleague.
    """

    def __init__(self, table: UserTable, issuers: Collection[str]) -> None:
        self._table = table
        self._issuers = issuers

    async def find(self, name: str) -> User:
        """Return the user with this name. Raises NoUserError."""
        found: dict[str, User] = {}
        for issuer in self._issuers:
            for user in (await self._table.find(issuer, name), await self._with_email(issuer, name)):
                # Of one who has not come yet, nothing but an administrator's word says whose address it is.
                if user is not None and not user.is_awaited:
                    found[user.id] = user
        if len(found) != 1:
            raise NoUserError("several_users" if found else "unknown_user")
        (user,) = found.values()
        if user.disabled_at is not None or self._table.is_disabled(user.id):
            raise NoUserError("disabled_user", user.id)
        return user

    async def _with_email(self, issuer: str, name: str) -> User | None:
        try:
            return await self._table.find_by_email(issuer, name)
        except ConflictError:
            raise NoUserError("several_users") from None


class TokensOfPrograms:
    """Identifies programs by the tokens of `tokens`, as long as their users sign in once in each `period`.

    `named` finds those whom a header names, if there are users besides the local one.
    """

    name = "token"

    def __init__(self, tokens: Tokens, period: timedelta | None = None, named: NamedUsers | None = None) -> None:
        self._tokens = tokens
        self._period = period
        self._named = named

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return the principal of a Bearer token with our prefix.

        Raises InvalidCredentialError, LapsedUserError and NoUserError.
        """
        secret = bearer_token(connection)
        if secret is None or not secret.startswith(PREFIX):
            return None
        # Safe without a comparison in constant time: the row is found by the hash of the secret, which cannot be
        # approached character by character.
        found = await self._tokens.find(secret)
        if found is None:
            raise InvalidCredentialError("wrong_token")
        token, user = found
        lapses_at = user.lapses_at(self._period)
        if self._period and lapses_at and lapses_at <= now():
            raise LapsedUserError(user.id, self._period.days)
        if token.user_header:
            return await self._for_another(connection, token, user)
        return Principal(
            user_id=token.user_id,
            kind=PrincipalKind.PROGRAM,
            # Never more than its user may do by now.
            scopes=_scopes(token) & scopes_of(user),
            way=self.name,
            role=user.role,
            name=token.label,
            session_id=token.id,
            sign_in=SignInKey(SignInKind.TOKEN, token.id),
            token_id=token.id,
            # Streams end then; a program whose user has signed in meanwhile opens them again.
            ends_at=lapses_at,
            # Safe: an administrator has given it, and only as long as they are one.
            may_ask=frozenset(token.may_ask) if user.role is Role.ADMIN else frozenset(),
            servers=frozenset(token.servers),
            patience=token.patience,
            learned_patience=token.learned_patience,
            passes_on=token.passes_on,
        )

    async def _for_another(self, connection: HTTPConnection, token: ProgramToken, owner: User) -> Principal:
        """Return the principal of the user whom the header of this token names. Raises NoUserError."""
        if owner.role is not Role.ADMIN:
            raise NoUserError("no_admin", owner.id)
        given = connection.headers.getlist(token.user_header or "")
        # One that an intermediary has added to the one that was sent would say two different things.
        name = utf_8(given[0]).strip() if len(given) == 1 else ""
        if not name or self._named is None:
            raise NoUserError("unknown_user" if name else "no_user_header")
        user = await self._named.find(name)
        ends = [each for each in (owner.lapses_at(self._period), user.lapses_at(self._period)) if each]
        if ends and min(ends) <= now():
            raise NoUserError("lapsed_user", user.id)
        return Principal(
            user_id=user.id,
            kind=PrincipalKind.PROGRAM,
            # All else that the token may do is for its own user.
            scopes=_scopes(token) & {Scope.GATEWAY},
            way=self.name,
            role=user.role,
            name=token.label,
            session_id=token.id,
            sign_in=SignInKey(SignInKind.TOKEN, token.id),
            token_id=token.id,
            ends_at=min(ends, default=None),
            patience=token.patience,
            passes_on=token.passes_on,
        )


def new_token(
    user_id: str,
    label: str,
    scopes: Iterable[Scope],
    may_ask: Iterable[str] = (),
    *,
    servers: Iterable[str] = (),
    patience: float | None = None,
    user_header: str | None = None,
    passes_on: bool = False,
) -> tuple[ProgramToken, str]:
    """Return a new token of the user, and its secret, which is nowhere else."""
    secret = PREFIX + token_urlsafe(32)
    # In the order of the scopes, and each once.
    wanted = set(scopes)
    chosen = tuple(scope for scope in Scope if scope in wanted)
    token = ProgramToken(
        user_id=user_id,
        label=label,
        scopes=chosen,
        hint=secret[-HINT:],
        may_ask=tuple(dict.fromkeys(may_ask)),
        servers=tuple(dict.fromkeys(servers)),
        patience=patience,
        user_header=user_header,
        passes_on=passes_on,
    )
    return token, secret


def _scopes(token: ProgramToken) -> frozenset[Scope]:
    """Return what the token may do; a scope that this version does not know allows nothing."""
    return frozenset(Scope(scope) for scope in token.scopes if scope in set(Scope))
