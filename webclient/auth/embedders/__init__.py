"""Embedders: applications that may show the inbox in a frame, and the short tokens that they mint for their users.

Promises: a token is accepted only if its embedder signed it for us, for one of its own origins, and for five minutes at
most; each refusal is one sentence with a code; keys are fetched at most once in 30 seconds, and a failed fetch keeps
the old ones. That each token is used once is up to the store of its ids.
"""

from __future__ import annotations

from webclient.auth.embedders.embedder import AUDIENCE, GATEWAY, MANAGE, SCOPES, Embedder, MintedToken
from webclient.auth.embedders.embedders_file import read_embedders
from webclient.auth.embedders.verification import LONGEST_LIFE, Embedders, TokenRefusedError

__all__ = [
    "AUDIENCE",
    "GATEWAY",
    "LONGEST_LIFE",
    "MANAGE",
    "SCOPES",
    "Embedder",
    "Embedders",
    "MintedToken",
    "TokenRefusedError",
    "read_embedders",
]
