"""Seals secrets for the database: who has its file alone has no token (AES-256-GCM, NIST SP 800-38D).

A sealed text names its key, and opens only for the row for which it was sealed.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from secrets import token_bytes

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from webclient.domain.model import Json

_NONCE = 12
"""Bytes of a random nonce: two texts of 2^32 with one key have the same at a chance of 2^-33."""


class LostKeyError(Exception):
    """A sealed text cannot be opened: its key is gone, or it belongs to another row."""


class Sealer:
    """Seals with the first of its keys, and opens with all of them. It has none before `use`."""

    def __init__(self, keys: Mapping[str, bytes] | None = None) -> None:
        self._ciphers: dict[str, AESGCM] = {}
        self._newest = ""
        if keys is not None:
            self.use(keys)

    def use(self, keys: Mapping[str, bytes]) -> None:
        """Use these keys, newest first: 32 bytes each, by a short name."""
        self._ciphers = {name: AESGCM(key) for name, key in keys.items()}
        self._newest = next(iter(keys))

    def seal(self, values: Json, *row: str) -> str:
        """Return `values` sealed for a `row`: the names of its table, its user and what else identifies it."""
        nonce = token_bytes(_NONCE)
        sealed = self._ciphers[self._newest].encrypt(nonce, json.dumps(values).encode(), _name(row))
        return f"{self._newest}.{urlsafe_b64encode(nonce + sealed).decode()}"

    def open(self, sealed: str, *row: str) -> Json:
        """Return the values that were sealed for the `row`. Raises LostKeyError."""
        name, _dot, data = sealed.partition(".")
        try:
            raw = urlsafe_b64decode(data)
            opened: Json = json.loads(self._ciphers[name].decrypt(raw[:_NONCE], raw[_NONCE:], _name(row)))
        except (KeyError, ValueError, InvalidTag) as error:
            raise LostKeyError(_name(row)) from error
        return opened

    def is_newest(self, sealed: str) -> bool:
        """Return whether the newest key sealed the text."""
        return sealed.startswith(f"{self._newest}.")


def _name(row: tuple[str, ...]) -> bytes:
    # Unambiguous for any parts.
    return json.dumps(row).encode()
