"""Keys that have an address each: which ids are looked for, and how often."""

from __future__ import annotations

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from webclient.auth.signing_keys import MOST_KEYS, MOST_NEW, PAUSE, PemKeys

pytestmark = pytest.mark.anyio

PLACE = "https://keys.example/folder"


class Publisher:
    """A key server that records requests. The test sets its clock, which the keys use too."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.files: dict[str, bytes] = {}
        self.fetched: list[str] = []
        self.broken = False
        self.keys = PemKeys(PLACE, self._client, lambda: self.now)

    def add(self, key_id: str, key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey | None = None) -> None:
        public = (key or ec.generate_private_key(ec.SECP256R1())).public_key()
        self.files[key_id] = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def _client(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=httpx2.MockTransport(self._answer))

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        key_id = str(request.url).removeprefix(f"{PLACE}/")
        self.fetched.append(key_id)
        found = self.files.get(key_id)
        return httpx2.Response(503 if self.broken else 200 if found else 403, content=found or b"")


async def test_each_key_is_fetched_once_from_its_own_address() -> None:
    publisher = Publisher()
    publisher.add("one")
    publisher.add("two")
    for _n in range(3):
        for name in ("one", "two"):
            key = await publisher.keys.find(name)
            assert key is not None
            assert (key.key_id, key.algorithm_name) == (name, "ES256")
    assert publisher.fetched == ["one", "two"]


@pytest.mark.parametrize("key_id", [None, "", "../one", "a/b", "a?b", "x" * 65, "é"])
async def test_an_id_that_leads_elsewhere_is_not_looked_for(key_id: str | None) -> None:
    publisher = Publisher()
    assert await publisher.keys.find(key_id) is None
    assert publisher.fetched == []


async def test_unknown_ids_are_looked_for_at_a_bounded_rate() -> None:
    publisher = Publisher()
    for number in range(MOST_KEYS + 50):
        assert await publisher.keys.find(f"invented-{number}") is None
    assert len(publisher.fetched) == MOST_NEW
    publisher.add("real")
    publisher.now += PAUSE
    assert await publisher.keys.find("real")


async def test_known_keys_stay_while_ids_are_invented() -> None:
    publisher = Publisher()
    publisher.add("real")
    assert await publisher.keys.find("real")
    for number in range(MOST_KEYS + 50):
        publisher.now += PAUSE
        await publisher.keys.find(f"invented-{number}")
    publisher.broken = True
    assert await publisher.keys.find("real")


async def test_a_missing_key_and_a_broken_server_differ() -> None:
    publisher = Publisher()
    assert await publisher.keys.find("one") is None
    assert not publisher.keys.is_unreachable("one")
    publisher.broken = True
    assert await publisher.keys.find("two") is None
    assert publisher.keys.is_unreachable("two")


@pytest.mark.parametrize("key", [rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP384R1())])
async def test_a_key_for_another_algorithm_is_none(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> None:
    publisher = Publisher()
    publisher.add("one", key)
    assert await publisher.keys.find("one") is None
    publisher.files["two"] = b"-----BEGIN PUBLIC KEY-----\nnonsense"
    assert await publisher.keys.find("two") is None
