"""Web Push: encrypts a message for one browser (RFC 8291), and signs the request to its push service (RFC 8292).

A browser names its own push service, and a page could name any address in its place: only known ones get messages.

Written over `cryptography`: pywebpush brings requests and aiohttp, which go past our checks of addresses, and http-ece
has no wheel and has drafts besides the standard.
"""

from __future__ import annotations

import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from webclient.domain.model import now
from webclient.network import NotHttpsError, check_url

_CURVE = ec.SECP256R1()
_POINT = 65
_AUTH = 16
_RECORD = 4096
"""Bytes of a record: all that a push service must take (RFC 8291, section 4)."""

BLOCK = 1024
"""Messages are padded to so many bytes, so that their length tells a push service nothing."""

TOKEN_LIFETIME = timedelta(hours=12)
"""A push service refuses tokens of more than a day (RFC 8292, section 2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PushSubscription:
    """A browser's address at its push service, and its keys."""

    endpoint: str
    public_key: bytes
    auth: bytes = field(repr=False)

    @classmethod
    def read(cls, endpoint: str, p256dh: str, auth: str) -> PushSubscription:
        """Read the base64url of the browser. Raises ValueError for keys that cannot be used."""
        public_key, secret = decoded(p256dh), decoded(auth)
        if len(public_key) != _POINT or len(secret) != _AUTH:
            raise ValueError("the keys have the wrong length")
        # Raises ValueError for a point that is not on the curve.
        ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, public_key)
        return cls(endpoint=endpoint, public_key=public_key, auth=secret)


def new_key() -> str:
    """Return a new private key that signs for one user, as base64url."""
    return encoded(ec.generate_private_key(_CURVE).private_numbers().private_value.to_bytes(32, "big"))


def public_key_of(private_key: str) -> str:
    """Return the public key as browsers take it (`applicationServerKey`)."""
    return encoded(_point(_private(private_key)))


def authorization(endpoint: str, private_key: str, contact: str) -> str:
    """Return the header that says who sends to a push service; `contact` is a mailto: or https: address."""
    parts = urlsplit(endpoint)
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": now() + TOKEN_LIFETIME, "sub": contact}
    token = jwt.encode(claims, _private(private_key), algorithm="ES256")
    return f"vapid t={token}, k={public_key_of(private_key)}"


def encrypt(
    message: bytes,
    subscription: PushSubscription,
    *,
    sender: ec.EllipticCurvePrivateKey | None = None,
    salt: bytes | None = None,
    block: int = BLOCK,
) -> bytes:
    """Return the body of a push message in one record of `aes128gcm` (RFC 8188); `sender` and `salt` are for tests.

    Raises ValueError for a message of more than 3993 bytes.
    """
    sender = sender or ec.generate_private_key(_CURVE)
    salt = salt or os.urandom(16)
    browser = ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, subscription.public_key)
    info = b"WebPush: info\0" + subscription.public_key + _point(sender)
    secret = _derived(sender.exchange(ec.ECDH(), browser), subscription.auth, info, 32)
    key = _derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    padding = -(len(message) + 1) % block
    sealed = AESGCM(key).encrypt(nonce, message + b"\2" + bytes(padding), None)
    header = salt + _RECORD.to_bytes(4, "big") + bytes([_POINT]) + _point(sender)
    if len(header) + len(sealed) > _RECORD:
        raise ValueError("the message is too long")
    return header + sealed


def encoded(data: bytes) -> str:
    """Return base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    """Return the bytes of base64url, with or without padding. Raises ValueError."""
    text = text.rstrip("=")
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _private(text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(decoded(text), "big"), _CURVE)


def _point(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(secret)


KNOWN = ("fcm.googleapis.com", "push.services.mozilla.com", "push.apple.com", "notify.windows.com")
"""The hosts of the push services of Chromium, Firefox, Safari and Edge; names below them count as well."""

_HTTPS = (None, 443)


def is_push_service(endpoint: str, more: Iterable[str] = ()) -> bool:
    """Return whether an address is at a known push service, or one of `more`."""
    try:
        check_url(endpoint)
        parts = urlsplit(endpoint)
        host, port = (parts.hostname or "").lower(), parts.port
    except (NotHttpsError, ValueError):
        return False
    # Safe: with the dot, evil-push.apple.com is not below push.apple.com.
    known = port in _HTTPS and any(host == each or host.endswith(f".{each}") for each in KNOWN)
    return known or host in more
