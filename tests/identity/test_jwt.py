"""Verifying JWTs: each algorithm with a published key, and keys of a set."""

from __future__ import annotations

from json import dumps
from runpy import run_path
from time import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from tests.tables import each_row
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


def signed(claims: Json) -> str:
    """Return a token with these claims as they are: `jwt.encode` checks some of them."""
    return jwt.PyJWS().encode(dumps(claims).encode(), RSA, "RS256")


def fault_of(claims: Json) -> JwtFault:
    """Return why a token with these claims is refused."""
    with pytest.raises(JwtRefusedError) as refused:
        verified(signed(claims), [published("RS256", RSA)], ["RS256"])
    return refused.value.code


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


@each_row(
    ("keys", "header"),
    [
        ([], {"alg": "RS256"}),
        ([{"kid": "one"}], {"alg": "RS256", "kid": "two"}),
        ([published("RS256", RSA), published("RS256", OTHER)], {"alg": "RS256"}),
        ([published("RS256", RSA, use="enc")], {"alg": "RS256"}),
        ([published("RS256", RSA, alg="RS512")], {"alg": "RS256"}),
        ([published("RS256", RSA) | {"key_ops": ["sign"]}], {"alg": "RS256"}),
        ([published("ES256", KEYS["ES256"])], {"alg": "RS256"}),
        ([{"kty": "oct", "k": "c2VjcmV0"}], {"alg": "RS256"}),
        ([{"kty": "oct", "k": "c2VjcmV0"}], {"alg": "HS256"}),
        ([published("RS256", RSA)], {}),
        ([published("RS256", RSA) | {"n": 1}], {"alg": "RS256"}),
        ([{"kty": "unknown"}], {"alg": "RS256"}),
        ([1, None], {"alg": "RS256"}),
    ],
)
def test_a_key_that_does_not_fit_is_not_used(keys: list[Json], header: Json) -> None:
    assert key_of({"keys": keys}, header) is None


def test_of_keys_with_one_id_the_type_decides() -> None:
    token = jwt.encode({"iat": int(time())}, RSA, "RS256", headers={"kid": "one"})
    keys = [published("ES256", KEYS["ES256"], kid="one"), published("RS256", RSA, kid="one")]
    assert verified(token, keys, ["RS256"])


@pytest.mark.parametrize("claim", ["exp", "nbf", "iat"])
def test_a_time_that_is_a_text_is_malformed(claim: str) -> None:
    now = int(time())
    assert fault_of({"iat": now, claim: str(now + 60 if claim == "exp" else now - 60)}) is JwtFault.MALFORMED


@pytest.mark.parametrize("claim", ["nbf", "iat"])
def test_a_time_that_is_a_boolean_is_malformed(claim: str) -> None:
    assert fault_of({"iat": int(time()), claim: False}) is JwtFault.MALFORMED


def test_a_refusal_without_a_sentence_names_the_claim() -> None:
    token = jwt.encode({"sub": "ada"}, RSA, "RS256")
    with pytest.raises(JwtRefusedError, match="missing_claim iat"):
        verified(token, [published("RS256", RSA)], ["RS256"])


def test_a_pyjwt_that_knows_ed25519_can_be_used() -> None:
    assert jwt.get_algorithm_by_name("Ed25519")
    assert run_path(verify.__code__.co_filename)["verify"]
