"""Verifying JWTs: each algorithm with a published key, and keys of a set."""

from __future__ import annotations

from time import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from webclient.auth.jwt import JwtFault, JwtRefusedError, key_of, read_header, verify
from webclient.auth.oidc_provider.metadata import ALGORITHMS
from webclient.domain.model import Json

RSA = rsa.generate_private_key(65537, 2048)
OTHER = rsa.generate_private_key(65537, 2048)
KEYS: dict[str, Any] = {
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "ES384": ec.generate_private_key(ec.SECP384R1()),
    "ES512": ec.generate_private_key(ec.SECP521R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
    "Ed25519": ed25519.Ed25519PrivateKey.generate(),
}


def published(algorithm: str, key: Any, **more: str) -> Json:
    """Return the public key as its owner publishes it."""
    if algorithm.startswith("Ed"):
        return OKPAlgorithm.to_jwk(key.public_key(), as_dict=True) | more
    kind = ECAlgorithm if algorithm.startswith("ES") else RSAAlgorithm
    return kind.to_jwk(key.public_key(), as_dict=True) | more


def verified(token: str, keys: list[Json], algorithms: list[str]) -> Json:
    """Return the claims of a token of one of the keys."""
    header = read_header(token, 8192, JwtRefusedError)
    key = key_of({"keys": keys}, header)
    return verify(token, key, JwtRefusedError, algorithms=algorithms, audience=None, issuer=None, required=("iat",))


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
@pytest.mark.parametrize("is_declared", [True, False])
def test_each_algorithm_is_verified_by_its_key(algorithm: str, is_declared: bool) -> None:
    key = KEYS.get(algorithm, RSA)
    token = jwt.encode({"sub": "ada", "iat": int(time())}, key, algorithm, headers={"kid": "one"})
    listed = published(algorithm, key, kid="one", **({"alg": algorithm} if is_declared else {}))
    assert verified(token, [{"kty": "unknown", "kid": "two"}, listed], [algorithm])["sub"] == "ada"


@pytest.mark.parametrize(
    ("key", "algorithms", "fault"),
    [(OTHER, ["RS256"], JwtFault.WRONG_SIGNATURE), (RSA, ["PS256"], JwtFault.WRONG_ALGORITHM)],
)
def test_another_key_or_algorithm_is_refused(key: Any, algorithms: list[str], fault: JwtFault) -> None:
    token = jwt.encode({"iat": int(time())}, RSA, "RS256")
    with pytest.raises(JwtRefusedError) as refused:
        verified(token, [published("RS256", key)], algorithms)
    assert refused.value.code is fault


@pytest.mark.parametrize(
    ("keys", "header"),
    [
        ([], {"alg": "RS256"}),
        ([{"kid": "one"}], {"alg": "RS256", "kid": "two"}),
        ([published("RS256", RSA), published("RS256", OTHER)], {"alg": "RS256"}),
        ([published("RS256", RSA, use="enc")], {"alg": "RS256"}),
        ([published("RS256", RSA, alg="RS512")], {"alg": "RS256"}),
        ([{"kty": "unknown"}], {"alg": "RS256"}),
    ],
    ids=["none", "other id", "two without id", "for encryption", "other algorithm", "unknown kind"],
)
def test_a_key_that_does_not_fit_is_not_used(keys: list[Json], header: Json) -> None:
    assert key_of({"keys": keys}, header) is None
