"""Verifies logout tokens, with which the provider ends our sessions (OpenID Connect Back-Channel Logout 1.0).

Everybody can send one, so keys are fetched again at most once in 30 seconds, however many tokens name unknown ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any

from joserfc import jwt
from joserfc.errors import InvalidKeyIdError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry

EVENT = "http://schemas.openid.net/event/backchannel-logout"

LARGEST = 8192
"""Characters of a token."""

LONGEST_LIFE = 300
"""Seconds after which a token is of no use: the specification recommends two minutes."""

LONGEST_TEXT = 255

PAUSE = 30.0
"""Seconds between two fetches of the keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedOut:
    """Whom the provider has signed out: a `subject`, one of its sessions, or both.

    The `token_id` must be taken once, until `forgotten_at`.
    """

    subject: str | None
    provider_session: str | None
    token_id: str
    forgotten_at: datetime


class LogoutTokens:
    """Verifies the logout tokens of one provider for one client."""

    def __init__(self, issuer: str, client_id: str, leeway: int, clock: Callable[[], float] = monotonic) -> None:
        self._leeway = leeway
        self._clock = clock
        self._fetched_at = -PAUSE
        self._registry = jwt.JWTClaimsRegistry(
            leeway=leeway,
            iss={"essential": True, "value": issuer},
            aud={"essential": True, "value": client_id},
            iat={"essential": True},
            jti={"essential": True},
        )

    async def verify(self, token: str, app: Any, algorithms: list[str]) -> LoggedOut:
        """Return the claims of a token. Raises ValueError, JoseError, and the errors of a fetch of keys."""
        if len(token) > LARGEST:
            raise ValueError("too large")
        decoded = await self._decoded(token, app, algorithms)
        claims = decoded.claims
        self._registry.validate(claims)
        # Section 2.4: an ID token, which has a nonce or no event, must not pass for one.
        events = claims.get("events")
        if "nonce" in claims or not isinstance(events, dict) or not isinstance(events.get(EVENT), dict):
            raise ValueError("no logout token")
        if str(decoded.header.get("typ", "JWT")).lower() not in ("jwt", "logout+jwt"):
            raise ValueError("other type")
        issued_at = datetime.fromtimestamp(claims["iat"], UTC)
        longest = timedelta(seconds=LONGEST_LIFE + self._leeway)
        if datetime.now(UTC) - issued_at > longest:
            raise ValueError("old")
        subject, session = _text(claims.get("sub")), _text(claims.get("sid"))
        token_id = _text(claims["jti"])
        if token_id is None or (subject is None and session is None):
            raise ValueError("nobody")
        return LoggedOut(
            subject=subject,
            provider_session=session,
            token_id=token_id,
            forgotten_at=issued_at + longest + timedelta(seconds=self._leeway),
        )

    async def _decoded(self, token: str, app: Any, algorithms: list[str]) -> jwt.Token:
        registry = JWSRegistry(algorithms=algorithms, strict_check_header=False)
        try:
            return jwt.decode(token, KeySet.import_key_set(await app.fetch_jwk_set()), registry=registry)
        except InvalidKeyIdError:
            if self._clock() - self._fetched_at < PAUSE:
                raise
            self._fetched_at = self._clock()
            keys = await app.fetch_jwk_set(force=True)
            return jwt.decode(token, KeySet.import_key_set(keys), registry=registry)


def _text(given: Any) -> str | None:
    if given is None:
        return None
    if not isinstance(given, str) or not 0 < len(given) <= LONGEST_TEXT or not given.isprintable():
        raise ValueError("no text")
    return given
