"""Verifies the tokens that the provider signs: of sign-ins, of those that end our sessions, and of agents.

Sources: OpenID Connect Core 1.0, section 3.1.3.7, and OpenID Connect Back-Channel Logout 1.0. Issuer, audience,
algorithm, signature and times are points 2, 3 and 6 to 10 of the first, and are checked for both.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import new as new_hash
from time import monotonic, time
from typing import Any

from webclient.auth.jwt import JwtFault, JwtRefusedError, is_name, key_of, read_header, verify
from webclient.auth.oidc_provider.bounded import LARGEST
from webclient.auth.oidc_provider.metadata import ALGORITHMS
from webclient.auth.oidc_provider.refusals import AccessTokenRefusedError
from webclient.domain.model import Json

EVENT = "http://schemas.openid.net/event/backchannel-logout"

LARGEST_LOGOUT = 8192
"""Characters of a logout token, which everybody can send."""

LARGEST_ACCESS = 16_384
"""Characters of an access token, which may name many groups."""

LONGEST_LIFE = 300
"""Seconds after which a logout token is of no use: the specification recommends two minutes."""

PAUSE = 30.0
"""Seconds between two fetches of the keys for logout tokens, however many of them name unknown keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedOut:
    """Whom the provider has signed out: a `subject`, one of its sessions, or both.

    The `token_id` must be taken once, until `forgotten_at`.
    """

    subject: str | None
    provider_session: str | None
    token_id: str
    forgotten_at: datetime


class ProviderTokens:
    """Verifies the tokens of one provider for one client; `app` fetches and remembers the keys."""

    def __init__(self, issuer: str, client_id: str, leeway: int) -> None:
        self._issuer = issuer
        self._client_id = client_id
        self._leeway = leeway
        self._fetched_at = -PAUSE

    async def verify_id_token(
        self, token: Any, app: Any, algorithms: Sequence[str], *, nonce: str | None, access_token: str | None
    ) -> Json:
        """Return the claims of an ID token that the provider sent with an access token; a renewed one has no `nonce`.

        Raises JwtRefusedError, and the errors of a fetch of keys.
        """
        header = read_header(token, LARGEST, JwtRefusedError)
        key = await self._key(header, app, algorithms, is_trusted=True)
        claims = self._verified(
            token, key, algorithms, ("iss", "aud", "sub", "exp", "iat", *(["nonce"] if nonce is not None else []))
        )
        if not is_name(claims["sub"]):
            raise JwtRefusedError(JwtFault.WRONG_CLAIM, "sub")
        # Points 3 to 5: beside audiences that we do not know, it must name us as the client for which it was made.
        if claims["aud"] not in (self._client_id, [self._client_id]) and claims.get("azp") is None:
            raise JwtRefusedError(JwtFault.MISSING_CLAIM, "azp")
        # Point 11 is the nonce, and section 3.1.3.8 the hash. Points 12 and 13 are claims that we do not ask for.
        right = {"azp": self._client_id} | ({"nonce": nonce} if nonce is not None else {})
        if access_token is not None:
            right["at_hash"] = half_hash(access_token, header["alg"])
        for name, value in right.items():
            if claims.get(name) not in (None, value):
                raise JwtRefusedError(JwtFault.WRONG_CLAIM, name)
        return claims

    async def verify_access_token(self, token: str, app: Any, resources: Collection[str]) -> Json:
        """Return the claims of an access token for these addresses alone (RFC 9068).

        Raises AccessTokenRefusedError, and the errors of a fetch of keys.
        """
        header = read_header(token, LARGEST_ACCESS, AccessTokenRefusedError)
        # Section 4: an ID token, also one for a client that calls itself like our address, must not pass for one.
        if str(header.get("typ", "")).lower().removeprefix("application/") != "at+jwt":
            raise AccessTokenRefusedError(JwtFault.WRONG_TYPE)
        algorithms = sorted(ALGORITHMS)
        try:
            key = await self._key(header, app, algorithms, is_trusted=False)
        except JwtRefusedError as error:
            raise AccessTokenRefusedError(error.code) from None
        claims = verify(
            token,
            key,
            AccessTokenRefusedError,
            algorithms=algorithms,
            audience=None,
            issuer=self._issuer,
            required=("iss", "aud", "sub", "exp", "iat"),
            leeway=self._leeway,
        )
        audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
        # Another service that gets the same token could send it here.
        if not audiences or not all(isinstance(each, str) and each in resources for each in audiences):
            raise AccessTokenRefusedError(JwtFault.WRONG_AUDIENCE)
        for name, value in (("sub", claims["sub"]), ("client_id", claims.get("client_id", claims.get("azp")))):
            if not is_name(value):
                raise AccessTokenRefusedError(JwtFault.WRONG_CLAIM if value else JwtFault.MISSING_CLAIM, name)
        return claims

    async def verify_logout_token(self, token: str, app: Any, algorithms: Sequence[str]) -> LoggedOut:
        """Return whom a logout token names. Raises ValueError, JwtRefusedError, and the errors of a fetch of keys."""
        header = read_header(token, LARGEST_LOGOUT, JwtRefusedError)
        key = await self._key(header, app, algorithms, is_trusted=False)
        claims = self._verified(token, key, algorithms, ("iss", "aud", "iat", "jti"))
        # Section 2.4: an ID token, which has a nonce or no event, must not pass for one.
        events = claims.get("events")
        if "nonce" in claims or not isinstance(events, dict) or not isinstance(events.get(EVENT), dict):
            raise ValueError("no logout token")
        if str(header.get("typ", "JWT")).lower() not in ("jwt", "logout+jwt"):
            raise ValueError("other type")
        longest = LONGEST_LIFE + self._leeway
        if claims["iat"] < time() - longest:
            raise ValueError("old")
        subject, session = _text(claims.get("sub")), _text(claims.get("sid"))
        token_id = _text(claims["jti"])
        if token_id is None or (subject is None and session is None):
            raise ValueError("nobody")
        return LoggedOut(
            subject=subject,
            provider_session=session,
            token_id=token_id,
            forgotten_at=datetime.fromtimestamp(claims["iat"] + longest + self._leeway, UTC),
        )

    async def _key(self, header: Json, app: Any, algorithms: Sequence[str], *, is_trusted: bool) -> Any:
        """Return the key of a header. With `is_trusted` it comes from the provider: a key that is unknown is new."""
        if header.get("alg") not in algorithms:
            # Before the key is looked for: what cannot be verified must not make us ask for keys.
            raise JwtRefusedError(JwtFault.WRONG_ALGORITHM)
        key = key_of(await app.fetch_jwk_set(), header)
        if key is None and (is_trusted or monotonic() - self._fetched_at >= PAUSE):
            self._fetched_at = monotonic()
            key = key_of(await app.fetch_jwk_set(force=True), header)
        if key is None:
            raise JwtRefusedError(JwtFault.UNKNOWN_KEY)
        return key

    def _verified(self, token: str, key: Any, algorithms: Sequence[str], required: Sequence[str]) -> Json:
        return verify(
            token,
            key,
            JwtRefusedError,
            algorithms=algorithms,
            audience=self._client_id,
            issuer=self._issuer,
            required=required,
            leeway=self._leeway,
        )


def half_hash(access_token: str, algorithm: str) -> str:
    """Return the `at_hash` of a token: half of the hash that the signature's algorithm uses."""
    # RFC 8032, section 5.1: Ed25519 uses SHA-512.
    digest = new_hash("sha512" if algorithm.startswith("Ed") else f"sha{algorithm[2:]}", access_token.encode()).digest()
    return urlsafe_b64encode(digest[: len(digest) // 2]).decode().rstrip("=")


def _text(given: Any) -> str | None:
    if given is not None and not is_name(given):
        raise ValueError("no text")
    return given and str(given)
