"""Verifies minted tokens: signature, issuer, audience, times, origin and scope.

PyJWT checks signature, `iss`, `aud`, `exp` and `iat`. The rest is checked here: it neither bounds the life of a token
nor knows origins. The algorithm comes from the embedder's key, so a token cannot choose it (RFC 8725 section 3.1).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import Any

import httpx2
import jwt
from jwt import PyJWK

from webclient.auth.embedders.embedder import AUDIENCE, SCOPES, Embedder
from webclient.auth.embedders.minted_token import MintedToken
from webclient.auth.embedders.refusals import TokenCode, TokenRefusedError
from webclient.auth.signing_keys import PublishedKeys, key_client

LEEWAY = 10
"""Seconds by which two clocks may differ."""

LONGEST_LIFE = 300
"""Seconds from `iat` to `exp`."""

LARGEST = 8192
"""Characters of a token."""

LONGEST_TEXT = 255
"""Characters of a subject or an id: they become values of indexed columns."""

REQUIRED = ("iss", "sub", "aud", "iat", "exp", "jti", "origin", "scope")

_REFUSALS: Sequence[tuple[type[jwt.PyJWTError], TokenCode]] = (
    (jwt.ExpiredSignatureError, TokenCode.EXPIRED),
    (jwt.ImmatureSignatureError, TokenCode.NOT_YET_VALID),
    (jwt.InvalidAudienceError, TokenCode.WRONG_AUDIENCE),
    (jwt.InvalidIssuerError, TokenCode.UNKNOWN_ISSUER),
    (jwt.InvalidSignatureError, TokenCode.WRONG_SIGNATURE),
    (jwt.InvalidAlgorithmError, TokenCode.WRONG_ALGORITHM),
    (jwt.InvalidKeyError, TokenCode.WRONG_ALGORITHM),
)


class Embedders:
    """The embedders of the file, and what verifies their tokens."""

    def __init__(
        self, embedders: Sequence[Embedder] = (), client: Callable[[], httpx2.AsyncClient] = key_client
    ) -> None:
        self._client = client
        self._by_name: dict[str, Embedder] = {}
        self._by_issuer: dict[str, Embedder] = {}
        self._published: dict[str, PublishedKeys] = {}
        self.use(embedders)

    def use(self, embedders: Sequence[Embedder]) -> None:
        """Replace the embedders; keys that were fetched from an address are kept for it."""
        self._by_name = {each.name: each for each in embedders}
        self._by_issuer = {each.issuer: each for each in embedders}
        self._origins = frozenset(origin.lower() for each in embedders for origin in each.origins)
        urls = {each.jwks_url for each in embedders if each.jwks_url}
        self._published = {url: self._published.get(url) or PublishedKeys(url, self._client) for url in urls}

    @property
    def all(self) -> Collection[Embedder]:
        """The embedders, in the order of the file."""
        return self._by_name.values()

    def get(self, name: str) -> Embedder | None:
        """Return the embedder with this name."""
        return self._by_name.get(name)

    @property
    def origins(self) -> frozenset[str]:
        """The origins of all embedders, in lower case."""
        return self._origins

    def __bool__(self) -> bool:
        return bool(self._by_name)

    async def verify(self, token: str, *, origin: str | None = None) -> MintedToken:
        """Return what the token says; `origin`, if given, is the page that sends it. Raises TokenRefusedError."""
        embedder, key_id = self._claimed(token)
        key = embedder.secret or await self._published_key(embedder, key_id)
        if key is None:
            raise TokenRefusedError(TokenCode.UNKNOWN_KEY)
        claims = _decoded(token, key, embedder)
        _check_life(claims)
        if claims["origin"] not in embedder.origins or origin not in (None, claims["origin"]):
            raise TokenRefusedError(TokenCode.WRONG_ORIGIN)
        scopes = frozenset(claims["scope"].split())
        if not scopes or not scopes <= SCOPES & embedder.may:
            raise TokenRefusedError(TokenCode.WRONG_SCOPE)
        return MintedToken(
            embedder=embedder.name,
            issuer=embedder.issuer,
            subject=claims["sub"],
            token_id=claims["jti"],
            origin=claims["origin"],
            scopes=scopes,
            expires_at=datetime.fromtimestamp(claims["exp"], UTC),
            name=_optional(claims, "name"),
            session=_optional(claims, "sid"),
        )

    async def _published_key(self, embedder: Embedder, key_id: str | None) -> PyJWK | None:
        return await self._published[embedder.jwks_url].find(key_id) if embedder.jwks_url else None

    def _claimed(self, token: str) -> tuple[Embedder, str | None]:
        """Return the embedder that the token names, and its key's id: who it says it is, before anything is checked."""
        if len(token) > LARGEST:
            raise TokenRefusedError(TokenCode.MALFORMED)
        try:
            header = jwt.get_unverified_header(token)
            issuer = jwt.decode(token, options={"verify_signature": False}).get("iss")
        except (jwt.PyJWTError, ValueError, RecursionError):
            raise TokenRefusedError(TokenCode.MALFORMED) from None
        if issuer is None:
            raise TokenRefusedError(TokenCode.MISSING_CLAIM, "iss")
        embedder = self._by_issuer.get(issuer) if isinstance(issuer, str) else None
        if embedder is None:
            raise TokenRefusedError(TokenCode.UNKNOWN_ISSUER)
        key_id = header.get("kid")
        return embedder, key_id if isinstance(key_id, str) else None


def _decoded(token: str, key: PyJWK | str, embedder: Embedder) -> dict[str, Any]:
    # A key of the embedder goes with one algorithm. A secret is a str and a published key never is, so neither can be
    # taken for the other.
    algorithm = "HS256" if isinstance(key, str) else key.algorithm_name
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=AUDIENCE,
            issuer=embedder.issuer,
            leeway=LEEWAY,
            options={"require": list(REQUIRED), "strict_aud": True},
        )
    except jwt.MissingRequiredClaimError as error:
        raise TokenRefusedError(TokenCode.MISSING_CLAIM, error.claim) from None
    except (jwt.PyJWTError, ValueError, OverflowError, RecursionError) as error:
        code = next((code for kind, code in _REFUSALS if isinstance(error, kind)), TokenCode.MALFORMED)
        raise TokenRefusedError(code) from None
    # Also `sid`, whole or not at all: by a shortened one, the embedder could not end the session any more.
    if not all(map(_is_name, (claims["sub"], claims["jti"], claims.get("sid") or "-"))):
        raise TokenRefusedError(TokenCode.MALFORMED)
    if not isinstance(claims["origin"], str) or not isinstance(claims["scope"], str):
        raise TokenRefusedError(TokenCode.MALFORMED)
    return claims


def _check_life(claims: dict[str, Any]) -> None:
    issued, expires = claims["iat"], claims["exp"]
    if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in (issued, expires)):
        raise TokenRefusedError(TokenCode.MALFORMED)
    if not 0 < expires - issued <= LONGEST_LIFE:
        raise TokenRefusedError(TokenCode.TOO_LONG)


def _is_name(value: Any) -> bool:
    # What cannot be printed, such as half a surrogate pair, cannot be stored by every database either.
    return isinstance(value, str) and 0 < len(value) <= LONGEST_TEXT and value.isprintable()


def _optional(claims: dict[str, Any], name: str) -> str | None:
    value = claims.get(name)
    return value[:LONGEST_TEXT] if isinstance(value, str) and value else None
