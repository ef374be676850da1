"""Spans as OpenTelemetry exports them, with the environment variables `OTEL_…` of its SDK.

The provider is not the global one: with that, the MCP SDK would record spans of its own, with the messages of errors.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from threading import Thread

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    Status,
    StatusCode,
    TraceFlags,
    TraceState,
    set_span_in_context,
)
from opentelemetry.trace import SpanKind as Kind

from webclient import __version__
from webclient.domain.model import Trace, new_trace
from webclient.domain.spans import Span, SpanKind, Spans

LONGEST_END = 2
"""Seconds that the end of this program waits for the collector."""

_NAME = "mcp-webclient"

_KINDS = {SpanKind.INTERNAL: Kind.INTERNAL, SpanKind.SERVER: Kind.SERVER, SpanKind.CLIENT: Kind.CLIENT}


def otlp_exporter() -> SpanExporter:
    """Return what sends spans to the collector of the environment."""
    return OTLPSpanExporter()


class OtelSpans(Spans):
    """Implements `Spans` with the SDK of OpenTelemetry, which samples them, and exports them in a thread."""

    is_on = True

    def __init__(self, exporter: SpanExporter) -> None:
        self._ids = _GivenIds()
        own = {"service.name": _NAME, "service.version": __version__}
        self._provider = TracerProvider(
            resource=Resource.create({**own, **OTELResourceDetector().detect().attributes}),
            id_generator=self._ids,
            shutdown_on_exit=False,
        )
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer(_NAME, __version__)

    def place(self, parent: Trace | None) -> Trace:
        """Return the place of a new span; the sampler decides whether it is recorded."""
        place = parent.child() if parent else new_trace()
        decided = self._provider.sampler.should_sample(_context_of(place), int(place.trace_id, 16), "")
        return place.with_sampling(is_sampled=decided.decision is Decision.RECORD_AND_SAMPLE)

    def record(self, span: Span) -> None:
        """Record a span that is over, unless its trace is not recorded."""
        if not span.place.is_sampled or span.ended is None:
            return
        self._ids.place = span.place
        recorded = self._tracer.start_span(
            span.name,
            context=_context_of(span.place),
            kind=_KINDS[span.kind],
            attributes=span.attributes | ({"error.type": span.error} if span.error else {}),
            start_time=_nanoseconds(span.began),
        )
        if span.error:
            recorded.set_status(Status(StatusCode.ERROR))
        recorded.end(_nanoseconds(span.ended))

    async def close(self) -> None:
        """Send what was recorded, for a moment at most: the collector may be away."""
        ending = Thread(target=self._provider.shutdown, name="end of spans", daemon=True)
        ending.start()
        await asyncio.to_thread(ending.join, LONGEST_END)


class _GivenIds(IdGenerator):
    """The ids of the span that is being recorded: servers and agents have got them already."""

    def __init__(self) -> None:
        self.place = new_trace()

    def generate_span_id(self) -> int:
        return int(self.place.span_id, 16)

    def generate_trace_id(self) -> int:
        return int(self.place.trace_id, 16)


def _context_of(place: Trace) -> Context:
    """Return the context in which a span begins: that of its parent, if it has one."""
    if not place.parent_id:
        return Context()
    parent = SpanContext(
        int(place.trace_id, 16),
        int(place.parent_id, 16),
        is_remote=True,
        trace_flags=TraceFlags(place.flags),
        trace_state=TraceState.from_header([place.state]),
    )
    return set_span_in_context(NonRecordingSpan(parent), Context())


def _nanoseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1e6) * 1000
