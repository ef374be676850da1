"""The environment says whether spans are recorded; they are as this program knows them, also for the sampler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Event

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind as Kind

from webclient.domain.model import Trace, read_trace
from webclient.domain.spans import Span, SpanKind, Spans
from webclient.network.otel_spans import OtelSpans
from webclient.network.spans import SpansError, open_spans

pytestmark = pytest.mark.anyio

ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
GIVEN = Trace(trace_id="a" * 32, span_id="b" * 16, state="rojo=1")


@pytest.mark.parametrize(
    ("environment", "is_on"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "inbox"}, False),
        (ENDPOINT, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        (ENDPOINT | {"OTEL_TRACES_EXPORTER": "none"}, False),
        (ENDPOINT | {"OTEL_SDK_DISABLED": "true"}, False),
        (ENDPOINT | {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, True),
    ],
)
async def test_the_environment_decides(environment: dict[str, str], is_on: bool) -> None:
    spans = open_spans(environment)
    assert spans.is_on is is_on
    await spans.close()


@pytest.mark.parametrize("wrong", [{"OTEL_TRACES_EXPORTER": "zipkin"}, {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}])
def test_another_exporter_is_an_error(wrong: dict[str, str]) -> None:
    with pytest.raises(SpansError):
        open_spans(ENDPOINT | wrong)


def test_without_spans_a_trace_stays_as_it_came() -> None:
    spans = Spans()
    assert spans.place(GIVEN) is GIVEN
    assert spans.place(None) is None
    with spans.span("x", GIVEN, SpanKind.CLIENT, {}) as span:
        assert span
        assert span.place is GIVEN
    with spans.span("x", None, SpanKind.CLIENT, {}) as nothing:
        assert nothing is None


class _Hanging(SpanExporter):
    """Never gets an answer from the collector, until the test lets it."""

    def __init__(self) -> None:
        self.released = Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:  # noqa: ARG002
        """Wait."""
        self.released.wait(30)
        return SpanExportResult.FAILURE


class Memory(InMemorySpanExporter):
    """Keeps the spans also after the end."""

    def shutdown(self) -> None:
        """Keep them."""


async def exported(spans: OtelSpans, exporter: Memory) -> tuple[ReadableSpan, ...]:
    """End the export, and return what was exported."""
    await spans.close()
    return exporter.get_finished_spans()


async def test_a_span_has_the_ids_and_times_that_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "inbox of ours")
    exporter = Memory()
    spans = OtelSpans(exporter)
    place = spans.place(GIVEN)
    assert (place.trace_id, place.parent_id, place.state) == (GIVEN.trace_id, GIVEN.span_id, GIVEN.state)
    began = datetime(2026, 11, 1, 12, tzinfo=UTC)
    ended = began + timedelta(days=3)
    spans.record(Span(name="question", place=place, began=began, ended=ended, error="expired"))
    (span,) = await exported(spans, exporter)
    assert span.context
    assert span.parent
    assert (f"{span.context.trace_id:x}", f"{span.context.span_id:016x}") == (place.trace_id, place.span_id)
    assert f"{span.parent.span_id:x}" == GIVEN.span_id
    assert (span.start_time, span.end_time) == (began.timestamp() * 1e9, ended.timestamp() * 1e9)
    assert (span.kind, span.status.is_ok, dict(span.attributes or {})) == (
        Kind.INTERNAL,
        False,
        {"error.type": "expired"},
    )
    assert span.resource.attributes["service.name"] == "inbox of ours"


async def test_the_first_span_of_a_trace_has_no_parent() -> None:
    exporter = Memory()
    spans = OtelSpans(exporter)
    with spans.span("tools/call", None, SpanKind.SERVER, {}) as span:
        assert span
        assert span.place.parent_id == ""
    (recorded,) = await exported(spans, exporter)
    assert recorded.context
    assert recorded.parent is None
    assert f"{recorded.context.trace_id:032x}" == span.place.trace_id


async def test_an_error_is_recorded_by_its_code_alone() -> None:
    exporter = Memory()
    spans = OtelSpans(exporter)
    with pytest.raises(ValueError, match="secret"), spans.span("x", GIVEN, SpanKind.CLIENT, {}):
        raise ValueError("a secret word")
    (recorded,) = await exported(spans, exporter)
    assert dict(recorded.attributes or {}) == {"error.type": "ValueError"}
    assert (recorded.status.description, list(recorded.events)) == (None, [])


@pytest.mark.parametrize(
    ("sampler", "given", "is_sampled"),
    [
        ("", GIVEN, True),
        ("", replace(GIVEN, flags=0), False),
        ("", None, True),
        ("always_off", GIVEN, False),
        ("always_on", replace(GIVEN, flags=0), True),
        ("parentbased_always_off", None, False),
        ("parentbased_always_off", GIVEN, True),
    ],
)
async def test_the_sampler_decides_what_servers_get(
    monkeypatch: pytest.MonkeyPatch, sampler: str, given: Trace | None, is_sampled: bool
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", sampler or "parentbased_always_on")
    exporter = Memory()
    spans = OtelSpans(exporter)
    with spans.span("x", given, SpanKind.CLIENT, {}) as span:
        assert span
        read = read_trace(span.place.headers)
        assert read
        assert read.is_sampled is is_sampled
    assert len(await exported(spans, exporter)) == is_sampled


async def test_a_collector_that_hangs_does_not_delay_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webclient.network.otel_spans.LONGEST_END", 0.1)
    before = datetime.now(UTC)
    hanging = _Hanging()
    spans = OtelSpans(hanging)
    with spans.span("x", GIVEN, SpanKind.CLIENT, {}):
        pass
    await spans.close()
    assert datetime.now(UTC) - before < timedelta(seconds=3)
    hanging.released.set()
