"""Public keys of which each has an address of its own, as a PEM file: as AWS publishes those of its load balancers."""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from time import monotonic

import httpx2
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from jwt import PyJWK
from jwt.algorithms import ECAlgorithm

from webclient.auth.signing_keys.published_keys import PAUSE, PublishedKeys, key_client

MOST_KEYS = 100

MOST_NEW = 10
"""Unknown keys that are looked for within `PAUSE` seconds: invented ids must not make us ask without end."""

_ID = re.compile(r"[A-Za-z0-9-]{1,64}", re.ASCII)
"""The ids that are looked for: nothing in one leads to another address."""


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
        """Return the key with this id; None if there is no such key, or too many unknown ones were asked for."""
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
        keys = PublishedKeys(address, self._client, self._clock, read=lambda body: _key(body, key_id))
        self._by_id[key_id] = keys
        return keys


def _key(body: bytes, key_id: str) -> Sequence[PyJWK]:
    try:
        found = load_pem_public_key(body)
    except UnsupportedAlgorithm as error:
        raise ValueError from error
    if not isinstance(found, EllipticCurvePublicKey) or not isinstance(found.curve, SECP256R1):
        raise ValueError("no key for ES256")  # noqa: TRY004  (what is wrong is the document)
    return [PyJWK(ECAlgorithm.to_jwk(found, as_dict=True) | {"kid": key_id}, algorithm="ES256")]
