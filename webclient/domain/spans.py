"""Spans: when something within a trace began and ended here, with codes and IDs, and never with content.

Without `network/otel_spans.py` nothing is recorded, and traces pass as they came.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from webclient.domain.model import CallKind, Trace, now

Attribute = str | int | bool

TOOL_ERROR = "tool_error"
"""The code for a result that is an error, in OpenTelemetry's conventions for MCP."""

PREFIX = "mcp_webclient"
"""How the names of our own attributes begin."""


class SpanKind(StrEnum):
    """Which side of a request a span is about."""

    INTERNAL = "internal"
    SERVER = "server"
    CLIENT = "client"


@dataclass(slots=True, kw_only=True)
class Span:
    """Something at its place in a trace; `error` is the code with which it failed, "" if it did not."""

    name: str
    place: Trace
    kind: SpanKind = SpanKind.INTERNAL
    began: datetime = field(default_factory=now)
    ended: datetime | None = None
    attributes: dict[str, Attribute] = field(default_factory=dict)
    error: str = ""


class Spans:
    """Records spans; this one records none."""

    is_on = False

    def place(self, parent: Trace | None) -> Trace | None:
        """Return the place of a new span below `parent`; here it is the parent's.

        Without a parent, it begins a trace.
        """
        return parent

    def record(self, span: Span) -> None:
        """Record a span that is over."""

    async def close(self) -> None:
        """Send what was recorded, and record nothing more."""

    @contextmanager
    def span(
        self, name: str, parent: Trace | None, kind: SpanKind, attributes: Mapping[str, Attribute]
    ) -> Iterator[Span | None]:
        """Open a span for the block and record it at its end. It is None if there is no trace."""
        place = self.place(parent)
        if place is None:
            yield None
            return
        span = Span(name=name, place=place, kind=kind, attributes=dict(attributes))
        try:
            yield span
        except BaseException as error:
            span.error = span.error or code_of(error)
            raise
        finally:
            span.ended = now()
            self.record(span)


def code_of(error: BaseException) -> str:
    """Return the code of an error, or the name of its class: its message may have content."""
    return str(getattr(error, "code", None) or type(error).__name__)


def subject_of(kind: CallKind | None, name: str) -> dict[str, str]:
    """Return the method of a call and its tool or prompt, as attributes.

    These are OpenTelemetry's conventions for MCP. Other requests have none, and the URI of a resource is content.
    """
    match kind:
        case CallKind.TOOL:
            return {"mcp.method.name": "tools/call", "gen_ai.tool.name": name}
        case CallKind.PROMPT:
            return {"mcp.method.name": "prompts/get", "gen_ai.prompt.name": name}
        case CallKind.RESOURCE:
            return {"mcp.method.name": "resources/read"}
        case None:
            return {}
