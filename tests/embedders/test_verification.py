"""Minted tokens: which are taken, and what each refusal says."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from hashlib import sha256
from hmac import digest
from time import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.embedders.minting import ISSUER, ORIGIN, SECRET, Publisher, claims, embedder, minted
from webclient.auth.embedders import SCOPES, Embedders, TokenRefusedError
from webclient.auth.jwt import JwtFault
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio


async def refusal(token: str, embedders: Embedders | None = None, *, origin: str | None = None) -> TokenRefusedError:
    with pytest.raises(TokenRefusedError) as raised:
        await (embedders or Embedders([embedder()])).verify(token, origin=origin)
    assert str(raised.value).endswith((".", "?"))
    return raised.value


async def test_a_right_token_says_who_is_there() -> None:
    token = await Embedders([embedder()]).verify(minted(jti="one", name="Ada L.", sid="s1"), origin=ORIGIN)
    assert (token.embedder, token.issuer, token.subject, token.token_id) == ("chat", ISSUER, "ada", "one")
    assert (token.origin, set(token.scopes), token.name, token.session) == (ORIGIN, {"inbox"}, "Ada L.", "s1")


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
async def test_a_token_is_verified_with_published_keys(algorithm: str) -> None:
    publisher = Publisher()
    publisher.add("other", "ES256")
    key = publisher.add("k", algorithm)
    token = minted(key, algorithm, {"kid": "k"})
    assert (await publisher.embedders().verify(token)).subject == "ada"


WRONG: dict[str, tuple[Json, JwtFault]] = {  # times in seconds from now
    "expired": ({"iat": -200, "exp": -60}, JwtFault.EXPIRED),
    "from the future": ({"iat": 120, "exp": 200}, JwtFault.NOT_YET_VALID),
    "life too long": ({"iat": 0, "exp": 301}, JwtFault.TOO_LONG),
    "life that ends before it begins": ({"iat": 8, "exp": 4}, JwtFault.TOO_LONG),
    "other audience": ({"aud": "another"}, JwtFault.WRONG_AUDIENCE),
    "several audiences": ({"aud": ["mcp-inbox", "another"]}, JwtFault.WRONG_AUDIENCE),
    "unknown issuer": ({"iss": "https://evil.example"}, JwtFault.UNKNOWN_ISSUER),
    "issuer that is a list": ({"iss": [ISSUER]}, JwtFault.UNKNOWN_ISSUER),
    "foreign origin": ({"origin": "https://evil.example"}, JwtFault.WRONG_ORIGIN),
    "origin with a path": ({"origin": f"{ORIGIN}/"}, JwtFault.WRONG_ORIGIN),
    "scope beyond the file": ({"scope": "inbox ask"}, JwtFault.WRONG_SCOPE),
    "empty scope": ({"scope": ""}, JwtFault.WRONG_SCOPE),
    "scope that is a list": ({"scope": ["inbox"]}, JwtFault.MALFORMED),
    "empty subject": ({"sub": ""}, JwtFault.MALFORMED),
    "long subject": ({"sub": "x" * 256}, JwtFault.MALFORMED),
    "subject that cannot be printed": ({"sub": "ada\0"}, JwtFault.MALFORMED),
    "number as id": ({"jti": 7}, JwtFault.MALFORMED),
    "long session": ({"sid": "x" * 256}, JwtFault.MALFORMED),
    "session with half a character": ({"sid": "\ud800"}, JwtFault.MALFORMED),
    "endless": ({"exp": float("inf")}, JwtFault.MALFORMED),
    "huge": ({"name": "x" * 9000}, JwtFault.MALFORMED),
}


@pytest.mark.parametrize("name", WRONG)
async def test_a_token_with_wrong_claims_is_refused(name: str) -> None:
    changed, code = WRONG[name]
    now = int(time())
    changed = {name: now + value if name in ("iat", "exp") else value for name, value in changed.items()}
    found = await refusal(_signed(claims(**changed)))
    assert found.code is code


@pytest.mark.parametrize("claim", ["iss", "sub", "aud", "iat", "exp", "jti", "origin", "scope"])
async def test_a_token_without_a_claim_is_refused(claim: str) -> None:
    found = await refusal(_signed({name: value for name, value in claims().items() if name != claim}))
    assert found.code is JwtFault.MISSING_CLAIM
    assert claim in str(found)


@pytest.mark.parametrize(("iat", "exp"), [(8, 100), (-100, -8)], ids=["fast clock", "slow clock"])
async def test_clocks_may_differ_by_a_few_seconds(iat: int, exp: int) -> None:
    now = int(time())
    assert await Embedders([embedder()]).verify(minted(iat=now + iat, exp=now + exp))


async def test_a_token_for_another_page_of_the_embedder_is_refused() -> None:
    assert (await refusal(minted(), origin="http://localhost:3000")).code is JwtFault.WRONG_ORIGIN


@pytest.mark.parametrize("text", ["", "x", "a.b.c", "a" * 40, "é.é.é"])
async def test_malformed_text_is_refused(text: str) -> None:
    assert (await refusal(text)).code is JwtFault.MALFORMED


async def test_a_token_without_signature_is_refused() -> None:
    token = jwt.encode(claims(), "", "none")
    assert (await refusal(token)).code is JwtFault.WRONG_ALGORITHM
    publisher = Publisher()
    publisher.add("k", "RS256")
    assert (await refusal(jwt.encode(claims(), "", "none", headers={"kid": "k"}), publisher.embedders())).code is (
        JwtFault.WRONG_ALGORITHM
    )


async def test_a_token_of_another_secret_is_refused() -> None:
    assert (await refusal(minted("another secret of at least 32 bytes"))).code is JwtFault.WRONG_SIGNATURE


async def test_a_public_key_is_not_a_secret() -> None:
    publisher = Publisher()
    public = publisher.add("k", "RS256").public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    # By hand: PyJWT refuses to sign so.
    token = _signed(claims(), public, {"kid": "k"})
    assert (await refusal(token, publisher.embedders())).code is JwtFault.WRONG_ALGORITHM


async def test_the_key_says_the_algorithm_and_not_the_token() -> None:
    publisher = Publisher()
    publisher.add("k", "ES256")
    other = Publisher().add("k", "RS256")
    token = minted(other, "RS256", {"kid": "k"})
    assert (await refusal(token, publisher.embedders())).code is JwtFault.WRONG_ALGORITHM


async def test_the_token_of_one_embedder_is_not_that_of_another() -> None:
    # Both have a key: the issuer chooses which one counts, and its origins.
    other = embedder(name="other", issuer="https://other.example", origins=("https://other.example",), secret="o" * 32)
    both = Embedders([embedder(), other])
    assert (await refusal(minted("o" * 32), both)).code is JwtFault.WRONG_SIGNATURE
    assert (await refusal(minted("o" * 32, iss="https://other.example"), both)).code is JwtFault.WRONG_ORIGIN


def _signed(content: Json, secret: bytes = SECRET.encode(), header: Json | None = None) -> str:
    """Sign by hand, as PyJWT would not."""

    def part(value: Any) -> str:
        text = value if isinstance(value, bytes) else json.dumps(value).encode()
        return urlsafe_b64encode(text).rstrip(b"=").decode()

    text = f"{part({'alg': 'HS256', 'typ': 'JWT'} | (header or {}))}.{part(content)}"
    return f"{text}.{part(digest(secret, text.encode(), sha256))}"


async def test_a_token_may_have_every_scope_of_its_embedder() -> None:
    every = Embedders([embedder(may=SCOPES)])
    assert (await every.verify(minted(scope=" ".join(SCOPES), act={"sub": "travel"}))).scopes == SCOPES
