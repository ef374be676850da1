"""A collector on this machine that takes spans over OTLP, and shows them as trees."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from tests.receiver import Receiver

SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Received:
    """A span as it came; `service` is who sent it, and times are in nanoseconds."""

    service: str
    name: str
    trace_id: str
    id: str
    parent_id: str
    began: int
    ended: int
    attributes: Mapping[str, object]
    failed: bool

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (self.ended - self.began) / SECOND


def spans_in(receiver: Receiver) -> list[Received]:
    """Return the spans that have come."""
    return [span for post in receiver.all for span in _spans_in(ExportTraceServiceRequest.FromString(post.body))]


def _spans_in(request: ExportTraceServiceRequest) -> Iterator[Received]:
    for of_service in request.resource_spans:
        service = _values(of_service.resource.attributes)["service.name"]
        for span in [span for scope in of_service.scope_spans for span in scope.spans]:
            yield Received(
                service=str(service),
                name=span.name,
                trace_id=span.trace_id.hex(),
                id=span.span_id.hex(),
                parent_id=span.parent_span_id.hex(),
                began=span.start_time_unix_nano,
                ended=span.end_time_unix_nano,
                attributes=_values(span.attributes),
                failed=span.status.code == Status.STATUS_CODE_ERROR,
            )


def _values(attributes: object) -> dict[str, object]:
    each = {entry.key: entry.value for entry in attributes}  # type: ignore[attr-defined]
    return {key: getattr(value, value.WhichOneof("value")) for key, value in each.items()}


async def spans_of(receiver: Receiver, trace_id: str, count: int = 0, names: Collection[str] = ()) -> list[Received]:
    """Wait for so many spans of a trace, and these names; return its spans."""
    while True:
        found = [each for each in spans_in(receiver) if each.trace_id == trace_id]
        if len(found) >= count and {each.name for each in found}.issuperset(names):
            return found
        await receiver.next()


def path_of(span: Received, spans: list[Received]) -> list[str]:
    """Return the names from the first span that was sent down to this one."""
    above = next((each for each in spans if each.id == span.parent_id), None)
    return [*(path_of(above, spans) if above else []), f"{span.service}: {span.name}"]
