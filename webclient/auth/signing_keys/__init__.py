"""Signing keys: the public keys that others publish, by which their tokens are verified.

Promises: an address is asked at most once in 30 seconds, however many tokens name unknown keys; a fetch that fails
keeps the keys that are there; only public keys for EdDSA, ES256 and RS256 count, and never a secret.
"""

from __future__ import annotations

from webclient.auth.signing_keys.pem_keys import PemKeys
from webclient.auth.signing_keys.published_keys import PAUSE, PublishedKeys, key_client

__all__ = ["PAUSE", "PemKeys", "PublishedKeys", "key_client"]
