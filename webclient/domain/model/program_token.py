"""The token of a program: what it may do, for which user, and what became of it; never the token itself."""

from __future__ import annotations

import re
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
    result there; `learned_patience` are those that it was seen to wait. With a `user_header` it acts, at the gateway,
    for the user whom that header of each request names, as long as its user is an administrator. If it `passes_on`,
    its program is asked what servers ask during its calls.
    """

    id: str = field(default_factory=new_id)
    user_id: str
    label: str
    scopes: tuple[str, ...]
    hint: str
    may_ask: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    patience: float | None = None
    user_header: str | None = None
    learned_patience: float | None = None
    passes_on: bool = False
    created_at: datetime = field(default_factory=now)
    used_at: datetime | None = None
    revoked_at: datetime | None = None
    muted_at: datetime | None = None


_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,99}")
_MEANT_OTHERWISE = re.compile(
    r"(accept|authorization|cdn-loop|connection|content|cookie|forwarded|host|mcp|origin|proxy|referer|sec|te|upgrade"
    r"|user-agent|via)(-.*)?",
    re.IGNORECASE,
)


def is_user_header(name: str) -> bool:
    """Return whether a header may name the user of a request: not one that every client sends, or that MCP uses."""
    return _HEADER.fullmatch(name) is not None and _MEANT_OTHERWISE.fullmatch(name) is None


def asker_id_of(token_id: str) -> str:
    """Return the id under which the program with this token asks."""
    return f"program-{token_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MutedProgram:
    """A program of another user whose questions a user does not want; `asker_id` is the id under which it asks."""

    asker_id: str
    label: str
    muted_at: datetime
