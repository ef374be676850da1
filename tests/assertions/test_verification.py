"""Signed assertions: which are accepted, and what each refusal says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from time import time
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.assertions.signing import AWS, CLOUDFLARE, GOOGLE, ISSUERS, SigningProxy, signing_proxy, written
from webclient.auth.assertions import AssertionRefusedError, Assertions
from webclient.auth.jwt import JwtFault
from webclient.domain.model import Json
from webclient.settings.assertions import AssertionKind

pytestmark = pytest.mark.anyio

KINDS = [CLOUDFLARE, GOOGLE, AWS]


@pytest.fixture(scope="module")
async def proxies(
    anyio_backend: str,  # noqa: ARG001
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[dict[AssertionKind, SigningProxy]]:
    async with AsyncExitStack() as running:
        yield {
            kind: await running.enter_async_context(signing_proxy(kind, tmp_path_factory.mktemp("keys")))
            for kind in KINDS
        }


@pytest.fixture(params=KINDS, ids=str)
def proxy(request: pytest.FixtureRequest, proxies: dict[AssertionKind, SigningProxy]) -> SigningProxy:
    return proxies[request.param]


@pytest.fixture
def assertions(proxy: SigningProxy, tmp_path: Path) -> Assertions:
    return Assertions(proxy.loaded(tmp_path))


async def refusal(assertions: Assertions, token: str) -> AssertionRefusedError:
    with pytest.raises(AssertionRefusedError) as raised:
        await assertions.verify(token)
    assert str(raised.value).endswith(".")
    return raised.value


async def test_a_right_assertion_names_the_person(proxy: SigningProxy, assertions: Assertions) -> None:
    ends = int(time()) + 60
    found = await assertions.verify(proxy.signed(name="Ada", email_verified="true", exp=ends))
    person = found.person
    assert (person.issuer, person.subject, person.name) == (ISSUERS[proxy.kind], "user-1", "Ada")
    assert person.email == "ada@corp.example"
    assert ends - 2 <= found.ends_at.timestamp() <= ends + 10


async def test_an_unverified_email_counts_for_nothing(proxy: SigningProxy, assertions: Assertions) -> None:
    found = await assertions.verify(proxy.signed(email="root@corp.example"))
    assert bool(found.person.email) is (proxy.kind is not AWS)
    # It is still the best name to show.
    assert found.person.name == "root@corp.example"
    assert ("root@corp.example" in found.person.names) is (proxy.kind is not AWS)


PAST, FUTURE = -60, 300

WRONG: dict[str, tuple[Json, Json, JwtFault, set[AssertionKind]]] = {
    "expired": ({"exp": PAST}, {}, JwtFault.EXPIRED, set(KINDS)),
    "expired by its header": ({}, {"exp": PAST}, JwtFault.EXPIRED, {AWS}),
    "header without end": ({}, {"exp": None}, JwtFault.MISSING_CLAIM, {AWS}),
    "header with a word as end": ({}, {"exp": "soon"}, JwtFault.MALFORMED, {AWS}),
    "header with an end beyond all years": ({}, {"exp": 2**39}, JwtFault.MALFORMED, {AWS}),
    "far future": ({"iat": FUTURE}, {}, JwtFault.NOT_YET_VALID, set(KINDS)),
    "not yet": ({"nbf": FUTURE}, {}, JwtFault.NOT_YET_VALID, set(KINDS)),
    "other issuer": ({"iss": "https://evil.example"}, {}, JwtFault.WRONG_ISSUER, set(KINDS)),
    "other issuer in the header": ({}, {"iss": "https://evil.example"}, JwtFault.WRONG_ISSUER, {AWS}),
    "issuer that is a list": ({"iss": ["https://corp.example"]}, {}, JwtFault.WRONG_ISSUER, set(KINDS)),
    "other audience": ({"aud": "another"}, {}, JwtFault.WRONG_AUDIENCE, {CLOUDFLARE, GOOGLE}),
    "other client": ({}, {"client": "another"}, JwtFault.WRONG_AUDIENCE, {AWS}),
    "other signer": ({}, {"signer": "arn:aws:evil"}, JwtFault.WRONG_SIGNER, {AWS}),
    "no signer": ({}, {"signer": None}, JwtFault.MISSING_CLAIM, {AWS}),
    "no audience": ({"aud": None}, {}, JwtFault.MISSING_CLAIM, {CLOUDFLARE, GOOGLE}),
    "no issuer": ({"iss": None}, {}, JwtFault.MISSING_CLAIM, {CLOUDFLARE, GOOGLE}),
    "no end": ({"exp": None}, {}, JwtFault.MISSING_CLAIM, {CLOUDFLARE, GOOGLE}),
    "no issue time": ({"iat": None}, {}, JwtFault.MISSING_CLAIM, {CLOUDFLARE, GOOGLE}),
    "no subject": ({"sub": None}, {}, JwtFault.MISSING_CLAIM, set(KINDS)),
    "service token": ({"sub": ""}, {}, JwtFault.NO_USER, set(KINDS)),
    "unknown key": ({}, {"kid": "22222222-bbbb"}, JwtFault.UNKNOWN_KEY, set(KINDS)),
    "no key": ({}, {"kid": None}, JwtFault.UNKNOWN_KEY, set(KINDS)),
    "key elsewhere": ({}, {"kid": "../keys"}, JwtFault.UNKNOWN_KEY, set(KINDS)),
}


@pytest.mark.parametrize(
    ("proxy", "name"),
    [(kind, name) for name, case in WRONG.items() for kind in KINDS if kind in case[3]],
    indirect=["proxy"],
)
async def test_a_wrong_assertion_is_refused(name: str, proxy: SigningProxy, assertions: Assertions) -> None:
    changed, header, code, _kinds = WRONG[name]
    found = await refusal(assertions, proxy.signed(_times(header), **_times(changed)))
    assert (found.code, found.status) == (code, 401)


@pytest.mark.parametrize("text", ["", "x", "a.b.c", "é.é.é", "a" * 20_000])
async def test_malformed_text_is_refused(text: str, assertions: Assertions) -> None:
    assert (await refusal(assertions, text)).code is JwtFault.MALFORMED


@pytest.mark.parametrize("algorithm", ["none", "None", "HS256", "RS512", ""])
async def test_an_assertion_cannot_choose_its_algorithm(
    algorithm: str, proxy: SigningProxy, assertions: Assertions
) -> None:
    key: Any = ""
    if algorithm == "HS256":
        # Key confusion: what is public would be the secret.
        key = proxy.keys["11111111-aaaa"].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    token = proxy.signed({"alg": algorithm}) if key == "" else proxy.signed({"alg": algorithm}, key=key)
    unsigned = token.rpartition(".")[0] + "."
    for each in (token, unsigned):
        assert (await refusal(assertions, each)).code is JwtFault.WRONG_ALGORITHM


async def test_the_signature_of_another_is_refused(proxy: SigningProxy, assertions: Assertions) -> None:
    other = SigningProxy(proxy.kind, proxy.folder, "")
    other.publish = lambda: None  # type: ignore[method-assign]
    other.add_key("11111111-aaaa")
    assert (await refusal(assertions, other.signed())).code is JwtFault.WRONG_SIGNATURE
    unsigned = proxy.signed().rpartition(".")[0] + "."
    assert (await refusal(assertions, unsigned)).code is JwtFault.WRONG_SIGNATURE


@pytest.mark.parametrize("proxy", [CLOUDFLARE], indirect=True)
async def test_a_key_of_another_kind_is_refused(proxy: SigningProxy, assertions: Assertions) -> None:
    header = {"alg": "ES256", "kid": "11111111-aaaa"}
    token = written(header, proxy.claims(), ec.generate_private_key(ec.SECP256R1()))
    assert (await refusal(assertions, token)).code is JwtFault.WRONG_ALGORITHM


@pytest.mark.parametrize("seconds", [8, -8])
async def test_clocks_may_differ_by_a_few_seconds(seconds: int, proxy: SigningProxy, assertions: Assertions) -> None:
    now = int(time())
    times: dict[str, Any] = {"iat": now + seconds, "exp": now + (seconds if seconds < 0 else 60)}
    assert await assertions.verify(proxy.signed(**times))


@pytest.mark.parametrize("kind", KINDS, ids=str)
async def test_a_new_key_counts_and_keys_outlive_their_server(kind: AssertionKind, tmp_path: Path) -> None:
    async with signing_proxy(kind, tmp_path) as proxy:
        before = len(proxy.fetched)
        first = Assertions(proxy.loaded(tmp_path))
        assert await first.verify(proxy.signed())
        assert await first.verify(proxy.signed())
        assert len(proxy.fetched) == before + 1
        proxy.add_key("33333333-cccc")
        if kind is AWS:
            # Each of its keys has an address of its own, so a new one is found at once.
            assert await first.verify(proxy.signed())
        else:
            assert (await refusal(first, proxy.signed())).code is JwtFault.UNKNOWN_KEY
        assert await Assertions(proxy.loaded(tmp_path)).verify(proxy.signed())
        old, new = proxy.signed({"kid": "11111111-aaaa"}, key=proxy.keys["11111111-aaaa"]), proxy.signed()
        second = Assertions(proxy.loaded(tmp_path))
        assert await second.verify(new)
        unreachable = Assertions(proxy.loaded(tmp_path))
    assert await first.verify(old)
    assert await second.verify(new)
    found = await refusal(unreachable, new)
    assert (found.code, found.status) == (JwtFault.KEYS_UNREACHABLE, 503)


async def test_invented_keys_do_not_make_us_ask_without_end(proxy: SigningProxy, assertions: Assertions) -> None:
    before = len(proxy.fetched)
    for number in range(30):
        assert (await refusal(assertions, proxy.signed({"kid": f"invented-{number}"}))).code
    assert len(proxy.fetched) - before <= 10


@pytest.mark.parametrize("proxy", [AWS], indirect=True)
async def test_an_assertion_for_another_balancer_asks_for_no_key(proxy: SigningProxy, assertions: Assertions) -> None:
    before = len(proxy.fetched)
    await refusal(assertions, proxy.signed({"client": "another"}))
    assert len(proxy.fetched) == before


def _times(values: Json) -> Json:
    now = int(time())
    return {name: now + value if isinstance(value, int) else value for name, value in values.items()}
