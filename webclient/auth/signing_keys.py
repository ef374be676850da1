"""Signing keys: the public keys that others publish, by which their tokens are verified.

They are a key set (JWKS, RFC 7517), or PEM files of which each has an address of its own.

Promises: they are fetched at most once in `PAUSE` seconds, however many tokens name unknown keys; a fetch that fails
keeps the keys that are there. Of the keys, only signing keys for EdDSA, ES256 and RS256 count, and never a secret.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import httpx2
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from jwt import PyJWK, PyJWTError
from jwt.algorithms import ECAlgorithm

from webclient.network import network_reason, network_words, tls_context
from webclient.support.background import CancellableTask
from webclient.support.log_lines import rare_logger

logger = rare_logger(__name__)

PAUSE = 30.0
"""Seconds between two fetches."""

FRESH = 900.0
"""Seconds after which keys are fetched again, so that a withdrawn key ends."""

LARGEST = 262_144
"""Bytes of a key set."""

MOST_KEYS = 100
SECONDS = 5.0

MOST_NEW = 10
"""Unknown keys that are looked for within `PAUSE` seconds: invented ids must not make us ask without end."""

_ID = re.compile(r"[A-Za-z0-9-]{1,64}", re.ASCII)
"""The ids that are looked for: nothing in one leads to another address."""

_ALGORITHMS = {("RSA", None): "RS256", ("EC", "P-256"): "ES256", ("OKP", "Ed25519"): "EdDSA"}
"""The algorithm of each kind of key: the key says it, and never the token."""


_NONE = frozenset({403, 404, 410})
"""Statuses that say that there is nothing; AWS answers 403 for what is not there."""


_PLAIN = {"Accept-Encoding": "identity"}
"""A small compressed body can be a huge one."""


class _NoSuchKeysError(Exception):
    """The address has no keys."""


def key_client(ca_file: Path | None = None) -> httpx2.AsyncClient:
    """Return a client for one fetch; `ca_file` is that of the settings."""
    return httpx2.AsyncClient(timeout=SECONDS, verify=tls_context(ca_file))


def read_key_set(body: bytes) -> Sequence[PyJWK]:
    """Return the usable keys of a key set. Raises ValueError if there is none."""
    return _keys(httpx2.Response(200, content=body).json())


class PublishedKeys:
    """The keys at `url`, by their id; `read` makes keys of what is found there, or raises ValueError."""

    def __init__(
        self,
        url: str,
        client: Callable[[], httpx2.AsyncClient] = key_client,
        clock: Callable[[], float] = monotonic,
        *,
        read: Callable[[bytes], Sequence[PyJWK]] = read_key_set,
    ) -> None:
        self._url = url
        self._client = client
        self._clock = clock
        self._read = read
        self._keys: Sequence[PyJWK] = ()
        self._tried_at: float | None = None
        self._fetched_at = -FRESH
        self._failed = False
        self._turn = asyncio.Lock()
        self._refresh: CancellableTask | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no key could be fetched so far."""
        return not self._keys

    def is_unreachable(self, key_id: str | None) -> bool:  # noqa: ARG002  (the interface of `PemKeys`)
        """Return whether a key was not found because nothing could be fetched."""
        return self.is_empty and self._failed

    async def find(self, key_id: str | None) -> PyJWK | None:
        """Return the key with this id, or the only key for None; None if there is no such key."""
        known = self._known(key_id)
        if known is not None and self._clock() - self._fetched_at < FRESH:
            return known
        if known is not None and self._tried_at is not None and self._clock() - self._tried_at < FRESH:
            # The owner was asked since then, and did not answer: requests do not wait for that again.
            if self._clock() - self._tried_at >= PAUSE:
                self._refresh = CancellableTask(self._fetch(), name="keys")
            return known
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
            self._failed = True
            try:
                self._keys = self._read(await self._load())
                self._fetched_at = self._clock()
                self._failed = False
            except _NoSuchKeysError:
                self._failed = False
            except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, ValueError) as error:
                logger.warning("The keys at %s could not be fetched: %s", self._url, _why(error, self._url))

    async def _load(self) -> bytes:
        body = b""
        async with (
            asyncio.timeout(SECONDS),
            self._client() as client,
            # No redirects: they could lead where the settings do not.
            client.stream("GET", self._url, follow_redirects=False, headers=_PLAIN) as response,
        ):
            if response.status_code in _NONE:
                raise _NoSuchKeysError
            if response.status_code != 200:
                raise ValueError(f"status {response.status_code}")
            if response.headers.get("content-encoding", "identity") != "identity":
                raise ValueError("compressed")
            async for part in response.aiter_bytes():
                body += part
                if len(body) > LARGEST:
                    raise ValueError("too large")
        return body


class PemKeys:
    """The ES256 keys at `url`/ID, by their id."""

    def __init__(
        self,
        url: str,
        client: Callable[[], httpx2.AsyncClient] = key_client,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._url = url.rstrip("/")
        self._client = client
        self._clock = clock
        self._by_id: OrderedDict[str, PublishedKeys] = OrderedDict()
        self._begun: deque[float] = deque(maxlen=MOST_NEW)

    def is_unreachable(self, key_id: str | None) -> bool:
        """Return whether this key was not found because nothing could be fetched."""
        keys = self._by_id.get(key_id or "")
        return keys is not None and keys.is_unreachable(key_id)

    async def find(self, key_id: str | None) -> PyJWK | None:
        """Return the key with this id; None if it does not exist, or unknown ids were looked up too often."""
        if key_id is None or not _ID.fullmatch(key_id):
            return None
        keys = self._by_id.get(key_id) or self._begin(key_id)
        return await keys.find(key_id) if keys else None

    def _begin(self, key_id: str) -> PublishedKeys | None:
        if len(self._begun) == MOST_NEW and self._clock() - self._begun[0] < PAUSE:
            return None
        self._begun.append(self._clock())
        if len(self._by_id) >= MOST_KEYS:
            # Ids without a key go first.
            empty = (id_ for id_, keys in self._by_id.items() if keys.is_empty)
            del self._by_id[next(empty, next(iter(self._by_id)))]
        address = f"{self._url}/{key_id}"
        keys = PublishedKeys(address, self._client, self._clock, read=lambda body: _pem_key(body, key_id))
        self._by_id[key_id] = keys
        return keys


def _pem_key(body: bytes, key_id: str) -> Sequence[PyJWK]:
    try:
        found = load_pem_public_key(body)
    except UnsupportedAlgorithm as error:
        raise ValueError from error
    if not isinstance(found, EllipticCurvePublicKey) or not isinstance(found.curve, SECP256R1):
        raise ValueError("no key for ES256")  # noqa: TRY004  (what is wrong is the document)
    return [PyJWK(ECAlgorithm.to_jwk(found, as_dict=True) | {"kid": key_id}, algorithm="ES256")]


def _why(error: Exception, url: str) -> str:
    reason = network_reason(error, url)
    return network_words(reason) if reason else type(error).__name__


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
