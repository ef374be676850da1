"""The session of a person in the frame of an embedding application, which vouches for them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from webclient.domain.model.user import User


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedSession:
    """Until `ends_at`, `user` has these `scopes`; `embedder`, `subject` and `host_session` are the embedder's names.

    `key` names the session and is not its secret.
    """

    key: str
    user: User
    embedder: str
    subject: str
    origin: str
    scopes: frozenset[str]
    ends_at: datetime
    host_session: str | None = None
