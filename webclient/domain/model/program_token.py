"""The token of a program: what it may do, for which user, and what became of it; never the token itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from webclient.domain.model.common import new_id, now

EVERYONE = "*"
"""The entry of `may_ask` for all users."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramToken:
    """A token of a program, which acts for the user who made it.

    `label` is the user's own name for the program, and is trusted. `hint` are the last characters of the token, by
    which a person tells it from others. A muted program's questions are refused. `may_ask` are the ids of other users
    whom its program may ask, or `EVERYONE`, as long as its user is an administrator. `servers` are the ids of those
    that it reaches through the gateway, all if there are none, and `patience` are the seconds for which it waits for a
    result there.
    """

    id: str = field(default_factory=new_id)
    user_id: str
    label: str
    scopes: tuple[str, ...]
    hint: str
    may_ask: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    patience: float | None = None
    created_at: datetime = field(default_factory=now)
    used_at: datetime | None = None
    revoked_at: datetime | None = None
    muted_at: datetime | None = None


def asker_id_of(token_id: str) -> str:
    """Return the id under which the program with this token asks."""
    return f"program-{token_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MutedProgram:
    """A program of another user whose questions a user does not want; `asker_id` is the id under which it asks."""

    asker_id: str
    label: str
    muted_at: datetime
