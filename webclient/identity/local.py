"""The local way: one token, and one user.

Programs send the token as Bearer. A browser exchanges it for a session cookie, so that the token is in no page.
"""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import HTTPConnection

from webclient.i18n import gettext as _
from webclient.identity.attempts import WINDOW, Attempts
from webclient.identity.credentials import bearer_token, same_secret
from webclient.identity.one_time_code import OneTimeCode
from webclient.identity.principal import Principal, PrincipalKind, Scope
from webclient.identity.way import InvalidCredentialError, Sessions, SignInOutcome, SignInResult
from webclient.model import LOCAL_USER
from webclient.settings import Settings


class LocalToken:
    """Identifies by the token of `settings`; `code` is a secret that signs in one browser besides it."""

    name = "local"

    def __init__(self, settings: Settings, sessions: Sessions, code: OneTimeCode | None = None) -> None:
        self._settings = settings
        self._sessions = sessions
        self._code = code
        self._browser_code: OneTimeCode | None = None
        self._attempts = Attempts(settings.max_sign_in_attempts)

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return the principal of the Bearer token or of the session cookie. Raises InvalidCredentialError."""
        token = bearer_token(connection)
        if token is not None:
            # First: a wrong token is not helped by a cookie.
            if not same_secret(token, self._settings.token):
                raise InvalidCredentialError
            return self._principal(LOCAL_USER, PrincipalKind.PROGRAM)
        session_id = self._session_id(connection)
        if not session_id:
            return None
        user_id = await self._sessions.user_of(session_id)
        if user_id is None:
            raise InvalidCredentialError
        return self._principal(user_id, PrincipalKind.USER, session_id)

    async def is_current(self, principal: Principal) -> bool:
        """Return whether the browser's session goes on; a program with the token stays signed in."""
        return principal.session_id is None or await self._sessions.still_open(principal.session_id)

    @property
    def link_secret(self) -> str:
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
        if same_secret(secret, self._settings.token) or any(code.take(secret) for code in self._codes):
            session_id = await self._sessions.create(LOCAL_USER)
            headers = {"Set-Cookie": self._cookie(connection, session_id)}
            return SignInResult(outcome=SignInOutcome.SIGNED_IN, headers=headers)
        if any(code.matches(secret) for code in self._codes):
            return SignInResult(outcome=SignInOutcome.USED)
        if not self._attempts.add_wrong(connection.client.host if connection.client else "", secret):
            return SignInResult(outcome=SignInOutcome.TOO_MANY, headers={"Retry-After": str(int(WINDOW))})
        return SignInResult(outcome=SignInOutcome.WRONG)

    async def sign_out(self, connection: HTTPConnection) -> Mapping[str, str]:
        """End the session in the store; return the header that removes it from the browser."""
        session_id = self._session_id(connection)
        if session_id:
            await self._sessions.remove(session_id)
        return {"Set-Cookie": self._cookie(connection, "", "Max-Age=0")}

    @property
    def _codes(self) -> list[OneTimeCode]:
        return [code for code in (self._code, self._browser_code) if code is not None]

    def _principal(self, user_id: str, kind: PrincipalKind, session_id: str | None = None) -> Principal:
        scopes = frozenset(Scope)
        return Principal(user_id=user_id, kind=kind, scopes=scopes, way=self.name, session_id=session_id)

    def _session_id(self, connection: HTTPConnection) -> str | None:
        return connection.cookies.get(self._cookie_name)

    @property
    def _cookie_name(self) -> str:
        # Browsers keep cookies by host and not by port, so the port is in the name.
        return f"webclient-{self._settings.port}"

    def _cookie(self, connection: HTTPConnection, value: str, *more: str) -> str:
        # Written by hand: http.cookies knows Partitioned (CHIPS) only from Python 3.14 on.
        flags = ["Path=/", "HttpOnly", *more]
        if self._settings.embed_origins:
            # In a frame of another site only this combination is sent back; browsers accept it from http://localhost
            # as well. OriginCheck still stops what that site would send itself.
            flags += ["SameSite=None", "Secure", "Partitioned"]
        else:
            flags += ["SameSite=Strict", *(["Secure"] if connection.url.scheme == "https" else [])]
        return "; ".join([f"{self._cookie_name}={value}", *flags])
