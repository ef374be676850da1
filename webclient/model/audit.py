"""The audit trail: who did what, when and from where; never what was asked or answered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum


class AuditAction(StrEnum):
    """The actions that are recorded."""

    FIRST_SEEN = "first_seen"
    SIGNED_IN = "signed_in"
    SIGNED_OUT = "signed_out"
    SIGN_IN_REFUSED = "sign_in_refused"
    SERVER_ADDED = "server_added"
    EMBED_SESSION_BEGUN = "embed_session_begun"
    EMBED_SESSION_RENEWED = "embed_session_renewed"
    EMBED_SESSIONS_ENDED = "embed_sessions_ended"
    SIGN_INS_ENDED = "sign_ins_ended"
    ANSWERED = "answered"
    REQUESTED = "requested"
    USER_DISABLED = "user_disabled"
    USER_ENABLED = "user_enabled"
    USER_DELETED = "user_deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """The sender of a request: the user, if one is signed in, how, and the address."""

    user_id: str = ""
    way: str = ""
    address: str = ""


ACTING: ContextVar[Actor] = ContextVar("acting")
"""The sender of the request of this context; without one nothing is recorded, as in local mode."""


@contextmanager
def acting_by(way: str) -> Iterator[None]:
    """Record the way of a sign-in that has no user yet, within the block."""
    actor = ACTING.get(None)
    before = ACTING.set(replace(actor, way=way)) if actor else None
    try:
        yield
    finally:
        if before:
            ACTING.reset(before)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """An entry of the trail. `object` is the id of a user, server or request, `outcome` a state.

    A refusal has its reason as `outcome`, and as `object` how many were alike within an hour, if more than one. Of
    sessions of an embedding application, `object` is its name, and `outcome` how many were ended. Of sign-ins that were
    ended from a list, `object` is their user, and `outcome` how many they were.
    """

    id: int
    at: datetime
    user_id: str
    way: str
    address: str
    action: AuditAction
    object: str
    outcome: str
