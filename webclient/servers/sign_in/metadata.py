"""The metadata of a protected server and of its authorization server: found in the prescribed order, and checked.

MCP 2026-07-28 and 2025-11-25, Authorization, Discovery; RFC 9728, RFC 8414, OpenID Connect Discovery.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from webclient.domain.model import Json, Reason, ReasonCode, SignInStepKind
from webclient.servers.sign_in.deviations import AllowedDeviations
from webclient.servers.sign_in.errors import SignInError
from webclient.servers.sign_in.guarded_fetch import Fetched, GuardedFetch, require_https
from webclient.servers.sign_in.well_known import authorization_server_urls, is_resource_of, resource_metadata_urls

_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint")
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class ProtectedResource:
    """The metadata of a server: its `resource`, its authorization servers, and the scopes it knows.

    `proof_algorithms` are those of the proofs that it takes, None if it does not say (RFC 9728, section 2).
    """

    resource: str
    issuers: tuple[str, ...]
    scopes: tuple[str, ...] | None = None
    proof_algorithms: tuple[str, ...] | None = None
    requires_proof: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationServer:
    """The metadata of an authorization server that sign-in needs, each as the server spelled it.

    `is_guessed`: it has no metadata, and these are the addresses of MCP 2025-03-26.
    """

    issuer: str
    authorization_endpoint: str | None = None
    token_endpoint: str
    registration_endpoint: str | None = None
    revocation_endpoint: str | None = None
    scopes: tuple[str, ...] = ()
    auth_methods: tuple[str, ...] | None = None
    proof_algorithms: tuple[str, ...] | None = None
    announces_pkce: bool = False
    announces_iss: bool = False
    takes_metadata_documents: bool = False
    is_guessed: bool = False


async def find_resource(fetch: GuardedFetch, server_url: str, named: str | None) -> ProtectedResource | None:
    """Return the metadata of the server, or None if it has none.

    RFC 9728, section 3. `named` is its address in the challenge of the server. Raises SignInError.
    """
    failed: Fetched | None = None
    for url in resource_metadata_urls(server_url, named):
        fetched = await fetch.get(url, SignInStepKind.RESOURCE_METADATA)
        if fetched.is_success and fetched.body and isinstance(fetched.body.get("resource"), str):
            return _read_resource(fetch, fetched, server_url)
        fetch.record(SignInStepKind.RESOURCE_METADATA, fetched)
        failed = fetched if fetched.is_temporary else failed
    if failed:
        # Without its metadata the server would look like one of an old protocol version.
        raise failed.unavailable
    return None


def _read_resource(fetch: GuardedFetch, fetched: Fetched, server_url: str) -> ProtectedResource:
    body = fetched.body or {}
    resource = str(body["resource"])
    if not is_resource_of(resource, server_url):
        reason = Reason.of(ReasonCode.SIGN_IN_OTHER_RESOURCE, resource=resource[:_LONGEST_NAME])
        fetch.record(SignInStepKind.RESOURCE_METADATA, fetched, reason=reason)
        raise SignInError(reason)
    found = ProtectedResource(
        resource,
        _texts(body.get("authorization_servers")) or (),
        _texts(body.get("scopes_supported")),
        _texts(body.get("dpop_signing_alg_values_supported")),
        body.get("dpop_bound_access_tokens_required") is True,
    )
    fetch.record(SignInStepKind.RESOURCE_METADATA, fetched, found=" ".join(found.issuers)[:_LONGEST_NAME])
    return found


async def find_authorization_server(
    fetch: GuardedFetch, issuer: str, deviations: AllowedDeviations
) -> AuthorizationServer:
    """Return the metadata of the authorization server `issuer` (RFC 8414, section 3). Raises SignInError."""
    seen: list[Fetched] = []
    require_https(issuer)
    for url in authorization_server_urls(issuer):
        fetched = await fetch.get(url, SignInStepKind.SERVER_METADATA)
        if fetched.is_success:
            return _recorded(fetch, fetched, issuer, deviations)
        fetch.record(SignInStepKind.SERVER_METADATA, fetched)
        seen.append(fetched)
    if failed := next((each for each in seen if each.is_temporary), None):
        raise failed.unavailable
    tried = ", ".join(f"{each.url} (HTTP {each.status})" for each in seen)
    raise SignInError(Reason.of(ReasonCode.SIGN_IN_NO_METADATA, issuer=issuer, tried=tried))


async def find_old_authorization_server(
    fetch: GuardedFetch, origin: str, url: str, deviations: AllowedDeviations
) -> AuthorizationServer:
    """Return the authorization server at the origin of a server (MCP 2025-03-26, Authorization). Raises SignInError."""
    fetched = await fetch.get(url, SignInStepKind.SERVER_METADATA)
    if fetched.is_success:
        return _recorded(fetch, fetched, origin, deviations)
    fetch.record(SignInStepKind.SERVER_METADATA, fetched)
    if fetched.is_temporary:
        raise fetched.unavailable
    return AuthorizationServer(
        issuer=origin,
        authorization_endpoint=f"{origin}/authorize",
        token_endpoint=f"{origin}/token",
        registration_endpoint=f"{origin}/register",
        announces_pkce=True,
        is_guessed=True,
    )


def _recorded(fetch: GuardedFetch, fetched: Fetched, issuer: str, deviations: AllowedDeviations) -> AuthorizationServer:
    try:
        found = read_authorization_server(fetched.body or {}, issuer, deviations)
    except SignInError as error:
        fetch.record(SignInStepKind.SERVER_METADATA, fetched, reason=error.reason)
        raise
    fetch.record(SignInStepKind.SERVER_METADATA, fetched, found=found.issuer[:_LONGEST_NAME])
    return found


def read_authorization_server(body: Json, issuer: str, deviations: AllowedDeviations) -> AuthorizationServer:
    """Return the metadata of `issuer` from a document. Raises SignInError."""
    named = body.get("issuer")
    if not _is_same_issuer(named, issuer) and not deviations.accepts_issuer(named, issuer):
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_OTHER_ISSUER, issuer=issuer, other=str(named)[:_LONGEST_NAME]))

    endpoints = {name: url for name in _ENDPOINTS if isinstance(url := body.get(name), str) and url}
    if "token_endpoint" not in endpoints:
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_NO_ENDPOINT, issuer=issuer, name="token_endpoint"))
    for url in endpoints.values():
        require_https(url)
    return AuthorizationServer(
        issuer=str(named),
        token_endpoint=endpoints["token_endpoint"],
        authorization_endpoint=endpoints.get("authorization_endpoint"),
        registration_endpoint=endpoints.get("registration_endpoint"),
        revocation_endpoint=endpoints.get("revocation_endpoint"),
        scopes=_texts(body.get("scopes_supported")) or (),
        auth_methods=_texts(body.get("token_endpoint_auth_methods_supported")),
        proof_algorithms=_texts(body.get("dpop_signing_alg_values_supported")),
        announces_pkce="S256" in (_texts(body.get("code_challenge_methods_supported")) or ()),
        announces_iss=body.get("authorization_response_iss_parameter_supported") is True,
        takes_metadata_documents=body.get("client_id_metadata_document_supported") is True,
    )


def _is_same_issuer(named: object, issuer: str) -> bool:
    """Compare as strings (RFC 8414, section 3.3); a bare origin with and without a slash has one well-known URL."""
    if named == issuer:
        return True
    return isinstance(named, str) and named.rstrip("/") == issuer.rstrip("/") and urlsplit(issuer).path in ("", "/")


def _texts(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return None
    return tuple(each for each in value if isinstance(each, str))
