"""Gets tokens without a person: client credentials, a workload's identity, and ID-JAG of an enterprise's provider.

MCP extensions OAuth Client Credentials, Workload Identity Federation and Enterprise-Managed Authorization; RFC 6749
section 4.4, RFC 7523.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from webclient.domain.model import Grant, Json
from webclient.servers.sign_in.challenges import Challenge, selected
from webclient.servers.sign_in.client import ANONYMOUS
from webclient.servers.sign_in.discovery import Discovered, discover
from webclient.servers.sign_in.enterprise import Assertions
from webclient.servers.sign_in.fetching import Fetching
from webclient.servers.sign_in.grants import new_grant, with_resource
from webclient.servers.sign_in.proofs import ProofKey
from webclient.servers.sign_in.protected_server import ProtectedServer
from webclient.servers.sign_in.registration import Registrar
from webclient.servers.sign_in.token_endpoint import TokenEndpoint, request_tokens
from webclient.servers.sign_in.workload import workload_assertion

_JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"


@dataclass(frozen=True, slots=True)
class MachineGrants:
    """Requests tokens for servers whose settings need no person."""

    fetching: Fetching
    registrar: Registrar
    assertions: Assertions
    ca_file: Path | None = None

    async def request(self, server: ProtectedServer, challenge: Challenge | None, before: Grant | None) -> Grant:
        """Return new tokens for a server. Raises SignInError."""
        if not server.is_workload:
            server.require("client_id")
        async with self.fetching.on_behalf_of(server.key, server.url) as fetch:
            known = partial(self.registrar.first_known, server, "", before)
            found = await discover(fetch, server, challenge, known=known)
            scopes = selected(server.text("scope"), challenge or Challenge(), found.scopes, before)
            client = ANONYMOUS
            if server.text("client_id"):
                client = await self.registrar.client_for(fetch, server, found.at, redirect_uri="", scopes=scopes)
            key = ProofKey.new() if found.wants_proof else None
            endpoint = TokenEndpoint(found.at.issuer, found.at.token_endpoint, client, key)
            form = await self._form(server, found, scopes)
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

    async def _form(self, server: ProtectedServer, found: Discovered, scopes: tuple[str, ...]) -> Json:
        if server.is_workload:
            assertion = await workload_assertion(server, found.at, self.ca_file)
            return with_resource({"grant_type": _JWT_BEARER, "assertion": assertion}, found.resource)
        if not server.is_enterprise:
            return with_resource({"grant_type": "client_credentials"}, found.resource)
        assertion = await self.assertions.request(server, found.at.issuer, found.resource, scopes)
        return {"grant_type": _JWT_BEARER, "assertion": assertion}
