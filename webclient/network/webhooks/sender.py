"""Sends one signed message to one address."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_bytes

from standardwebhooks import Webhook as Signer

from webclient.domain.model import Json, now
from webclient.network import Network, Posted, Poster
from webclient.support.standard_json import dumps

_SECRET_BYTES = 32
"""Bytes of a new secret."""

_PREFIX = "whsec_"

_LEAST_BYTES, _MOST_BYTES = 24, 64
"""Bytes that a secret may have (Standard Webhooks 1.0, Signature scheme)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """The address of a receiver, and the secret that signs what goes there."""

    url: str = field(repr=False)
    secret: str = field(repr=False)


def new_secret() -> str:
    """Return a new secret in the form that receivers expect, `whsec_BASE64`."""
    return f"{_PREFIX}{b64encode(token_bytes(_SECRET_BYTES)).decode()}"


def is_secret(text: str) -> bool:
    """Return whether a text can be a secret, by its form and length."""
    try:
        decoded = b64decode(text.removeprefix(_PREFIX), validate=True)
    except ValueError:
        return False
    return text.startswith(_PREFIX) and _LEAST_BYTES <= len(decoded) <= _MOST_BYTES


class Webhooks:
    """Sends messages to the internet and to the `networks` of the operator; call `close` at the end.

    `ca_file` is that of the settings.
    """

    def __init__(self, networks: Sequence[Network] = (), ca_file: Path | None = None) -> None:
        self._poster = Poster(networks, ca_file)

    async def send(self, webhook: Webhook, message_id: str, body: Json) -> Posted:
        """Sign a message as of now, and post it; a message that is sent again keeps its id, so that it counts once."""
        at, text = now(), dumps(body)
        headers = {
            "content-type": "application/json",
            "user-agent": "mcp-webclient",
            "webhook-id": message_id,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": Signer(webhook.secret).sign(message_id, at, text),
        }
        return await self._poster.post(webhook.url, text.encode(), headers)

    async def close(self) -> None:
        """Close all connections."""
        await self._poster.close()
