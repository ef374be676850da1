"""The audit trail: who did what, when and from where; never what was asked or answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from time import monotonic

from webclient.domain.model.common import Json
from webclient.domain.model.user import Person

WINDOW = 3600.0
"""Seconds within which acts of one user are counted together."""

MOST_ALIKE = 300
"""Acts of one kind by one user within the window that have an entry each; of more, each power of ten has one."""


class AuditAction(StrEnum):
    """The actions that are recorded."""

    FIRST_SEEN = "first_seen"
    SIGNED_IN = "signed_in"
    SIGNED_OUT = "signed_out"
    SIGN_IN_REFUSED = "sign_in_refused"
    SERVER_ADDED = "server_added"
    SERVER_CHANGED = "server_changed"
    SERVER_REMOVED = "server_removed"
    SERVER_SIGNED_IN = "server_signed_in"
    SERVER_SIGNED_OUT = "server_signed_out"
    TOKEN_MADE = "token_made"  # noqa: S105  (the name of an act)
    TOKEN_REVOKED = "token_revoked"  # noqa: S105  (as above)
    PROGRAM_MUTED = "program_muted"
    PROGRAM_UNMUTED = "program_unmuted"
    NOTICE_TARGET_ADDED = "notice_target_added"
    NOTICE_TARGET_REMOVED = "notice_target_removed"
    HISTORY_EXPORTED = "history_exported"
    WIRE_LOG_EXPORTED = "wire_log_exported"
    EMBED_SESSION_BEGUN = "embed_session_begun"
    EMBED_SESSION_RENEWED = "embed_session_renewed"
    EMBED_SESSIONS_ENDED = "embed_sessions_ended"
    SIGN_INS_ENDED = "sign_ins_ended"
    ANSWERED = "answered"
    REQUESTED = "requested"
    AUDIT_EXPORTED = "audit_exported"
    USER_ADDED = "user_added"
    USER_DISABLED = "user_disabled"
    USER_ENABLED = "user_enabled"
    USER_DELETED = "user_deleted"
    ROLE_CHANGED = "role_changed"
    KEY_ROTATED = "key_rotated"
    RULES_CHANGED = "rules_changed"
    CONFIG_RELOADED = "config_reloaded"


class Acts:
    """Counts what each user does, so that a flood of alike acts is a handful of entries."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._begun = clock()
        self._counts: dict[tuple[str, AuditAction], int] = {}

    def count(self, user_id: str, action: AuditAction) -> int:
        """Count an act; return how many alike its entry stands for, or 0 for an act without an entry."""
        if self._clock() - self._begun >= WINDOW:
            self._begun = self._clock()
            self._counts.clear()
        number = self._counts[user_id, action] = self._counts.get((user_id, action), 0) + 1
        if number <= MOST_ALIKE:
            return 1
        return number if str(number).strip("0") == "1" else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """The sender of a request: the user, if one is signed in, how, and the address.

    `credential` is `session:ID`, with the id in the list of sign-ins, or `token:ID`; empty for other ways. `acts`
    counts those of all senders.
    """

    user_id: str = ""
    way: str = ""
    address: str = ""
    credential: str = ""
    acts: Acts = field(default_factory=Acts, compare=False)


COMMAND_LINE = Actor(way="command line")
"""The sender of a command, on the machine of the program."""

ACTING: ContextVar[Actor | None] = ContextVar("acting")
"""The sender of the request of this context; without one nothing is recorded, as in local mode."""


@contextmanager
def acting(actor: Actor | None) -> Iterator[None]:
    """Record what is done within the block as done by `actor`; None: as done by no one, which is not recorded."""
    before = ACTING.set(actor)
    try:
        yield
    finally:
        ACTING.reset(before)


@contextmanager
def acting_by(way: str) -> Iterator[None]:
    """Record the way of a sign-in that has no user yet, within the block."""
    actor = ACTING.get(None)
    with acting(replace(actor, way=way) if actor else None):
        yield


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """An entry of the trail. `object` is the id of a user, server, token, target or request, `outcome` a state.

    `details` are names and settings by their codes, never a secret: the `label`, `address` and names of the `headers`
    of a server, the `scopes` of a token. As `count` they have how many acts of one kind the user did within an hour, if
    not each has an entry. They end with their user. `credential` is as `Actor` has it.

    A refusal has its reason as `outcome`, and as `object` how many were alike within an hour, if more than one. Of
    sessions of an embedding application, `object` is its name, and `outcome` how many were ended. Of sign-ins that were
    ended from a list, `object` is their user, and `outcome` how many they were. `user` is the user of the entry, unless
    they are deleted.
    """

    id: int
    at: datetime
    user_id: str
    way: str
    address: str
    credential: str = ""
    action: AuditAction
    object: str
    outcome: str
    details: Json = field(default_factory=dict)
    user: Person | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """The entries that are wanted: by or about a user, of these actions, from `since` to before `until`."""

    user_id: str = ""
    actions: Sequence[AuditAction] = ()
    since: datetime | None = None
    until: datetime | None = None
