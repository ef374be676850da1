"""Makes a `Grant` from the tokens of an answer, and from a grant and its renewal."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from webclient.domain.model import Grant, Json, now
from webclient.servers.sign_in.client import Client
from webclient.servers.sign_in.proofs import ProofKey
from webclient.servers.sign_in.token_endpoint import IssuedTokens, TokenEndpoint

EARLY = timedelta(seconds=30)
"""How long before its end a token is renewed, so that it does not end on its way."""


def new_grant(
    key: tuple[str, str],
    endpoint: TokenEndpoint,
    tokens: IssuedTokens,
    *,
    resource: str | None,
    requested: tuple[str, ...],
    revocation_endpoint: str | None,
    redirect_uri: str | None = None,
) -> Grant:
    """Return the grant of a sign-in; an answer without scopes grants the requested ones (RFC 6749, section 5.1)."""
    return Grant(
        user_id=key[0],
        server_id=key[1],
        issuer=endpoint.issuer,
        resource=resource,
        requested=requested,
        scopes=requested if tokens.scope is None else tuple(tokens.scope.split()),
        expires_at=tokens.expires_at,
        secrets={
            "access": tokens.access,
            "refresh": tokens.refresh,
            "client": endpoint.client.as_json(),
            "token_endpoint": endpoint.url,
            "revocation_endpoint": revocation_endpoint,
            "redirect_uri": redirect_uri,
            "proof_key": endpoint.proof_key.pem if endpoint.proof_key else None,
            "is_bound": tokens.is_bound,
        },
    )


def renewed(grant: Grant, tokens: IssuedTokens) -> Grant:
    """Return a grant with new tokens; what the answer leaves out stays as it was (RFC 6749, section 6)."""
    refresh = tokens.refresh or grant.secrets["refresh"]
    return replace(
        grant,
        scopes=grant.scopes if tokens.scope is None else tuple(tokens.scope.split()),
        expires_at=tokens.expires_at,
        version=grant.version + 1,
        secrets={**grant.secrets, "access": tokens.access, "refresh": refresh, "is_bound": tokens.is_bound},
    )


def endpoint_of(grant: Grant) -> TokenEndpoint:
    """Return the token endpoint from which a grant came; no other one may see its secrets."""
    client = Client.of(grant.secrets["client"])
    return TokenEndpoint(grant.issuer, grant.secrets["token_endpoint"], client, proof_key_of(grant.secrets))


def proof_key_of(secrets: Json) -> ProofKey | None:
    """Return the key in the secrets of a sign-in or grant."""
    return ProofKey(pem) if (pem := secrets.get("proof_key")) else None


def access_of(grant: Grant | None) -> str | None:
    """Return the access token of a grant."""
    return grant.secrets.get("access") if grant else None


def refresh_of(grant: Grant | None) -> str | None:
    """Return the refresh token of a grant."""
    return grant.secrets.get("refresh") if grant else None


def is_ending(grant: Grant) -> bool:
    """Return whether a token ends within half a minute."""
    return grant.expires_at is not None and grant.expires_at - EARLY <= now()


def with_resource(form: Json, resource: str | None) -> Json:
    """Return a form with the resource of the requested token (RFC 8707, section 2)."""
    return form | {"resource": resource} if resource else form
