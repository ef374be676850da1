"""The proxy way: a trusted reverse proxy has signed the user in, and names them in a header of each request.

Nothing in the header is signed, so only the address of the peer protects it: `web/http/security/proxies.py` refuses it
from any other one, and marks the requests of trusted peers. This program sets no cookie: each request names the user.
"""

from __future__ import annotations

from starlette.requests import HTTPConnection

from webclient.auth.authenticator import EndedSession, SignInOutcome, SignInResult
from webclient.auth.credentials import utf_8
from webclient.auth.principal import Principal, user_principal
from webclient.auth.users import Users
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Person
from webclient.settings import Settings

TRUSTED_PEER = "webclient.trusted_peer"
"""The key of the ASGI scope that is True if a trusted proxy sent the request."""

PROXY = "proxy"
"""The name of the way, and the issuer of its users."""


class ProxyHeader:
    """Identifies by the headers that `settings` name, in requests of trusted peers only."""

    name = PROXY

    def __init__(self, settings: Settings, users: Users) -> None:
        self._settings = settings
        self._users = users

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return the principal whom the proxy names. Raises InvalidCredentialError for a disabled user."""
        if connection.scope.get(TRUSTED_PEER) is not True:
            return None
        subject = _text(connection, self._settings.auth_header)
        if not subject:
            return None
        name = _text(connection, self._settings.auth_name_header)
        email = _text(connection, self._settings.auth_email_header)
        user = await self._users.recognise(Person(issuer=PROXY, subject=subject, name=name, email=email))
        return user_principal(user, self.name)


class SignInElsewhere:
    """The sign-in page where no token signs a browser in: the proxy or the embedding application does."""

    takes_token = False
    begins_at = None
    provider_label = ""
    link_secret = None

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def one_time_secret(self) -> str:
        """Return a secret that signs no one in."""
        return ""

    def instructions(self) -> str:
        """Return the sentences that say how to sign in."""
        return _(
            "You are signed in elsewhere: open mcp-webclient at the address that you were given for it. Programs send "
            "a token as “Authorization: Bearer TOKEN”."
        )

    async def sign_in(self, connection: HTTPConnection, secret: str) -> SignInResult:  # noqa: ARG002
        """Refuse any secret."""
        return SignInResult(outcome=SignInOutcome.ELSEWHERE)

    async def sign_out(self, connection: HTTPConnection) -> EndedSession:  # noqa: ARG002
        """Return the address at which the proxy signs users out, if the settings name it; no session of ours ends."""
        return EndedSession(url=self._settings.sign_out_url)


def _text(connection: HTTPConnection, header: str | None) -> str:
    # The spaces of HTTP and no others: a name that begins with a space of another kind is another user.
    return utf_8(connection.headers.get(header, "").strip(" \t")) if header else ""
