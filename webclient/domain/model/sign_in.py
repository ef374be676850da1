"""Signing in to a protected server: what is wanted of the user, what was granted, and the secrets of both."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from webclient.domain.model.common import Json, new_id, now
from webclient.domain.model.reason import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Unauthorized:
    """A response that refused a request for its token, or for the lack of one.

    `status` is 401 or 403, `challenges` are its `WWW-Authenticate` headers, and `token` is the refused token, None if
    there was none. `proof` went with the token, and `nonce` is the one that the next proof should have (DPoP).
    """

    status: int
    challenges: tuple[str, ...]
    token: str | None
    proof: str | None = None
    nonce: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingSignIn:
    """A sign-in that waits for its user; there is at most one for each server.

    `state_hash` is the SHA-256 of the `state` parameter, `nonce_hash` that of the cookie of the browser that opened it.
    `scopes` are requested, `new_scopes` those among them that were not granted before. `authorization_url` is where the
    user signs in. `secrets` is what finishing it needs: `{state, verifier, issuer, announces_iss, token_endpoint,
    revocation_endpoint, redirect_uri, resource, client, proof_key}`, sealed in the database.
    """

    id: str = field(default_factory=new_id)
    user_id: str
    server_id: str
    issuer: str
    scopes: tuple[str, ...] = ()
    new_scopes: tuple[str, ...] = ()
    authorization_url: str = field(repr=False)
    state_hash: str
    nonce_hash: str | None = None
    created_at: datetime = field(default_factory=now)
    expires_at: datetime
    used_at: datetime | None = None
    secrets: Json = field(default_factory=dict, repr=False)

    @property
    def is_registered(self) -> bool:
        """Whether this program registered its client by itself, so that it can register again."""
        return bool(self.secrets.get("client", {}).get("is_registered"))

    @property
    def was_registered_again(self) -> bool:
        """Whether its client was replaced, so that its user has to open it again."""
        return bool(self.secrets.get("was_registered_again"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """The tokens of one user for one server.

    `scopes` were granted, `requested` were requested. `secrets` is `{access, refresh, client, token_endpoint,
    revocation_endpoint, proof_key, is_bound}`, sealed in the database. `version` grows with each renewal.
    """

    user_id: str
    server_id: str
    issuer: str
    resource: str | None = None
    requested: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    expires_at: datetime | None = None
    version: int = 0
    secrets: Json = field(default_factory=dict, repr=False)

    @property
    def is_bound(self) -> bool:
        """Whether the access token works only with the stored key (DPoP, RFC 9449)."""
        return bool(self.secrets.get("is_bound"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """A client that this program has registered with an authorization server, for one user and redirect URI.

    `secrets` is `{client_id, secret, auth_method, secret_expires_at}`, sealed in the database.
    """

    user_id: str
    issuer: str
    redirect_uri: str
    secrets: Json = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Auth:
    """Where the sign-in to a server stands, beside the state of its connection.

    `wanted` waits for the user. `error` says why no sign-in is possible, or why the last one failed. `granted` are the
    tokens that are used.
    """

    wanted: PendingSignIn | None = None
    error: Reason | None = None
    granted: Grant | None = None


class SignInStepKind(StrEnum):
    """The purpose of a request to the server or its authorization server."""

    CHALLENGE = "challenge"
    """The refusal that began it."""
    RESOURCE_METADATA = "resource_metadata"
    SERVER_METADATA = "server_metadata"
    REGISTRATION = "registration"
    AUTHORIZATION = "authorization"
    """The user was sent to the authorization server, or came back."""
    ASSERTION = "assertion"
    """The company was asked whether it opens the server."""
    TOKEN = "token"  # noqa: S105  (the name of a step)
    REFRESH = "refresh"
    REVOCATION = "revocation"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInStep:
    """One step of a sign-in, without secrets: the request's `url` (no query), the `status` and time of its response.

    `status` is None without a response. `found` is what was learned, as plain data: an issuer, scopes, or the way in
    which the client was registered. `reason` is why the step was of no use.
    """

    kind: SignInStepKind
    url: str
    at: datetime = field(default_factory=now)
    status: int | None = None
    milliseconds: int | None = None
    found: str = ""
    reason: Reason | None = None
