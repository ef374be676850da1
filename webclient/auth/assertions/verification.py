"""Verifies signed assertions: signature, audience, issuer, signer and times.

The kind of the settings fixes the algorithm, so an assertion cannot choose it (RFC 8725, section 3.1). The JOSE header
is signed as well, so claims in it may be relied on once the signature is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from time import time
from typing import Any, Protocol

import jwt
from jwt import PyJWK

from webclient.auth.assertions.kinds import GOOGLE_ISSUER, RULES
from webclient.auth.assertions.refusals import AssertionCode, AssertionRefusedError
from webclient.auth.signing_keys import PemKeys, PublishedKeys, key_client
from webclient.domain.model import Json, Person
from webclient.settings import AssertionKind, Settings

LEEWAY = 10
"""Seconds by which two clocks may differ."""

LARGEST = 16_384
"""Characters of an assertion: the claims of a load balancer may be long."""

_REFUSALS: Sequence[tuple[type[jwt.PyJWTError], AssertionCode]] = (
    (jwt.ExpiredSignatureError, AssertionCode.EXPIRED),
    (jwt.ImmatureSignatureError, AssertionCode.NOT_YET_VALID),
    (jwt.InvalidAudienceError, AssertionCode.WRONG_AUDIENCE),
    (jwt.InvalidIssuerError, AssertionCode.WRONG_ISSUER),
    (jwt.InvalidSignatureError, AssertionCode.WRONG_SIGNATURE),
    (jwt.InvalidAlgorithmError, AssertionCode.WRONG_ALGORITHM),
    (jwt.InvalidKeyError, AssertionCode.WRONG_ALGORITHM),
)


class Keys(Protocol):
    """The keys of the proxy, by their id."""

    async def find(self, key_id: str | None) -> PyJWK | None:
        """Return the key with this id, or None."""
        ...

    def is_unreachable(self, key_id: str | None) -> bool:
        """Return whether a key was not found because nothing could be fetched."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """The person whom the proxy has signed in, and until when that holds."""

    person: Person
    ends_at: datetime


def assertion_issuer(settings: Settings) -> str:
    """Return the issuer of the users of signed assertions."""
    issuer = settings.auth_issuer or GOOGLE_ISSUER
    return issuer.rstrip("/") if settings.auth_jwt is AssertionKind.CLOUDFLARE else issuer


class Assertions:
    """Verifies the assertions of the proxy that `settings` name; raises ValueError if they name none."""

    def __init__(self, settings: Settings, keys: Keys | None = None) -> None:
        if settings.auth_jwt is None or settings.auth_audience is None:
            raise ValueError("no kind of assertion")
        self._rules = RULES[settings.auth_jwt]
        self._audience = settings.auth_audience
        self._issuer = assertion_issuer(settings)
        self._signer = settings.auth_signer
        one_by_one = settings.auth_jwt is AssertionKind.AWS_ALB
        client = partial(key_client, settings.ca_file)
        self._keys: Keys = keys or (PemKeys if one_by_one else PublishedKeys)(settings.key_address, client)

    async def verify(self, token: str) -> Assertion:
        """Return what the assertion says. Raises AssertionRefusedError."""
        header = _header(token)
        if header.get("alg") != self._rules.algorithm:
            raise AssertionRefusedError(AssertionCode.WRONG_ALGORITHM)
        if self._rules.has_header_claims:
            # Before the key is looked for: what is not meant for us must not make us ask for keys.
            self._check_header(header)
        claims = self._decoded(token, await self._key(header))
        if self._rules.has_header_claims and claims.get("iss", self._issuer) != self._issuer:
            raise AssertionRefusedError(AssertionCode.WRONG_ISSUER)
        ends = min(_seconds(each["exp"]) for each in (header, claims) if "exp" in each)
        return Assertion(
            person=self._person(claims), ends_at=datetime.fromtimestamp(ends, UTC) + timedelta(seconds=LEEWAY)
        )

    async def _key(self, header: Json) -> PyJWK:
        key_id = header.get("kid")
        if not isinstance(key_id, str):
            raise AssertionRefusedError(AssertionCode.UNKNOWN_KEY)
        key = await self._keys.find(key_id)
        if key is None:
            unreachable = self._keys.is_unreachable(key_id)
            raise AssertionRefusedError(AssertionCode.KEYS_UNREACHABLE if unreachable else AssertionCode.UNKNOWN_KEY)
        return key

    def _check_header(self, header: Json) -> None:
        if missing := next((name for name in ("signer", "iss", "client", "exp") if name not in header), None):
            raise AssertionRefusedError(AssertionCode.MISSING_CLAIM, missing)
        if header["signer"] != self._signer:
            raise AssertionRefusedError(AssertionCode.WRONG_SIGNER)
        if header["iss"] != self._issuer:
            raise AssertionRefusedError(AssertionCode.WRONG_ISSUER)
        if header["client"] != self._audience:
            raise AssertionRefusedError(AssertionCode.WRONG_AUDIENCE)
        if _seconds(header["exp"]) <= time() - LEEWAY:
            raise AssertionRefusedError(AssertionCode.EXPIRED)

    def _decoded(self, token: str, key: PyJWK) -> Json:
        in_header = self._rules.has_header_claims
        try:
            claims: Json = jwt.decode(
                token,
                key,
                # One, and that of the kind: neither the token nor the key can bring another.
                algorithms=[self._rules.algorithm],
                audience=None if in_header else self._audience,
                issuer=None if in_header else self._issuer,
                leeway=LEEWAY,
                options={"require": list(self._rules.required), "verify_aud": not in_header},
            )
        except jwt.MissingRequiredClaimError as error:
            raise AssertionRefusedError(AssertionCode.MISSING_CLAIM, error.claim) from None
        except (jwt.PyJWTError, ValueError, OverflowError, RecursionError) as error:
            code = next((code for kind, code in _REFUSALS if isinstance(error, kind)), AssertionCode.MALFORMED)
            raise AssertionRefusedError(code) from None
        return claims

    def _person(self, claims: Json) -> Person:
        subject = claims["sub"]
        if not isinstance(subject, str) or not subject.strip():
            # A service token of Cloudflare has an empty subject.
            raise AssertionRefusedError(AssertionCode.NO_USER)
        # Administrators are named by e-mail address as well, so only a verified one counts. Cognito
        # writes the word.
        verified = self._rules.vouches_for_email or claims.get("email_verified") in (True, "true")
        email = _text(claims.get("email"))
        # Cloudflare and Google give no name, and their subjects are numbers.
        name = _text(claims.get("name")) or email
        return Person(issuer=self._issuer, subject=subject, name=name, email=email if verified else "")


def _header(token: str) -> Json:
    if len(token) > LARGEST:
        raise AssertionRefusedError(AssertionCode.MALFORMED)
    try:
        return dict(jwt.get_unverified_header(token))
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise AssertionRefusedError(AssertionCode.MALFORMED) from None


def _seconds(given: Any) -> float:
    # `exp` of a load balancer's header is not checked by PyJWT.
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < 2**40:
        raise AssertionRefusedError(AssertionCode.MALFORMED)
    return float(given)


def _text(given: Any) -> str:
    return given if isinstance(given, str) and given.isprintable() else ""
