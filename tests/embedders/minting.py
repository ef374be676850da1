"""An application that embeds us: it mints tokens for its users, with a secret or with keys that it publishes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import token_urlsafe
from time import time
from typing import Any

import httpx2
import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from webclient.auth.embedders import Embedder, Embedders
from webclient.domain.model import Json

SECRET = "a secret of the chat app, long enough for HS256"
ISSUER = "https://chat.example.com"
ORIGIN = "https://chat.example.com"

MAKERS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "RS256": (lambda: rsa.generate_private_key(65537, 2048), lambda key: RSAAlgorithm.to_jwk(key, as_dict=True)),
    "ES256": (lambda: ec.generate_private_key(ec.SECP256R1()), lambda key: ECAlgorithm.to_jwk(key, as_dict=True)),
    "EdDSA": (ed25519.Ed25519PrivateKey.generate, lambda key: OKPAlgorithm.to_jwk(key, as_dict=True)),
}


def claims(**changed: Any) -> Json:
    """Return the claims of a right token; None takes one away."""
    now = int(time())
    right = {
        "iss": ISSUER,
        "sub": "ada",
        "aud": "mcp-inbox",
        "iat": now,
        "exp": now + 120,
        "jti": token_urlsafe(12),
        "origin": ORIGIN,
        "scope": "inbox",
    }
    return {name: value for name, value in (right | changed).items() if value is not None}


def minted(key: Any = SECRET, algorithm: str = "HS256", headers: Json | None = None, **changed: Any) -> str:
    """Return a token with these claims."""
    return jwt.encode(claims(**changed), key, algorithm, headers=headers)


def embedder(**changed: Any) -> Embedder:
    """Return the embedder whose tokens `minted` makes."""
    right: Json = {
        "name": "chat",
        "label": "Chat",
        "issuer": ISSUER,
        "origins": (ORIGIN, "http://localhost:3000"),
        "may": frozenset({"inbox", "inbox:read"}),
    }
    return Embedder(**right | ({} if "jwks_url" in changed else {"secret": SECRET}) | changed)


@dataclass
class Publisher:
    """Publishes keys, and counts how often they are fetched."""

    keys: dict[str, tuple[str, Any]] = field(default_factory=dict)
    fetched: int = 0
    broken: bool = False

    def add(self, key_id: str, algorithm: str) -> Any:
        """Publish a new key and return its private part."""
        make, _public = MAKERS[algorithm]
        self.keys[key_id] = (algorithm, make())
        return self.keys[key_id][1]

    def client(self) -> httpx2.AsyncClient:
        """Return a client that finds the keys at any address."""
        return httpx2.AsyncClient(transport=httpx2.MockTransport(self._answer))

    def embedders(self) -> Embedders:
        """Return an embedder with these keys."""
        return Embedders([embedder(jwks_url="https://chat.example.com/keys")], self.client)

    def _answer(self, _request: httpx2.Request) -> httpx2.Response:
        self.fetched += 1
        if self.broken:
            return httpx2.Response(503)
        keys = [MAKERS[algorithm][1](key.public_key()) | {"kid": id_} for id_, (algorithm, key) in self.keys.items()]
        return httpx2.Response(200, content=json.dumps({"keys": keys}))
