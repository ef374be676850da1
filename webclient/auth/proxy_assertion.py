"""The proxy way with signed assertions: the proxy signs who is signed in, for us, with each request.

The signature protects it, so the address of the proxy need not be known: no other client can make such a header. If
`--trusted-proxy` is given, `web/http/security/proxies.py` refuses the header from any other address as well.
"""

from __future__ import annotations

from starlette.requests import HTTPConnection

from webclient.auth.assertions import ASSERTION_HEADERS, Assertions
from webclient.auth.principal import Principal, user_principal
from webclient.auth.proxy_header import PROXY, TRUSTED_PEER
from webclient.auth.users import Users
from webclient.settings import Settings


class ProxyAssertion:
    """Identifies by the signed assertion that `settings` name."""

    name = PROXY

    def __init__(self, settings: Settings, users: Users) -> None:
        self._header = ASSERTION_HEADERS[settings.auth_jwt] if settings.auth_jwt else ""
        self._trusts_addresses = bool(settings.trusted_proxies)
        self._assertions = Assertions(settings)
        self._users = users

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return the principal whom the proxy names.

        Raises AssertionRefusedError with the reason, and InvalidCredentialError for a disabled user.
        """
        if self._trusts_addresses and connection.scope.get(TRUSTED_PEER) is not True:
            return None
        token = connection.headers.get(self._header)
        if not token:
            return None
        assertion = await self._assertions.verify(token)
        user = await self._users.recognise(assertion.person)
        # Streams end with the assertion; the page then opens them again, with the next one.
        return user_principal(user, self.name, ends_at=assertion.ends_at)
