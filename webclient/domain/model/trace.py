"""The trace that a call is part of, as W3C Trace Context writes it: `traceparent` and `tracestate`.

Both come from outside and go to servers, so only what follows the grammar is taken over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import Any

from webclient.domain.model.common import Json

TRACEPARENT, TRACESTATE = "traceparent", "tracestate"
"""The names of both, as HTTP headers and in the `_meta` of a request (MCP 2026-07-28, Overview, `_meta`; SEP-414)."""

SAMPLED = 1
"""The flag for a trace that is recorded (W3C Trace Context, 3.2.2.5)."""

MOST_MEMBERS = 32
"""The most members of a `tracestate` (3.3.1.1)."""

LONGEST_STATE, LONG_MEMBER = 512, 128
"""Characters of a `tracestate` that are passed on at least; of a longer one, long members go first (3.3.1.5)."""

_PARENT = re.compile(r"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_KEY = r"[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13}"
_MEMBER = re.compile(rf"({_KEY})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{{0,255}}[\x21-\x2b\x2d-\x3c\x3e-\x7e]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A place in a trace: `span_id` is the span that something done there has as its parent.

    `parent_id` is the parent of that span, "" if it is the first one; None if the span is not this program's.
    """

    trace_id: str
    span_id: str
    flags: int = SAMPLED
    state: str = ""
    parent_id: str | None = None

    @property
    def is_sampled(self) -> bool:
        """Whether the trace is recorded."""
        return bool(self.flags & SAMPLED)

    @property
    def headers(self) -> dict[str, str]:
        """The trace as HTTP headers, or as members of `_meta`."""
        parent = f"00-{self.trace_id}-{self.span_id}-{self.flags:02x}"
        return {TRACEPARENT: parent} | ({TRACESTATE: self.state} if self.state else {})

    def child(self, span_id: str = "") -> Trace:
        """Return the place of a span below this one; without an id it gets a new one."""
        return replace(self, span_id=span_id or token_hex(8), parent_id=self.span_id)

    def with_sampling(self, *, is_sampled: bool) -> Trace:
        """Return the same place in a trace that is recorded or not."""
        return replace(self, flags=SAMPLED if is_sampled else 0)


CURRENT_TRACE: ContextVar[Trace | None] = ContextVar("trace", default=None)
"""The trace that the code which runs is part of: each request to a server names it."""


@contextmanager
def tracing(trace: Trace | None) -> Iterator[None]:
    """Make the block part of a trace."""
    before = CURRENT_TRACE.set(trace)
    try:
        yield
    finally:
        CURRENT_TRACE.reset(before)


def new_trace() -> Trace:
    """Return the beginning of a trace.

    It is sampled, because servers follow the flag: without it they would not record what they do for this call.
    """
    return Trace(trace_id=token_hex(16), span_id=token_hex(8), parent_id="")


def read_trace(carrier: Mapping[str, Any]) -> Trace | None:
    """Read a trace from `_meta`, or from HTTP headers with lower-case names; return None if none is valid."""
    parent, state = carrier.get(TRACEPARENT), carrier.get(TRACESTATE)
    found = _PARENT.fullmatch(parent.strip(" \t")) if isinstance(parent, str) else None
    # Later versions may have more at the end (3.2.4).
    if found is None or (found[1] == "00" and found[5]):
        return None
    # The other flags are unknown, and MUST be zero when passed on (3.2.2.5).
    flags = int(found[4], 16) & SAMPLED
    return Trace(trace_id=found[2], span_id=found[3], flags=flags, state=_read_state(state))


def with_trace(meta: Mapping[str, Any], trace: Trace | None) -> Json:
    """Return `_meta` with this trace, and no other one."""
    others = {key: value for key, value in meta.items() if key not in (TRACEPARENT, TRACESTATE)}
    return others | (trace.headers if trace else {})


def _read_state(given: Any) -> str:
    """Return a `tracestate`; "" if it is invalid, which does not make its `traceparent` so (3.3)."""
    members = [each.strip(" \t") for each in given.split(",")] if isinstance(given, str) else []
    members = [each for each in members if each]
    found = [_MEMBER.fullmatch(each) for each in members]
    keys = {each[1] for each in found if each}
    if len(members) > MOST_MEMBERS or len(keys) < len(members):
        return ""
    if len(",".join(members)) > LONGEST_STATE:
        members = [each for each in members if len(each) <= LONG_MEMBER]
    while len(",".join(members)) > LONGEST_STATE:
        members.pop()
    return ",".join(members)
