"""The way of tokens: a program sends a token that its user has made, with the scopes that the user gave it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from secrets import token_urlsafe
from typing import Protocol

from starlette.requests import HTTPConnection

from webclient.auth.authenticator import InvalidCredentialError, LapsedUserError
from webclient.auth.credentials import bearer_token
from webclient.auth.principal import Principal, PrincipalKind, Scope, scopes_of
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


class TokensOfPrograms:
    """Identifies programs by the tokens of `tokens`, as long as their users sign in once in each `period`."""

    name = "token"

    def __init__(self, tokens: Tokens, period: timedelta | None = None) -> None:
        self._tokens = tokens
        self._period = period

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return the principal of a Bearer token with our prefix.

        Raises InvalidCredentialError and LapsedUserError.
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
        )


def new_token(
    user_id: str,
    label: str,
    scopes: Iterable[Scope],
    may_ask: Iterable[str] = (),
    *,
    servers: Iterable[str] = (),
    patience: float | None = None,
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
    )
    return token, secret


def _scopes(token: ProgramToken) -> frozenset[Scope]:
    """Return what the token may do; a scope that this version does not know allows nothing."""
    return frozenset(Scope(scope) for scope in token.scopes if scope in set(Scope))
