"""The local way: one token, and one user.

Programs send the token as Bearer. A browser exchanges it for a session cookie, so that the token is in no page.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from hashlib import sha256
from secrets import token_urlsafe

from starlette.requests import HTTPConnection

from webclient.auth.authenticator import EndedSession, InvalidCredentialError, SignInOutcome, SignInResult
from webclient.auth.credentials import bearer_token, same_secret
from webclient.auth.principal import Principal, PrincipalKind, Scope
from webclient.auth.session_cookie import SessionCookie
from webclient.domain.i18n import gettext as _
from webclient.domain.model import LOCAL_PERSON, LOCAL_USER
from webclient.settings import Settings

LOCAL = LOCAL_PERSON.issuer
"""The name of the way."""

WINDOW = 60.0
"""Seconds for which a wrong attempt counts."""

MOST_REMEMBERED = 10_000
"""Attempts of all addresses that are remembered; beyond that the oldest are forgotten early."""


class LocalToken:
    """Identifies programs by the token of `settings`: as the local user, who is an administrator."""

    name = LOCAL

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return the principal of the Bearer token.

        Raises InvalidCredentialError for every other Bearer token, and for all of them if no token is set. So sign-in
        methods with tokens of their own come first.
        """
        token = bearer_token(connection)
        if token is None:
            return None
        if not is_local_token(token, self._settings):
            raise InvalidCredentialError("wrong_token")
        return Principal(
            user_id=LOCAL_USER,
            kind=PrincipalKind.PROGRAM,
            scopes=frozenset(Scope),
            way=self.name,
            role=LOCAL_PERSON.role,
        )


def is_local_token(secret: str, settings: Settings) -> bool:
    """Return whether a secret is the token of the settings."""
    # Without --identity local there may be none.
    return settings.token is not None and same_secret(secret, settings.token)


class TokenSignIn:
    """Signs browsers in with the token; `code` is a secret that signs in one browser besides it."""

    takes_token = True
    begins_at = None
    provider_label = ""

    def __init__(self, settings: Settings, cookie: SessionCookie, code: OneTimeCode | None = None) -> None:
        self._settings = settings
        self._cookie = cookie
        self._code = code
        self._browser_code: OneTimeCode | None = None
        self._attempts = Attempts(settings.max_sign_in_attempts)

    @property
    def link_secret(self) -> str | None:
        """The secret for the printed link: the code if there is one, so that the link works once; else the token."""
        return self._code.value if self._code else self._settings.token

    def one_time_secret(self) -> str:
        """Return a secret that signs one browser in, once; an earlier one no longer works."""
        self._browser_code = OneTimeCode()
        return self._browser_code.value

    def instructions(self) -> str:
        """Return the sentences that say where the token is found and how it is sent."""
        return _(
            "Open the link that mcp-webclient printed after “Ready:” when it started, or paste the token from it at "
            "/login. Programs send the token as “Authorization: Bearer TOKEN”."
        )

    async def sign_in(self, connection: HTTPConnection, secret: str) -> SignInResult:
        """Start a session if `secret` is the token, or the code for the first time."""
        # The right token is never refused, however many wrong ones came before: any web page can send those from the
        # person's own address, in frames of this one.
        if is_local_token(secret, self._settings) or any(code.take(secret) for code in self._codes):
            headers = await self._cookie.start(connection, LOCAL_USER, LOCAL)
            return SignInResult(outcome=SignInOutcome.SIGNED_IN, headers=headers)
        if any(code.matches(secret) for code in self._codes):
            return SignInResult(outcome=SignInOutcome.USED)
        if not self._attempts.add_wrong(connection.client.host if connection.client else "", secret):
            return SignInResult(outcome=SignInOutcome.TOO_MANY, headers={"Retry-After": str(int(WINDOW))})
        return SignInResult(outcome=SignInOutcome.WRONG)

    async def sign_out(self, connection: HTTPConnection) -> EndedSession:
        """End the session in the store and in the browser."""
        return EndedSession(cookies=((await self._cookie.end(connection))["Set-Cookie"],))

    @property
    def _codes(self) -> list[OneTimeCode]:
        return [code for code in (self._code, self._browser_code) if code is not None]


class OneTimeCode:
    """A random code that can be used once; afterwards it is only recognised."""

    def __init__(self) -> None:
        self.value = token_urlsafe(32)
        self._used = False

    def take(self, given: str) -> bool:
        """Use the code up if `given` is the code and it is unused; return whether it was."""
        # Safe: nothing is awaited in between, so of two browsers at the same moment one is the first.
        if self._used or not self.matches(given):
            return False
        self._used = True
        return True

    def matches(self, given: str) -> bool:
        """Return whether `given` is the code, used or not."""
        return same_secret(given, self.value)


class Attempts:
    """The wrong tokens of the last minute, by address, each counted once.

    A page that tries the same token again and again, such as an old bookmark, uses up one attempt.
    """

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._wrong: deque[tuple[float, str, bytes]] = deque(maxlen=MOST_REMEMBERED)

    @property
    def remembered(self) -> int:
        """The number of remembered wrong tokens."""
        return len(self._wrong)

    def add_wrong(self, address: str, token: str) -> bool:
        """Count a wrong token; whether the address is still within its attempts."""
        self._forget()
        tried = {digest for _when, who, digest in self._wrong if who == address}
        digest = sha256(token.encode("utf-8", "surrogatepass")).digest()
        if digest in tried:
            return True
        if len(tried) >= self._limit:
            return False
        self._wrong.append((self._clock(), address, digest))
        return True

    def _forget(self) -> None:
        while self._wrong and self._wrong[0][0] <= self._clock() - WINDOW:
            self._wrong.popleft()
