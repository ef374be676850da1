"""An embedding application: who it is, which origins it has, what its users may do, and how its tokens are signed."""

from __future__ import annotations

from dataclasses import dataclass, field

AUDIENCE = "mcp-inbox"
"""The audience of every minted token."""

MANAGE = "embed:admin"
"""The scope of a token with which an embedder ends sessions of its users."""

SCOPES = frozenset({"inbox", "inbox:read", "ask", "calls", MANAGE})
"""Scopes that a token may have: answer, only look, put questions, start calls, and end sessions."""


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
