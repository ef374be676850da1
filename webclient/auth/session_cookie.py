"""The session cookie: made by a way of signing in, and from then on the credential of that browser."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from starlette.requests import HTTPConnection

from webclient.auth.authenticator import InvalidCredentialError, Sessions
from webclient.auth.credentials import browser_of, is_over_https
from webclient.auth.principal import Principal, user_principal
from webclient.domain.model import SignInKey, SignInKind, now
from webclient.settings import Settings


class SessionCookie:
    """Identifies by a session of one of the ways named `allowed`; a session of any other is of no use any more."""

    name = "cookie"

    def __init__(self, settings: Settings, sessions: Sessions, allowed: Collection[str]) -> None:
        self._settings = settings
        self._sessions = sessions
        self._allowed = allowed

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return the principal of the session cookie. Raises InvalidCredentialError."""
        session_id = self._session_id(connection)
        if not session_id:
            return None
        session = await self._sessions.find(session_id)
        if session is None or session.way not in self._allowed:
            raise InvalidCredentialError
        sign_in = SignInKey(SignInKind.BROWSER, session.key)
        return user_principal(session.user, self.name, session_id=session_id, sign_in=sign_in, ends_at=session.ends_at)

    async def start(
        self,
        connection: HTTPConnection,
        user_id: str,
        way: str,
        *,
        ends_at: datetime | None = None,
        provider_session: str | None = None,
    ) -> dict[str, str]:
        """Start a session of the user, whom `way` has signed in; return the header that gives it to the browser.

        By default it ends as the settings say.
        """
        lifetime = self._settings.session_lifetime
        session_id = await self._sessions.create(
            user_id,
            way,
            ends_at=ends_at or (now() + lifetime if lifetime else None),
            idle=self._settings.session_idle,
            provider_session=provider_session,
            browser=browser_of(connection),
        )
        return {"Set-Cookie": self._cookie(connection, session_id)}

    async def way_of(self, connection: HTTPConnection) -> str | None:
        """Return the way that started the session of the request, if there is one."""
        session_id = self._session_id(connection)
        session = await self._sessions.find(session_id) if session_id else None
        return session.way if session else None

    async def end(self, connection: HTTPConnection) -> dict[str, str]:
        """End the session in the store; return the header that removes it from the browser."""
        session_id = self._session_id(connection)
        if session_id:
            await self._sessions.remove(session_id)
        return {"Set-Cookie": self._cookie(connection, "", "Max-Age=0")}

    def _session_id(self, connection: HTTPConnection) -> str | None:
        return connection.cookies.get(self._cookie_name(connection))

    def _cookie_name(self, connection: HTTPConnection) -> str:
        # Browsers keep cookies by host and not by port, so the port is in the name.
        name = f"webclient-{self._settings.cookie_port}"
        # With this prefix they take a cookie from this host alone (RFC 6265bis, 4.1.3.2): no other host of the domain
        # can sign a person in as a user of its choice. It goes with https and the path "/" only.
        return f"__Host-{name}" if is_over_https(connection, self._settings) and not self._settings.base_path else name

    def _cookie(self, connection: HTTPConnection, value: str, *more: str) -> str:
        # Written by hand: http.cookies knows Partitioned (CHIPS) only from Python 3.14 on.
        flags = ["Path=/", "HttpOnly", *more]
        if self._settings.embed_origins:
            # In a frame of another site only this combination is sent back; browsers accept it from http://localhost
            # as well. OriginCheck still stops what that site would send itself.
            flags += ["SameSite=None", "Secure", "Partitioned"]
        else:
            flags += ["SameSite=Strict", *(["Secure"] if is_over_https(connection, self._settings) else [])]
        return "; ".join([f"{self._cookie_name(connection)}={value}", *flags])
