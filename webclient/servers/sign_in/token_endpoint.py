"""Asks the token endpoint of an authorization server: for a code, a refresh token, or the client itself (RFC 6749)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from webclient.domain.model import Json, Reason, ReasonCode, SignInStepKind, now
from webclient.servers.sign_in.client import Client
from webclient.servers.sign_in.errors import RefusedGrantError, SignInError
from webclient.servers.sign_in.guarded_fetch import Fetched, GuardedFetch
from webclient.servers.sign_in.proofs import HEADER, NONCE_WANTED, ProofKey

_TOKEN = re.compile(r"[\x21-\x7e]+")
"""The characters of a token (RFC 6749, appendix A.12); it becomes part of a header."""

_LONGEST_ERROR = 100
_LONGEST = 1000
_UNAUTHORIZED = 401
_LONGEST_LIFE = 10 * 365 * 86400


@dataclass(frozen=True, slots=True)
class TokenEndpoint:
    """The token endpoint of an authorization server, and the client that asks there, with a key for its tokens."""

    issuer: str
    url: str
    client: Client
    proof_key: ProofKey | None = None


@dataclass(frozen=True, slots=True)
class IssuedTokens:
    """The tokens of an answer. `expires_at` is None if it does not say, `scope` if it is the requested one.

    `is_bound`: the access token works with the key of the endpoint alone.
    """

    access: str
    refresh: str | None = None
    expires_at: datetime | None = None
    scope: str | None = None
    is_bound: bool = False


async def request_tokens(
    fetch: GuardedFetch, endpoint: TokenEndpoint, grant: Json, kind: SignInStepKind = SignInStepKind.TOKEN
) -> IssuedTokens:
    """Return the tokens for a grant. Raises RefusedGrantError, UnavailableError, SignInError."""
    fetched = await _post(fetch, endpoint, grant, kind)
    if endpoint.proof_key and fetched.nonce and (fetched.body or {}).get("error") == NONCE_WANTED:
        # The grant was not used (RFC 9449, section 8).
        fetch.record(kind, fetched, found=NONCE_WANTED)
        fetched = await _post(fetch, endpoint, grant, kind, fetched.nonce)
    try:
        tokens = read_tokens(fetched, endpoint)
    except SignInError as error:
        fetch.record(kind, fetched, reason=error.reason)
        raise
    fetch.record(kind, fetched, found=tokens.scope or "")
    return tokens


async def _post(
    fetch: GuardedFetch, endpoint: TokenEndpoint, grant: Json, kind: SignInStepKind, nonce: str | None = None
) -> Fetched:
    headers, body = endpoint.client.authenticated(grant, endpoint.issuer)
    if endpoint.proof_key:
        headers[HEADER] = endpoint.proof_key.proof("POST", endpoint.url, nonce=nonce)
    return await fetch.post(endpoint.url, kind, data=body, headers=headers)


def read_tokens(fetched: Fetched, endpoint: TokenEndpoint) -> IssuedTokens:
    """Return the tokens in an answer, of which no part is ever quoted. Raises as `request_tokens`."""
    body, issuer = fetched.body or {}, endpoint.issuer
    if fetched.is_temporary:
        raise fetched.unavailable
    if isinstance(error := body.get("error"), str) and error:
        raise RefusedGrantError(issuer, error[:_LONGEST_ERROR], (_text(body.get("error_description")) or "")[:_LONGEST])
    if fetched.status == _UNAUTHORIZED:
        # Only the client is proved at this endpoint, so it is what was refused (RFC 6749, section 5.2).
        raise RefusedGrantError(issuer, "invalid_client")
    access, kind = body.get("access_token"), body.get("token_type")
    if not fetched.is_success or not isinstance(access, str) or not _TOKEN.fullmatch(access):
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_NO_TOKEN, issuer=issuer, status=fetched.status))
    is_bound = isinstance(kind, str) and kind.lower() == "dpop" and endpoint.proof_key is not None
    # Bearer in spite of a proof is permitted, and the server decides (RFC 9449, section 5).
    if not is_bound and (not isinstance(kind, str) or kind.lower() != "bearer"):
        raise SignInError(Reason.of(ReasonCode.SIGN_IN_OTHER_TOKEN, issuer=issuer, kind=str(kind)[:_LONGEST_ERROR]))
    seconds = _seconds(body.get("expires_in"))
    return IssuedTokens(
        access=access,
        refresh=_text(body.get("refresh_token")),
        expires_at=now() + timedelta(seconds=seconds) if seconds is not None else None,
        scope=_text(body.get("scope")),
        is_bound=is_bound,
    )


def _seconds(value: Any) -> float | None:
    """Return a time to live that servers write as a number, a fraction or a text."""
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        return None
    return min(max(seconds, 0), _LONGEST_LIFE) if seconds == seconds else None  # noqa: PLR0124  (not NaN)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
