"""Agents that sign in by themselves: at the gateway, access tokens of the OpenID provider say who sends a request.

Promises: a token is accepted only if the configured provider signed it as an access token, for addresses of this
gateway alone, and it has not expired; its subject is a user who has signed in on the page before. A token for `/mcp`
is accepted at each server below, because it reaches them all there as well; one for a server is accepted there only.

Sources: MCP 2025-11-25 and 2026-07-28, Authorization; RFC 9728 (metadata), RFC 9068 (JWTs), RFC 8707 (resources).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.requests import HTTPConnection

from webclient.auth.authenticator import NoUserError
from webclient.auth.credentials import GATEWAY_PATH, bearer_token, is_gateway
from webclient.auth.jwt import JwtFault, claimed_issuer
from webclient.auth.local import is_local_token
from webclient.auth.oidc_provider import AccessTokenRefusedError
from webclient.auth.oidc_provider.claims import agent_scopes_of, is_shut_out
from webclient.auth.principal import Principal, PrincipalKind, Scope
from webclient.auth.users import UserTable
from webclient.domain.model import CLIENT_PREFIX, Json, User, now
from webclient.settings import Settings

if TYPE_CHECKING:
    from webclient.auth.oidc_provider import Provider

METADATA_PATH = "/.well-known/oauth-protected-resource"
"""The beginning of the paths of metadata; that of the address which it describes follows."""

LEEWAY = timedelta(seconds=60)
"""How much the clocks of the provider and of this machine may differ."""


class OidcAgents:
    """Identifies agents at the gateway by access tokens of the provider."""

    name = "oidc"

    def __init__(self, settings: Settings, provider: Provider, table: UserTable) -> None:
        self._settings = settings
        self._provider = provider
        self._table = table

    async def identify(self, connection: HTTPConnection) -> Principal | None:
        """Return the principal of an access token; None for the local token, and elsewhere.

        Raises AccessTokenRefusedError and NoUserError.
        """
        token = bearer_token(connection) if is_gateway(connection) else None
        if token is None or is_local_token(token, self._settings):
            return None
        try:
            return await self._agent(token, connection)
        except AccessTokenRefusedError as error:
            error.challenge = challenge(connection, self._settings)
            raise

    async def _agent(self, token: str, connection: HTTPConnection) -> Principal:
        issuer = claimed_issuer(token)
        if issuer is None:
            raise AccessTokenRefusedError(JwtFault.OPAQUE)
        if issuer != self._provider.issuer:
            raise AccessTokenRefusedError(JwtFault.WRONG_ISSUER)
        resources = {address_at(connection, self._settings, path) for path in (GATEWAY_PATH, connection.scope["path"])}
        claims = await self._provider.verify_access_token(token, resources)
        wanted = self._settings.oidc_agent_scope
        if wanted and wanted not in agent_scopes_of(claims):
            raise AccessTokenRefusedError(JwtFault.WRONG_SCOPE)
        user = await self._user_of(claims)
        client = str(claims.get("client_id", claims.get("azp")))
        ends = datetime.fromtimestamp(claims["exp"], UTC) + LEEWAY
        lapses_at = user.lapses_at(self._settings.sign_in_period)
        return Principal(
            user_id=user.id,
            kind=PrincipalKind.PROGRAM,
            scopes=frozenset({Scope.GATEWAY}),
            way=self.name,
            role=user.role,
            name=self._settings.agent_names.get(client, client),
            ends_at=min(ends, lapses_at) if lapses_at else ends,
            agent_id=CLIENT_PREFIX + sha256(f"{issuer}\n{client}".encode()).hexdigest()[:56],
        )

    async def _user_of(self, claims: Json) -> User:
        """Return the user whom the page signs in with this subject. Raises NoUserError."""
        user = await self._table.find(self._provider.issuer, claims["sub"])
        if user is None or user.is_awaited:
            # Made by a sign-in on the page alone, where the allow-list and the groups are known.
            raise NoUserError("unknown_user")
        if user.disabled_at is not None or self._table.is_disabled(user.id):
            raise NoUserError("disabled_user", user.id)
        if is_shut_out(claims, self._settings):
            raise NoUserError("not_allowed", user.id)
        lapses_at = user.lapses_at(self._settings.sign_in_period)
        if lapses_at and lapses_at <= now():
            raise NoUserError("lapsed_user", user.id)
        return user


def address_at(connection: HTTPConnection, settings: Settings, path: str) -> str:
    """Return the public address of a path, as agents know it."""
    public = settings.public_url or f"{connection.url.scheme}://{connection.url.netloc}"
    return f"{public.rstrip('/')}{quote(path)}"


def challenge(connection: HTTPConnection, settings: Settings) -> str:
    """Return what a `WWW-Authenticate` header says after its kind: where the metadata is, and the scope."""
    address = address_at(connection, settings, f"{METADATA_PATH}{connection.scope['path']}")
    scope = f', scope="{settings.oidc_agent_scope}"' if settings.oidc_agent_scope else ""
    return f'resource_metadata="{address}"{scope}'


def resource_metadata(connection: HTTPConnection, settings: Settings, path: str) -> Mapping[str, object]:
    """Return the metadata of the gateway's address with this path (RFC 9728)."""
    return {
        "resource": address_at(connection, settings, path),
        "resource_name": "mcp-webclient",
        "authorization_servers": [settings.oidc_issuer],
        # Without any, clients ask for all that the provider has.
        "scopes_supported": [settings.oidc_agent_scope or "openid"],
        "bearer_methods_supported": ["header"],
    }
