"""Which scopes a sign-in requests (MCP 2026-07-28, Authorization, Scope Selection Strategy and Step-Up)."""

from __future__ import annotations

from webclient.domain.model import Grant
from webclient.servers.sign_in.challenges import Challenge

OFFLINE = "offline_access"


def selected(
    configured: str | None, challenge: Challenge, known: tuple[str, ...] | None, before: Grant | None
) -> tuple[str, ...]:
    """Return the scopes to request: configured, else those of the challenge, else all that the server knows.

    A server that wants more scope gets it beside all that was requested and granted `before`, so that nothing is lost.
    """
    first = configured or challenge.scope
    wanted = tuple(first.split()) if first else known or ()
    if challenge.wants_more_scope and before:
        missing = tuple((challenge.scope or "").split())
        wanted = (*before.requested, *before.scopes, *wanted, *missing)
    return tuple(dict.fromkeys(wanted))


def with_offline(scopes: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the scopes, with that for a refresh token if the server knows it (SEP-2207)."""
    return (*scopes, OFFLINE) if OFFLINE in known and OFFLINE not in scopes else scopes
