"""The way "oidc": an OpenID provider signs users in, and a browser gets a session of ours for that.

Two cookies stand beside that of the session. One keeps a sign-in that has begun, for `/auth/` only: `Lax`, because the
browser comes back from the provider. The other keeps the ID token for `/logout` only, by which the provider knows whom
to sign out.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from starlette.requests import HTTPConnection

from webclient.auth.authenticator import EndedSession, InvalidCredentialError, SignIn, SignInOutcome, SignInResult
from webclient.auth.credentials import is_over_https
from webclient.auth.oidc_provider import BegunFlows, Refusal, RefusedError
from webclient.auth.refusals import Refusal as AuditedRefusal
from webclient.auth.refusals import Refusals, address_of
from webclient.auth.saved_identities import SavedIdentities
from webclient.auth.session_cookie import SessionCookie
from webclient.auth.users import Users
from webclient.domain.i18n import gettext as _
from webclient.domain.model import acting_by
from webclient.settings import Settings
from webclient.store import BrowserSessions, UsedTokens
from webclient.store import SavedIdentities as SavedIdentityTable
from webclient.support.log_lines import rare_logger

if TYPE_CHECKING:
    from webclient.auth.oidc_provider import Provider

logger = rare_logger(__name__)

OIDC = "oidc"
"""The name of the way, in the settings and of its sessions."""

BEGIN_PATH = "/auth/login"
CALLBACK_PATH = "/auth/callback"
BACKCHANNEL_PATH = "/auth/backchannel-logout"

LONGEST = 3600
"""Seconds for which a browser keeps a sign-in that has begun, so that a late one differs from a forged one."""

MOST_BEGUN = 10
"""Sign-ins that one browser may have begun, such as the tabs that it opens again after a restart."""

LARGEST_HINT = 3500
"""Characters of an ID token that fit into a cookie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The next page for the browser, `address`, with the `cookies` that it gets."""

    address: str
    cookies: tuple[str, ...]


class OidcSignIn:
    """Begins and finishes sign-ins at the provider; `other` does the rest of the sign-in page."""

    begins_at = BEGIN_PATH

    def __init__(
        self,
        settings: Settings,
        provider: Provider,
        cookie: SessionCookie,
        users: Users,
        other: SignIn,
        *,
        flows: BegunFlows,
        refusals: Refusals | None = None,
        identities: SavedIdentities | None = None,
    ) -> None:
        self._settings = settings
        self._provider = provider
        self._flows = flows
        self._cookie = cookie
        self._users = users
        self._other = other
        self._refusals = refusals
        self._identities = identities
        self.takes_token = other.takes_token

    @property
    def provider_label(self) -> str:
        """The name of the provider for people."""
        return self._provider.label

    @property
    def link_secret(self) -> str | None:
        """The secret of the ready line, which is that of the other sign-in."""
        return self._other.link_secret

    def one_time_secret(self) -> str:
        """Return a secret of the other sign-in."""
        return self._other.one_time_secret()

    def instructions(self) -> str:
        """Return the sentences that say how to sign in."""
        if self.takes_token:
            return self._other.instructions()
        return _("Sign in at {provider}. Programs send a token as “Authorization: Bearer TOKEN”.").format(
            provider=self._provider.label
        )

    async def sign_in(self, connection: HTTPConnection, secret: str) -> SignInResult:
        """Sign in with the secret of the other sign-in, if it takes one."""
        if not self.takes_token:
            return SignInResult(outcome=SignInOutcome.ELSEWHERE)
        return await self._other.sign_in(connection, secret)

    async def begin(
        self, connection: HTTPConnection, page: str, *, again: bool = False, was_moved: bool = False
    ) -> Step:
        """Begin a sign-in that goes on to `page`, with another account if `again`. Raises RefusedError.

        Under another name than the public one, the step leads there first, where the sign-in begins and ends; once
        only, so that a proxy that replaces the name in requests makes no circle (`was_moved`).
        """
        if connection.headers.get("sec-fetch-dest", "document") != "document":
            # Providers refuse to be framed, and a frame is where a person cannot see whose page asks for a password.
            raise RefusedError(Refusal.FRAMED, page)
        if not self._is_public_name(connection):
            if not was_moved:
                query = urlencode({"next": page, **({"again": "true"} if again else {}), "moved": "true"})
                # Safe: an address of the settings, and nothing of the request but a page of ours.
                return Step(address=f"{self._settings.public_url}{BEGIN_PATH}?{query}", cookies=())
            logger.warning(
                "A sign-in begins under the name %.100r, and not that of --public-url: the proxy should pass Host on.",
                connection.url.hostname,
            )
        begun = await self._provider.begin(self._address(connection, CALLBACK_PATH), page, again=again)
        name = self._flow_cookie(connection, begun.flow.state)
        older = [each for each in connection.cookies if each.startswith(self._flow_cookie(connection, None))]
        # Browsers send the oldest first (RFC 6265, section 5.4).
        dropped = [self._written(connection, each, "", 0) for each in older[: max(0, len(older) + 1 - MOST_BEGUN)]]
        return Step(
            address=begun.url,
            cookies=(self._written(connection, name, self._flows.sealed(begun.flow), LONGEST), *dropped),
        )

    async def finish(self, connection: HTTPConnection) -> Step:
        """Finish the sign-in with which the browser comes back. Raises RefusedError."""
        answer = dict(connection.query_params)
        state = answer.get("state", "")
        flow = self._flows.opened(connection.cookies.get(self._flow_cookie(connection, state)), state)
        finished = await self._provider.finish(answer, flow)
        await self._flows.use_up(flow)
        with acting_by(OIDC):
            try:
                user = await self._users.recognise(finished.person)
            except InvalidCredentialError:
                raise RefusedError(Refusal.DISABLED, finished.page, finished.person) from None
            session = await self._cookie.start(connection, user.id, OIDC, provider_session=finished.provider_session)
            if self._identities:
                await self._identities.save(user.id, finished)
        hint = finished.id_token if len(finished.id_token) <= LARGEST_HINT else ""
        return Step(
            address=finished.page,
            cookies=(session["Set-Cookie"], self._hint(connection, hint), *self.forgotten(connection)),
        )

    def forgotten(self, connection: HTTPConnection) -> tuple[str, ...]:
        """Return the cookies that remove the sign-in with which the browser came back."""
        name = self._flow_cookie(connection, connection.query_params.get("state", ""))
        return (self._written(connection, name, "", 0),) if name in connection.cookies else ()

    async def refused(self, connection: HTTPConnection, error: RefusedError) -> None:
        """Note a refusal for the audit trail."""
        if self._refusals:
            refusal = AuditedRefusal(address=address_of(connection), way=OIDC, code=error.refusal.value)
            if error.person is not None:
                refusal = await self._users.named(refusal, error.person)
            await self._refusals.add(refusal)

    async def sign_out(self, connection: HTTPConnection) -> EndedSession:
        """End the session; the browser goes on to end that of the provider, if that one began it."""
        if await self._cookie.way_of(connection) != OIDC:
            return await self._other.sign_out(connection)
        cookies = ((await self._cookie.end(connection))["Set-Cookie"], self._hint(connection, ""))
        hint = connection.cookies.get(self._hint_cookie)
        # Ours has ended already, also if the provider cannot be reached.
        return EndedSession(
            cookies=cookies, url=await self._provider.sign_out_url(hint, self._address(connection, "/login"))
        )

    def _address(self, connection: HTTPConnection, path: str) -> str:
        # Registered at the provider, so it is the public one, under any name of the request.
        public = self._settings.public_url
        return f"{public or f'{connection.url.scheme}://{connection.url.netloc}'}{path}"

    def _is_public_name(self, connection: HTTPConnection) -> bool:
        # Names alone: a browser keeps cookies by the host, on every port, and a proxy may hide scheme and port.
        public = self._settings.public_url
        return public is None or urlsplit(public).hostname == (connection.url.hostname or "").lower()

    def _flow_cookie(self, connection: HTTPConnection, state: str | None) -> str:
        # One for each sign-in, so that those of two tabs do not disturb each other.
        digest = "" if state is None else sha256(state.encode("utf-8", "surrogatepass")).hexdigest()[:24]
        name = f"webclient-{self._settings.cookie_port}-flow-{digest}"
        # As with the session: no other host of the domain can have a person go on with a sign-in of its own.
        return f"__Host-{name}" if is_over_https(connection, self._settings) and not self._settings.base_path else name

    @property
    def _hint_cookie(self) -> str:
        return f"webclient-{self._settings.cookie_port}-hint"

    def _written(self, connection: HTTPConnection, name: str, value: str, seconds: int) -> str:
        secure = ["Secure"] if is_over_https(connection, self._settings) else []
        path = "/" if name.startswith("__Host-") else "/auth/"
        flags = [f"Max-Age={seconds}", f"Path={path}", "HttpOnly", "SameSite=Lax", *secure]
        return "; ".join([f"{name}={value}", *flags])

    def _hint(self, connection: HTTPConnection, value: str) -> str:
        secure = ["Secure"] if is_over_https(connection, self._settings) else []
        end = [] if value else ["Max-Age=0"]
        return "; ".join([f"{self._hint_cookie}={value}", "Path=/logout", "HttpOnly", "SameSite=Strict", *secure, *end])


class BackchannelLogout:
    """Takes logout tokens of the provider, each once; `used_tokens` remembers them.

    The ID tokens in `identities` end with the sessions.
    """

    def __init__(
        self,
        provider: Provider,
        sessions: BrowserSessions,
        used_tokens: UsedTokens,
        identities: SavedIdentityTable,
    ) -> None:
        self._provider = provider
        self._sessions = sessions
        self._used_tokens = used_tokens
        self._identities = identities

    async def end_sessions(self, logout_token: str) -> None:
        """End the sessions that a token names. Raises RefusedError."""
        logged_out = await self._provider.verify_logout(logout_token)
        issuer = f"{OIDC} {self._provider.issuer}"
        if not await self._used_tokens.use(issuer, logged_out.token_id, logged_out.forgotten_at):
            raise RefusedError(Refusal.UNUSABLE)
        with acting_by(OIDC):
            await self._sessions.end_of_provider(
                self._provider.issuer,
                subject=logged_out.subject,
                provider_session=logged_out.provider_session,
            )
            await self._identities.end_of_provider(
                self._provider.issuer,
                subject=logged_out.subject,
                provider_session=logged_out.provider_session,
            )
