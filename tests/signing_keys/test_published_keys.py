"""Published keys: when they are fetched again, and what a failed fetch costs."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator

import httpx2
import pytest

from tests.embedders.minting import Publisher
from webclient.auth.signing_keys import FRESH, PAUSE, PublishedKeys

pytestmark = pytest.mark.anyio


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def publisher() -> Publisher:
    return Publisher()


@pytest.fixture
def keys(publisher: Publisher, clock: Clock) -> PublishedKeys:
    publisher.add("old", "ES256")
    return PublishedKeys("https://chat.example.com/keys", publisher.client, clock)


async def test_an_unknown_key_is_looked_for_once_in_30_seconds(
    keys: PublishedKeys, publisher: Publisher, clock: Clock
) -> None:
    assert await keys.find("old")
    publisher.add("new", "EdDSA")
    for _n in range(5):
        assert await keys.find("new") is None
    assert publisher.fetched == 1
    clock.now += PAUSE
    assert await keys.find("new")
    assert publisher.fetched == 2


async def test_a_failed_fetch_keeps_the_old_keys(keys: PublishedKeys, publisher: Publisher, clock: Clock) -> None:
    assert await keys.find("old")
    publisher.broken = True
    clock.now += FRESH
    assert await keys.find("old")
    assert await keys.find("new") is None
    assert publisher.fetched == 2


async def test_a_withdrawn_key_ends(keys: PublishedKeys, publisher: Publisher, clock: Clock) -> None:
    assert await keys.find("old")
    del publisher.keys["old"]
    publisher.add("new", "RS256")
    clock.now += FRESH
    assert await keys.find("old") is None


async def test_a_token_without_key_id_has_the_only_key(keys: PublishedKeys, publisher: Publisher, clock: Clock) -> None:
    assert await keys.find(None)
    publisher.add("new", "RS256")
    clock.now += FRESH
    assert await keys.find(None) is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'{"keys": 1}',
        b'{"keys": [7, {"kty": "oct", "k": "c2VjcmV0", "kid": "k"}]}',
        b'{"keys": [{"kty": "RSA", "kid": "k"}, {"kty": "EC", "crv": "P-256", "kid": "k", "use": "enc"}]}',
        b" " * 300_000,
    ],
)
async def test_a_malformed_key_set_gives_no_key(body: bytes, clock: Clock) -> None:
    transport = httpx2.MockTransport(lambda _request: httpx2.Response(200, content=body))
    keys = PublishedKeys("https://chat.example.com/keys", lambda: httpx2.AsyncClient(transport=transport), clock)
    assert await keys.find("k") is None


async def test_a_compressed_key_set_gives_no_key(clock: Clock) -> None:
    packed = gzip.compress(b" " * 50_000_000)
    read = []

    async def pieces() -> AsyncIterator[bytes]:
        read.append(1)
        yield packed

    headers = {"content-encoding": "gzip"}
    transport = httpx2.MockTransport(lambda _request: httpx2.Response(200, headers=headers, content=pieces()))
    keys = PublishedKeys("https://chat.example.com/keys", lambda: httpx2.AsyncClient(transport=transport), clock)
    assert await keys.find("k") is None
    assert read == []


async def test_requests_do_not_wait_again_for_an_owner_who_is_silent(
    keys: PublishedKeys, publisher: Publisher, clock: Clock
) -> None:
    assert await keys.find("old")
    publisher.broken = True
    clock.now += FRESH
    assert await keys.find("old")
    clock.now += PAUSE
    assert await keys.find("old")
    # Nothing was asked for so far: that happens beside the request.
    assert publisher.fetched == 2
    for _turn in range(1000):
        await asyncio.sleep(0)
