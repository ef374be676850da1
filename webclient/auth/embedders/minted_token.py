"""The claims of a minted token that was verified."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MintedToken:
    """The claims of a verified token; `token_id` must be taken once, until `expires_at`.

    `subject` is the embedder's own name for the person, and means something together with `issuer` only.
    """

    embedder: str
    issuer: str
    subject: str
    token_id: str
    origin: str
    scopes: frozenset[str]
    expires_at: datetime
    name: str | None = None
    session: str | None = None
    """The embedder's own name for its session with the person (`sid`), by which it can end ours."""
