"""Gets tokens without a person: client credentials, a workload's identity, and ID-JAG of an enterprise's provider.

MCP extensions OAuth Client Credentials, Workload Identity Federation and Enterprise-Managed Authorization; RFC 6749
section 4.4, RFC 7523, RFC 8693, draft-ietf-oauth-identity-assertion-authz-grant.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from webclient.domain.model import Grant, Json, Reason, ReasonCode, SignInStepKind
from webclient.servers.sign_in.challenges import Challenge, selected
from webclient.servers.sign_in.client import ANONYMOUS, BASIC, NONE, Client
from webclient.servers.sign_in.discovery import Discovered, discover
from webclient.servers.sign_in.errors import RefusedGrantError, SignInError
from webclient.servers.sign_in.fetching import Fetching
from webclient.servers.sign_in.grants import new_grant, with_resource
from webclient.servers.sign_in.metadata import find_authorization_server
from webclient.servers.sign_in.proofs import ProofKey
from webclient.servers.sign_in.protected_server import ProtectedServer
from webclient.servers.sign_in.registration import Registrar
from webclient.servers.sign_in.token_endpoint import TokenEndpoint, request_tokens
from webclient.servers.sign_in.workload import workload_assertion

_TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"  # noqa: S105  (not a password)
_JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_ID_JAG = "urn:ietf:params:oauth:token-type:id-jag"
_ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"  # noqa: S105


@dataclass(frozen=True, slots=True)
class MachineGrants:
    """Requests tokens for servers whose settings need no person."""

    fetching: Fetching
    registrar: Registrar
    ca_file: Path | None = None

    async def request(self, server: ProtectedServer, challenge: Challenge | None, before: Grant | None) -> Grant:
        """Return new tokens for a server. Raises SignInError."""
        if not server.is_workload:
            _require(server, "client_id")
        async with self.fetching.on_behalf_of(server.key, server.url) as fetch:
            known = partial(self.registrar.first_known, server, "", before)
            found = await discover(fetch, server, challenge, known=known)
            scopes = selected(server.text("scope"), challenge or Challenge(), found.scopes, before)
            client = ANONYMOUS
            if server.text("client_id"):
                client = await self.registrar.client_for(fetch, server, found.at, redirect_uri="", scopes=scopes)
            key = ProofKey.new() if found.wants_proof else None
            endpoint = TokenEndpoint(found.at.issuer, found.at.token_endpoint, client, key)
            form = await self._form(server, found)
            if scopes:
                form["scope"] = " ".join(scopes)
            tokens = await request_tokens(fetch, endpoint, form)
        return new_grant(
            server.key,
            endpoint,
            tokens,
            resource=found.resource,
            requested=scopes,
            revocation_endpoint=found.at.revocation_endpoint,
        )

    async def _form(self, server: ProtectedServer, found: Discovered) -> Json:
        if server.is_workload:
            assertion = await workload_assertion(server, found.at, self.ca_file)
            return with_resource({"grant_type": _JWT_BEARER, "assertion": assertion}, found.resource)
        if not server.is_enterprise:
            return with_resource({"grant_type": "client_credentials"}, found.resource)
        return {"grant_type": _JWT_BEARER, "assertion": await self._id_jag(server, found)}

    async def _id_jag(self, server: ProtectedServer, found: Discovered) -> str:
        """Return an assertion of the identity provider for the authorization server (leg 1). Raises SignInError."""
        issuer, id_token = _require(server, "idp_issuer"), _require(server, "idp_id_token")
        client = Client(_require(server, "idp_client_id"), server.text("idp_client_secret"), NONE)
        if client.secret:
            client = Client(client.client_id, client.secret, BASIC)
        form = {
            "grant_type": _TOKEN_EXCHANGE,
            "requested_token_type": _ID_JAG,
            "audience": found.at.issuer,
            "subject_token": id_token,
            "subject_token_type": _ID_TOKEN,
        }
        # The user named this provider, so the provider's own network is permitted.
        async with self.fetching.on_behalf_of(server.key, issuer) as fetch:
            url = server.text("idp_token_endpoint")
            if url is None:
                url = (await find_authorization_server(fetch, issuer, server.deviations)).token_endpoint
            headers, body = client.authenticated(with_resource(form, found.resource), issuer)
            fetched = await fetch.post(url, SignInStepKind.TOKEN, data=body, headers=headers)
        answer = fetched.body or {}
        if fetched.is_temporary:
            raise fetched.unavailable
        if isinstance(error := answer.get("error"), str):
            raise RefusedGrantError(issuer, error[:100])
        assertion = answer.get("access_token")
        if not fetched.is_success or answer.get("issued_token_type") != _ID_JAG or not isinstance(assertion, str):
            raise SignInError(Reason.of(ReasonCode.SIGN_IN_NO_TOKEN, issuer=issuer, status=fetched.status))
        return assertion


def _require(server: ProtectedServer, name: str) -> str:
    """Return a setting. Raises SignInError without it."""
    value = server.text(name)
    if value is None:
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_NOT_CONFIGURED, name=name))
    return value
