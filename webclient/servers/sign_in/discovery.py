"""Finds the authorization server of a protected server, in all protocol versions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from webclient.domain.model import Reason, ReasonCode
from webclient.servers.sign_in.challenges import Challenge
from webclient.servers.sign_in.errors import SignInError
from webclient.servers.sign_in.guarded_fetch import GuardedFetch, require_https
from webclient.servers.sign_in.metadata import (
    AuthorizationServer,
    ProtectedResource,
    find_authorization_server,
    find_old_authorization_server,
    find_resource,
)
from webclient.servers.sign_in.proofs import ALGORITHM, accepts_ours
from webclient.servers.sign_in.protected_server import ProtectedServer
from webclient.servers.sign_in.well_known import canonical_resource, old_authorization_server_url, origin

MOST_ISSUERS = 10
"""Authorization servers of one server among which a known one is looked for."""

Known = Callable[[Sequence[str]], Awaitable[str | None]]
"""Returns the first of some issuers that has tokens or a registration of ours."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """The authorization server of a server, the `resource` to request a token for, and the scopes it knows.

    `wants_proof`: the token is to be bound to a key (DPoP).
    """

    at: AuthorizationServer
    resource: str | None
    scopes: tuple[str, ...] | None = None
    wants_proof: bool = False


async def discover(
    fetch: GuardedFetch, server: ProtectedServer, challenge: Challenge | None, *, known: Known
) -> Discovered:
    """Return the authorization server of a server; one that we know, if there are several. Raises SignInError.

    `challenge` is None if the server refused without one.
    """
    # The server itself is asked, and then sent a token.
    require_https(server.url)
    named = challenge.resource_metadata if challenge else None
    resource = await find_resource(fetch, server.url, named)
    at = await _authorization_server(fetch, server, resource, known, may_guess=challenge is not None)
    wants_proof = _wants_proof(resource, challenge or Challenge(), at)
    return Discovered(at, _resource(server, resource), resource.scopes if resource else None, wants_proof)


async def _authorization_server(
    fetch: GuardedFetch,
    server: ProtectedServer,
    resource: ProtectedResource | None,
    known: Known,
    *,
    may_guess: bool,
) -> AuthorizationServer:
    if resource:
        return await find_authorization_server(fetch, await _issuer(server, resource, known), server.deviations)
    if configured := server.text("issuer"):
        return await find_authorization_server(fetch, configured, server.deviations)
    url = old_authorization_server_url(server.url)
    found = await find_old_authorization_server(fetch, origin(server.url), url, server.deviations)
    if found.is_guessed and not may_guess:
        raise wants_key(server)
    return found


async def _issuer(server: ProtectedServer, resource: ProtectedResource, known: Known) -> str:
    if not resource.issuers:
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_NO_SERVER, where=server.where))
    if (configured := server.text("issuer")) in resource.issuers and configured:
        return configured
    several = resource.issuers[:MOST_ISSUERS] if len(resource.issuers) > 1 else ()
    return (await known(several) if several else None) or resource.issuers[0]


def _resource(server: ProtectedServer, resource: ProtectedResource | None) -> str | None:
    """Return the value of `resource`, byte for byte as the server has it (RFC 8707, section 2)."""
    if server.deviations.no_resource:
        return None
    return resource.resource if resource else canonical_resource(server.url)


def _wants_proof(resource: ProtectedResource | None, challenge: Challenge, at: AuthorizationServer) -> bool:
    """Return whether to have tokens bound to a key: the server takes such, and its authorization server gives such.

    Raises SignInError if the server takes no others, and gets none.
    """
    requires = challenge.requires_proof or (resource is not None and resource.requires_proof)
    algorithms = resource.proof_algorithms if resource else None
    takes = requires or challenge.takes_proof or bool(algorithms)
    if takes and accepts_ours(at.proof_algorithms) and (not algorithms or accepts_ours(algorithms)):
        return True
    if requires:
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_NO_PROOF, issuer=at.issuer, algorithm=ALGORITHM))
    return False


def wants_key(server: ProtectedServer) -> SignInError:
    """Return the error for a server that refuses without a way to sign in."""
    return SignInError(Reason.of(ReasonCode.HTTP_UNAUTHORIZED, where=server.where, status=401))
