"""Verifies logout tokens, with which the provider ends our sessions (OpenID Connect Back-Channel Logout 1.0).

Everybody can send one, so keys are fetched again at most once in 30 seconds, however many tokens name unknown ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic, time
from typing import Any

from webclient.auth.jwt import JwtFault, JwtRefusedError, is_name, key_of, read_header, verify
from webclient.domain.model import Json

EVENT = "http://schemas.openid.net/event/backchannel-logout"

LARGEST = 8192
"""Characters of a token."""

LONGEST_LIFE = 300
"""Seconds after which a token is of no use: the specification recommends two minutes."""

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
        self._issuer = issuer
        self._client_id = client_id
        self._leeway = leeway
        self._clock = clock
        self._fetched_at = -PAUSE

    async def verify(self, token: str, app: Any, algorithms: list[str]) -> LoggedOut:
        """Return the claims of a token. Raises ValueError, JwtRefusedError, and the errors of a fetch of keys."""
        header = read_header(token, LARGEST, JwtRefusedError)
        if header.get("alg") not in algorithms:
            # Before the key is looked for: what cannot be verified must not make us ask for keys.
            raise JwtRefusedError(JwtFault.WRONG_ALGORITHM)
        claims = verify(
            token,
            await self._key(app, header),
            JwtRefusedError,
            algorithms=algorithms,
            audience=self._client_id,
            issuer=self._issuer,
            required=("iss", "aud", "iat", "jti"),
            leeway=self._leeway,
        )
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

    async def _key(self, app: Any, header: Json) -> Any:
        key = key_of(await app.fetch_jwk_set(), header)
        if key is None and self._clock() - self._fetched_at >= PAUSE:
            self._fetched_at = self._clock()
            key = key_of(await app.fetch_jwk_set(force=True), header)
        if key is None:
            raise JwtRefusedError(JwtFault.UNKNOWN_KEY)
        return key


def _text(given: Any) -> str | None:
    if given is not None and not is_name(given):
        raise ValueError("no text")
    return given and str(given)
