"""Proxies that sign assertions as Cloudflare, Google and AWS do, and publish their keys at a real server."""

from __future__ import annotations

import json
import sys
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from tests.mcp_servers import started
from webclient.domain.model import Json
from webclient.settings import Settings, load_settings
from webclient.settings.assertions import AssertionKind

CLOUDFLARE, GOOGLE, AWS = AssertionKind.CLOUDFLARE, AssertionKind.GOOGLE_IAP, AssertionKind.AWS_ALB

SIGNER = "arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/app/inbox/50dc6c495c0c9188"
AUDIENCES = {CLOUDFLARE: "4714c1358e65fe4b", GOOGLE: "/projects/1/global/backendServices/2", AWS: "client-of-inbox"}
ISSUERS = {
    CLOUDFLARE: "https://corp.cloudflareaccess.com",
    GOOGLE: "https://cloud.google.com/iap",
    AWS: "https://id.corp.example",
}
SETTINGS: dict[AssertionKind, Json] = {
    CLOUDFLARE: {"auth_issuer": ISSUERS[CLOUDFLARE]},
    GOOGLE: {},
    AWS: {"auth_issuer": ISSUERS[AWS], "auth_signer": SIGNER},
}


@dataclass
class SigningProxy:
    """A proxy of a kind; its keys are files of `folder`, which the server at `address` serves."""

    kind: AssertionKind
    folder: Path
    address: str
    keys: dict[str, Any] = field(default_factory=dict)

    def add_key(self, key_id: str) -> None:
        """Publish a new key beside the others."""
        is_rsa = self.kind is CLOUDFLARE
        self.keys[key_id] = rsa.generate_private_key(65537, 2048) if is_rsa else ec.generate_private_key(ec.SECP256R1())
        self.publish()

    def publish(self) -> None:
        """Write the keys as this kind of proxy publishes them."""
        public = {key_id: key.public_key() for key_id, key in self.keys.items()}
        if self.kind is AWS:
            for key_id, key in public.items():
                pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
                (self.folder / key_id).write_bytes(pem)
            return
        make = RSAAlgorithm.to_jwk if self.kind is CLOUDFLARE else ECAlgorithm.to_jwk
        listed = [make(key, as_dict=True) | {"kid": key_id, "use": "sig"} for key_id, key in public.items()]
        # Atomically: the server may be asked meanwhile.
        (self.folder / "new").write_text(json.dumps({"keys": listed}), "utf-8")
        (self.folder / "new").rename(self.folder / "keys")

    @property
    def settings(self) -> Json:
        """The settings that accept its assertions."""
        return {
            "identity": ["proxy"],
            "auth_jwt": self.kind,
            "auth_audience": AUDIENCES[self.kind],
            "auth_keys": self.address if self.kind is AWS else f"{self.address}/keys",
            **SETTINGS[self.kind],
        }

    @property
    def fetched(self) -> list[str]:
        """What was fetched from the server of its keys, in order."""
        path = self.folder / "fetched"
        return path.read_text("utf-8").split() if path.exists() else []

    def loaded(self, folder: Path, **changed: Any) -> Settings:
        """Return its settings, changed."""
        return load_settings(data_dir=folder, **self.settings | changed)

    def claims(self, **changed: Any) -> Json:
        """Return the claims of a right assertion; None takes one away."""
        right: Json = {"iss": ISSUERS[self.kind], "sub": "user-1", "email": "ada@corp.example", "exp": int(time()) + 60}
        if self.kind is not AWS:
            right |= {"aud": AUDIENCES[self.kind], "iat": int(time())}
        if self.kind is CLOUDFLARE:
            right |= {"aud": [AUDIENCES[self.kind]], "nbf": int(time()), "type": "app"}
        return {name: value for name, value in (right | changed).items() if value is not None}

    def signed(self, header: Json | None = None, *, key: Any = None, **changed: Any) -> str:
        """Return an assertion with these claims, and this in its header."""
        right: Json = {"kid": next(reversed(self.keys)), "alg": "RS256" if self.kind is CLOUDFLARE else "ES256"}
        if self.kind is AWS:
            ends = {"exp": int(time()) + 60, "iss": ISSUERS[AWS]}
            right |= {"typ": "JWT", "signer": SIGNER, "client": AUDIENCES[AWS], **ends}
        whole = {name: value for name, value in (right | (header or {})).items() if value is not None}
        return written(whole, self.claims(**changed), key or self.keys[right["kid"]], padded=self.kind is AWS)


def written(header: Json, claims: Json, key: Any, *, padded: bool = False) -> str:
    """Return a JWT as it is asked for, also one that PyJWT would not make; `padded` as AWS writes it."""

    def part(value: bytes) -> str:
        text = urlsafe_b64encode(value).decode()
        return text if padded else text.rstrip("=")

    text = f"{part(json.dumps(header).encode())}.{part(json.dumps(claims).encode())}"
    if key == "":
        return f"{text}."
    name = "HS256" if isinstance(key, bytes) else "RS256" if isinstance(key, rsa.RSAPrivateKey) else "ES256"
    if name == "HS256":
        import hmac  # noqa: PLC0415

        return f"{text}.{part(hmac.digest(key, text.encode(), 'sha256'))}"
    return f"{text}.{part(jwt.get_algorithm_by_name(name).sign(text.encode(), key))}"


@asynccontextmanager
async def signing_proxy(kind: AssertionKind, folder: Path) -> AsyncIterator[SigningProxy]:
    """Start the server of its keys, with one key, and end it by its pid."""
    async with started([sys.executable, "-m", "tests.assertions.key_server", str(folder)], announce="Listening") as at:
        proxy = SigningProxy(kind, folder, at.address)
        proxy.add_key("11111111-aaaa")
        yield proxy
