"""Verifies JWTs: tokens from embedding applications, assertions from a proxy, and the tokens of an OpenID provider.

PyJWT checks signature, `iss`, `aud`, `exp`, `nbf` and `iat`. The caller says which algorithms count, so a token cannot
choose one (RFC 8725, section 3.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Any, ClassVar

import jwt
from jwt import PyJWK
from jwt.algorithms import OKPAlgorithm

from webclient.domain.errors import WebclientError
from webclient.domain.i18n import N_
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json, Person

# RFC 9864 has this name for EdDSA with the curve. PyJWT does not know it yet; once it does, it refuses another one.
with suppress(ValueError):
    jwt.register_algorithm("Ed25519", OKPAlgorithm())

LEEWAY = 10
"""Seconds by which the clocks of two machines may differ."""

_KEY_TYPES = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}
"""The type of the keys of each kind of algorithm, by its first letters: all are public keys, none is a secret."""

LONGEST_NAME = 255
"""Characters of a subject or an id: they become values of indexed columns."""


class JwtFault(StrEnum):
    """The reasons for which a token is refused: codes for the audit trail, and for the program that made it."""

    MALFORMED = "malformed"
    UNKNOWN_ISSUER = "unknown_issuer"
    WRONG_ALGORITHM = "wrong_algorithm"
    UNKNOWN_KEY = "unknown_key"
    KEYS_UNREACHABLE = "keys_unreachable"
    WRONG_SIGNATURE = "wrong_signature"
    MISSING_CLAIM = "missing_claim"
    WRONG_CLAIM = "wrong_claim"
    WRONG_AUDIENCE = "wrong_audience"
    WRONG_ISSUER = "wrong_issuer"
    WRONG_ORIGIN = "wrong_origin"
    WRONG_SCOPE = "wrong_scope"
    WRONG_SIGNER = "wrong_signer"
    NOT_YET_VALID = "not_yet_valid"
    EXPIRED = "expired"
    TOO_LONG = "too_long"
    REPLAYED = "replayed"
    ENDED = "ended"
    OPAQUE = "opaque"
    WRONG_TYPE = "wrong_type"
    DISABLED_USER = "disabled_user"
    NO_USER = "no_user"


_FAULTS: Sequence[tuple[type[jwt.PyJWTError], JwtFault]] = (
    (jwt.ExpiredSignatureError, JwtFault.EXPIRED),
    (jwt.ImmatureSignatureError, JwtFault.NOT_YET_VALID),
    (jwt.InvalidAudienceError, JwtFault.WRONG_AUDIENCE),
    (jwt.InvalidIssuerError, JwtFault.WRONG_ISSUER),
    (jwt.InvalidSignatureError, JwtFault.WRONG_SIGNATURE),
    (jwt.InvalidAlgorithmError, JwtFault.WRONG_ALGORITHM),
    (jwt.InvalidKeyError, JwtFault.WRONG_ALGORITHM),
)


class JwtRefusedError(WebclientError):
    """A token is not accepted; `code` says why, and nothing of the token is quoted.

    `person` is whom a token names that was signed as it should be, and that is refused nevertheless.
    """

    status = 401
    title = N_("Token refused")
    sentences: ClassVar[Mapping[JwtFault, str]] = {}
    """The sentences that say what would be right, by their codes; without one, the log has code and claim."""

    def __init__(self, code: JwtFault, claim: str = "") -> None:
        sentence = self.sentences.get(code)
        super().__init__(_(sentence).format(claim=claim) if sentence else f"{code.value} {claim}".rstrip())
        self.code = code
        self.person: Person | None = None

    @property
    def extra(self) -> Json:
        """The code, for the program that made the token."""
        return {"code": self.code.value}


def read_header(token: str, longest: int, refusal: type[JwtRefusedError]) -> Json:
    """Return the header of a token, before anything is checked. Raises `refusal`, also if it is longer."""
    if len(token) > longest:
        raise refusal(JwtFault.MALFORMED)
    try:
        return dict(jwt.get_unverified_header(token))
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise refusal(JwtFault.MALFORMED) from None


def unchecked_claims(token: str) -> Json:
    """Return the claims of a token that nothing depends on: one that we made, or pass on. Raises ValueError."""
    try:
        return dict(jwt.decode(token, options={"verify_signature": False}))
    except (jwt.PyJWTError, RecursionError) as error:
        raise ValueError("not a JWT") from error


def read_issuer(token: str, refusal: type[JwtRefusedError]) -> Any:
    """Return who a token says that it is from, before anything is checked. Raises `refusal`."""
    try:
        issuer = jwt.decode(token, options={"verify_signature": False}).get("iss")
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise refusal(JwtFault.MALFORMED) from None
    if issuer is None:
        raise refusal(JwtFault.MISSING_CLAIM, "iss")
    return issuer


def claimed_issuer(token: str) -> str | None:
    """Return the issuer that an unchecked token names; None if it is not a JWT."""
    try:
        issuer = read_issuer(token, JwtRefusedError)
    except JwtRefusedError:
        return None
    return issuer if isinstance(issuer, str) else None


def verify(
    token: str,
    key: Any,
    refusal: type[JwtRefusedError],
    *,
    algorithms: Sequence[str],
    audience: str | None,
    issuer: str | None,
    required: Sequence[str],
    leeway: int = LEEWAY,
    is_only_audience: bool = False,
) -> Json:
    """Return the claims of a token that `key` has signed; no audience or issuer: they are not checked here.

    With `is_only_audience` the token must have no other one. Raises `refusal`.
    """
    try:
        claims: Json = jwt.decode(
            token,
            key,
            algorithms=list(algorithms),
            audience=audience,
            issuer=issuer,
            leeway=leeway,
            options={"require": list(required), "verify_aud": audience is not None, "strict_aud": is_only_audience},
        )
    except jwt.MissingRequiredClaimError as error:
        raise refusal(JwtFault.MISSING_CLAIM, error.claim) from None
    except (jwt.PyJWTError, ValueError, OverflowError, RecursionError) as error:
        raise refusal(next((fault for kind, fault in _FAULTS if isinstance(error, kind)), JwtFault.MALFORMED)) from None
    # PyJWT also takes digits in a text, and a boolean, for a moment (RFC 7519, section 2: it is a number).
    if any(not _is_number(claims[name]) for name in ("exp", "iat", "nbf") if name in claims):
        raise refusal(JwtFault.MALFORMED)
    return claims


def key_of(key_set: Json, header: Json) -> Any:
    """Return the key that a header names in a key set (RFC 7517), or None.

    Without a name it is the only key. It has no algorithm of its own, so it goes with each that the caller accepts.
    """
    fitting = [each for each in key_set["keys"] if isinstance(each, dict) and _fits(each, header.get("alg"))]
    if "kid" in header:
        # Keys of one name are of different types (section 4.5), of which one fits.
        fitting = [each for each in fitting if each.get("kid") == header["kid"]][:1]
    if len(fitting) != 1:
        return None
    try:
        return PyJWK({name: value for name, value in fitting[0].items() if name != "alg"}).key
    except (jwt.PyJWTError, ValueError, TypeError):
        return None


def _fits(key: Json, algorithm: Any) -> bool:
    """Return whether a key of a set verifies signatures of this algorithm (RFC 7517, sections 4.1 to 4.4)."""
    return (
        key.get("kty") == _KEY_TYPES.get(str(algorithm)[:2], "")
        and key.get("alg", algorithm) == algorithm
        and key.get("use", "sig") == "sig"
        and "verify" in key.get("key_ops", ["verify"])
    )


def is_name(value: Any) -> bool:
    """Return whether a claim can be a subject or an id: a text that every database can store."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
