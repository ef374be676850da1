"""Loops of requests between programs that call one another, by the header of RFC 8586.

Each program adds itself to the header of what it sends because of another request, and refuses a request that has come
through itself. Without that, a server whose address leads back here would be called without end.

The header belongs to networks that deliver content; a gateway has the same danger, and proxies between two programs
keep a header that they know.
"""

from __future__ import annotations

from contextvars import ContextVar
from secrets import token_hex

LOOP_HEADER = "cdn-loop"
"""Header with the programs through which a request has come (RFC 8586, section 2)."""

LONGEST = 2000
"""Characters of the header above which a request has come through too many programs."""

_OURS = f"mcp-webclient-{token_hex(8)}"
"""This process among all; no request tells more of it."""

_ARRIVED: ContextVar[str] = ContextVar("arrived", default="")


def arrived_through(header: str) -> None:
    """Note the header of the request for which the current task works."""
    _ARRIVED.set(header)


def onward_header() -> str:
    """Return the header of requests that the current task sends."""
    before = _ARRIVED.get()
    return f"{before}, {_OURS}" if before else _OURS


def is_loop(header: str) -> bool:
    """Return whether a request has come through this process, or through too many."""
    names = (part.partition(";")[0].strip() for part in header.split(","))
    return len(header) > LONGEST or _OURS in names
