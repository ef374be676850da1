"""Verifies minted tokens: issuer, audience, times, origin and scope.

What `auth.jwt` does not check is checked here: how long a token lives, and the origin. The algorithm comes from the
embedder's key.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime

import httpx2
from jwt import PyJWK

from webclient.auth.embedders.embedder import AUDIENCE, GATEWAY, SCOPES, Embedder, MintedToken
from webclient.auth.jwt import LONGEST_NAME, JwtFault, JwtRefusedError, is_name, read_header, read_issuer, verify
from webclient.auth.signing_keys import PublishedKeys, key_client
from webclient.domain.i18n import N_
from webclient.domain.model import Json

LONGEST_LIFE = 300
"""Seconds from `iat` to `exp`."""

LARGEST = 8192
"""Characters of a token."""

REQUIRED = ("iss", "sub", "aud", "iat", "exp", "jti", "origin", "scope")


class TokenRefusedError(JwtRefusedError):
    """A minted token is not accepted."""

    sentences = {  # noqa: RUF012  (declared by the class above)
        JwtFault.MALFORMED: N_("The token is malformed: it must be a JWT, with claims of the right types."),
        JwtFault.UNKNOWN_ISSUER: N_("The issuer of the token is unknown: “iss” must be that of the embedders file."),
        JwtFault.WRONG_ALGORITHM: N_(
            "The algorithm of the token is not accepted: use HS256 with a secret, or EdDSA, ES256 or RS256 with "
            "published keys."
        ),
        JwtFault.UNKNOWN_KEY: N_("The key of the token is unknown: “kid” must name one of the published keys."),
        JwtFault.WRONG_SIGNATURE: N_("The signature of the token is wrong: check the secret or the key."),
        JwtFault.MISSING_CLAIM: N_("The token has no claim “{claim}”."),
        JwtFault.WRONG_AUDIENCE: N_("The token is meant for another audience: “aud” must be “mcp-inbox”."),
        JwtFault.WRONG_ORIGIN: N_("The origin of the token is not one of its embedder, or not that of this page."),
        JwtFault.WRONG_SCOPE: N_("The token asks for a scope that its embedder may not give."),
        JwtFault.NOT_YET_VALID: N_("The token is from the future: compare the clocks of both machines."),
        JwtFault.EXPIRED: N_("The token has expired: mint a new one."),
        JwtFault.TOO_LONG: N_("The token is valid for too long: five minutes at most, from “iat” to “exp”."),
        JwtFault.REPLAYED: N_("The token was used before: mint a new one for each use, with a “jti” of its own."),
        JwtFault.DISABLED_USER: N_("This user is disabled."),
        JwtFault.ENDED: N_("The application has ended this session after it made the token: mint a new one."),
    }

    @property
    def headers(self) -> Mapping[str, str]:
        """The challenge, which says to programs that it is the token (RFC 6750, section 3.1)."""
        return {"WWW-Authenticate": 'Bearer error="invalid_token"'}


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
            raise TokenRefusedError(JwtFault.UNKNOWN_KEY)
        claims = _decoded(token, key, embedder)
        _check_life(claims)
        if claims["origin"] not in embedder.origins or origin not in (None, claims["origin"]):
            raise TokenRefusedError(JwtFault.WRONG_ORIGIN)
        scopes = frozenset(claims["scope"].split())
        if not scopes or not scopes <= SCOPES & embedder.may:
            raise TokenRefusedError(JwtFault.WRONG_SCOPE)
        return MintedToken(
            embedder=embedder.name,
            issuer=embedder.issuer,
            subject=claims["sub"],
            token_id=claims["jti"],
            origin=claims["origin"],
            scopes=scopes,
            issued_at=datetime.fromtimestamp(claims["iat"], UTC),
            expires_at=datetime.fromtimestamp(claims["exp"], UTC),
            name=_optional(claims, "name"),
            session=_optional(claims, "sid"),
            agent=_agent(claims) if GATEWAY in scopes else None,
        )

    async def _published_key(self, embedder: Embedder, key_id: str | None) -> PyJWK | None:
        return await self._published[embedder.jwks_url].find(key_id) if embedder.jwks_url else None

    def is_from(self, issuer: str) -> bool:
        """Return whether the tokens of this issuer are verified here."""
        return issuer in self._by_issuer

    def _claimed(self, token: str) -> tuple[Embedder, str | None]:
        """Return the embedder that the token names, and its key's id: who it says it is, before anything is checked."""
        header = read_header(token, LARGEST, TokenRefusedError)
        issuer = read_issuer(token, TokenRefusedError)
        embedder = self._by_issuer.get(issuer) if isinstance(issuer, str) else None
        if embedder is None:
            raise TokenRefusedError(JwtFault.UNKNOWN_ISSUER)
        key_id = header.get("kid")
        return embedder, key_id if isinstance(key_id, str) else None


def _decoded(token: str, key: PyJWK | str, embedder: Embedder) -> Json:
    # A key of the embedder goes with one algorithm. A secret is a str and a published key never is, so neither can be
    # taken for the other.
    algorithm = "HS256" if isinstance(key, str) else key.algorithm_name
    claims = verify(
        token,
        key,
        TokenRefusedError,
        algorithms=[algorithm],
        audience=AUDIENCE,
        issuer=embedder.issuer,
        required=REQUIRED,
        is_only_audience=True,
    )
    # Also `sid`, whole or not at all: by a shortened one, the embedder could not end the session any more.
    if not all(map(is_name, (claims["sub"], claims["jti"], claims.get("sid") or "-"))):
        raise TokenRefusedError(JwtFault.MALFORMED)
    if not isinstance(claims["origin"], str) or not isinstance(claims["scope"], str):
        raise TokenRefusedError(JwtFault.MALFORMED)
    return claims


def _agent(claims: Json) -> str:
    """Return the agent that a token for the gateway must name."""
    if "act" not in claims:
        raise TokenRefusedError(JwtFault.MISSING_CLAIM, "act")
    act = claims["act"]
    if not isinstance(act, dict) or not is_name(act.get("sub")):
        raise TokenRefusedError(JwtFault.MALFORMED)
    return str(act["sub"])


def _check_life(claims: Json) -> None:
    if not claims["iat"] < claims["exp"] <= claims["iat"] + LONGEST_LIFE:
        raise TokenRefusedError(JwtFault.TOO_LONG)


def _optional(claims: Json, name: str) -> str | None:
    value = claims.get(name)
    return value[:LONGEST_NAME] if isinstance(value, str) and value else None
