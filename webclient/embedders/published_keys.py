"""The public keys of an embedder, from the address where it publishes them (JWKS, RFC 7517).

Promises: they are fetched at most once in `PAUSE` seconds, however many tokens name unknown keys; a fetch that fails
keeps the keys that are there. Of the keys, only signing keys for EdDSA, ES256 and RS256 count, and never a secret.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

import httpx2
from jwt import PyJWK, PyJWTError

logger = logging.getLogger(__name__)

PAUSE = 30.0
"""Seconds between two fetches."""

FRESH = 900.0
"""Seconds after which keys are fetched again, so that a withdrawn key ends."""

LARGEST = 262_144
"""Bytes of a key set."""

MOST_KEYS = 100
SECONDS = 5.0

_ALGORITHMS = {("RSA", None): "RS256", ("EC", "P-256"): "ES256", ("OKP", "Ed25519"): "EdDSA"}
"""The algorithm of each kind of key: the key says it, and never the token."""


class PublishedKeys:
    """The keys at `url`, by their id."""

    def __init__(
        self, url: str, client: Callable[[], httpx2.AsyncClient], clock: Callable[[], float] = monotonic
    ) -> None:
        self._url = url
        self._client = client
        self._clock = clock
        self._keys: Sequence[PyJWK] = ()
        self._tried_at: float | None = None
        self._fetched_at = -FRESH
        self._turn = asyncio.Lock()

    async def find(self, key_id: str | None) -> PyJWK | None:
        """Return the key with this id, or the only key for None; None if there is no such key."""
        if self._clock() - self._fetched_at >= FRESH or self._known(key_id) is None:
            await self._fetch()
        return self._known(key_id)

    def _known(self, key_id: str | None) -> PyJWK | None:
        if key_id is None:
            return self._keys[0] if len(self._keys) == 1 else None
        return next((key for key in self._keys if key.key_id == key_id), None)

    async def _fetch(self) -> None:
        async with self._turn:
            # Everybody who waited for the same fetch goes on with its result.
            if self._tried_at is not None and self._clock() - self._tried_at < PAUSE:
                return
            self._tried_at = self._clock()
            try:
                self._keys = _keys(await self._load())
                self._fetched_at = self._clock()
            except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, ValueError) as error:
                logger.warning("The keys at %s could not be fetched: %s", self._url, type(error).__name__)

    async def _load(self) -> Any:
        body = b""
        async with asyncio.timeout(SECONDS), self._client() as client:
            # No redirects: they could lead where the file does not.
            async with client.stream("GET", self._url, follow_redirects=False) as response:
                if response.status_code != 200:
                    raise ValueError(f"status {response.status_code}")
                async for part in response.aiter_bytes():
                    body += part
                    if len(body) > LARGEST:
                        raise ValueError("too large")
            return httpx2.Response(200, content=body).json()


def _keys(found: Any) -> Sequence[PyJWK]:
    listed = found.get("keys") if isinstance(found, dict) else None
    if not isinstance(listed, list):
        raise ValueError("no key set")  # noqa: TRY004  (what is wrong is the document)
    keys = [key for each in listed[:MOST_KEYS] if (key := _key(each)) is not None]
    if not keys:
        raise ValueError("no usable key")
    return keys


def _key(given: Any) -> PyJWK | None:
    if not isinstance(given, dict) or given.get("use", "sig") != "sig":
        return None
    kind = str(given.get("kty"))
    algorithm = _ALGORITHMS.get((kind, None if kind == "RSA" else given.get("crv")))
    # RFC 9864 has a second name for EdDSA with this curve.
    declared = "EdDSA" if given.get("alg") == "Ed25519" else given.get("alg", algorithm)
    if algorithm is None or declared != algorithm:
        return None
    try:
        return PyJWK(given, algorithm=algorithm)
    except (PyJWTError, ValueError, TypeError):
        return None
