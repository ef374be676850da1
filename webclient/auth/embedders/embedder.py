"""An embedding application: its origins, what its users may do, how its tokens are signed, and what one says."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

AUDIENCE = "mcp-inbox"
"""The audience of every minted token."""

MANAGE = "embed:admin"
"""The scope of a token with which an embedder ends sessions of its users."""

GATEWAY = "gateway"
"""The scope of a token with which an agent of the embedder calls servers through the gateway."""

SCOPES = frozenset({"inbox", "inbox:read", "ask", "calls", GATEWAY, MANAGE})
"""Scopes that a token may have: answer, only look, put questions, start calls, be an agent, and end sessions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedder:
    """An application called `name` in the file and in addresses; `may` is what its tokens may ask for.

    `label` is what people read.

    Either `secret` (HS256) or `jwks_url` (EdDSA, ES256, RS256) says how its tokens are verified, and never both: a
    public key must not become a secret.
    """

    name: str
    label: str
    issuer: str
    origins: tuple[str, ...]
    may: frozenset[str]
    secret: str | None = field(default=None, repr=False)
    jwks_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MintedToken:
    """The claims of a verified token; `token_id` must be taken once, until `expires_at`, except for the gateway.

    `subject` is the embedder's own name for the person, and means something together with `issuer` only.
    """

    embedder: str
    issuer: str
    subject: str
    token_id: str
    origin: str
    scopes: frozenset[str]
    issued_at: datetime
    expires_at: datetime
    name: str | None = None
    session: str | None = None
    """The embedder's own name for its session with the person (`sid`), by which it can end ours."""
    agent: str | None = None
    """The embedder's own name for the agent that acts for the person (`act`, RFC 8693), if one does."""
