"""Proof of possession (DPoP, RFC 9449): a key for each sign-in, and a proof with it for each request.

A token that is bound to the key is of no use to anybody who has the token alone. The key is sealed with the tokens.
"""

from __future__ import annotations

import time
from base64 import urlsafe_b64encode
from collections.abc import Collection
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_urlsafe
from typing import Self, cast
from urllib.parse import urlsplit, urlunsplit

import jwt
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from jwt.algorithms import ECAlgorithm

from webclient.auth import unchecked_claims
from webclient.domain.model import Json

ALGORITHM = "ES256"
"""The algorithm of our proofs, which every known implementation has."""

HEADER = "DPoP"
NONCE_HEADER = "DPoP-Nonce"
NONCE_WANTED = "use_dpop_nonce"
"""The error of a server that wants the nonce of its response in the proof (RFC 9449, sections 8 and 9)."""

INVALID_PROOF = "invalid_dpop_proof"
LONGEST_NONCE = 1000


@dataclass(frozen=True, slots=True)
class ProofKey:
    """A private key (PEM, secret) to which tokens are bound."""

    pem: str = field(repr=False)

    @classmethod
    def new(cls) -> Self:
        """Return a new key."""
        pem = generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return cls(pem.decode())

    @property
    def thumbprint(self) -> str:
        """The name of the public key, to which a code is bound.

        RFC 7638; RFC 9449, section 10.
        """
        return _digest(rfc8785.dumps(self._public))

    def proof(self, method: str, url: str, *, token: str | None = None, nonce: str | None = None) -> str:
        """Return a proof for one request, in which `token` is presented (RFC 9449, section 4.2)."""
        claims: Json = {"jti": token_urlsafe(16), "htm": method, "htu": _target(url), "iat": int(time.time())}
        if token is not None:
            claims["ath"] = _digest(token.encode())
        if nonce is not None:
            claims["nonce"] = nonce
        return jwt.encode(claims, self._key, ALGORITHM, headers={"typ": "dpop+jwt", "jwk": self._public})

    @property
    def _key(self) -> EllipticCurvePrivateKey:
        return cast("EllipticCurvePrivateKey", load_pem_private_key(self.pem.encode(), None))

    @property
    def _public(self) -> Json:
        public = ECAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        return {name: public[name] for name in ("kty", "crv", "x", "y")}


def nonce_in(proof: str | None) -> str | None:
    """Return the nonce in one of our own proofs."""
    if proof is None:
        return None
    nonce = unchecked_claims(proof).get("nonce")
    return nonce if isinstance(nonce, str) else None


def usable_nonce(nonce: str | None) -> str | None:
    """Return a nonce that a server has sent, unless nothing sensible is that long."""
    return nonce if nonce and len(nonce) <= LONGEST_NONCE else None


def accepts_ours(algorithms: Collection[str] | None) -> bool:
    """Return whether our algorithm is one of those that a server announces."""
    return algorithms is not None and ALGORITHM in algorithms


def _target(url: str) -> str:
    """Return the address of a request without query and fragment, as the claim `htu` has it."""
    return urlunsplit(urlsplit(url)._replace(query="", fragment=""))


def _digest(data: bytes) -> str:
    return urlsafe_b64encode(sha256(data).digest()).decode().rstrip("=")
