"""The metrics of this program in the text format of Prometheus."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from webclient import __version__
from webclient.domain.model import CallState, ServerState, now
from webclient.inbox import KINDS
from webclient.services import Services
from webclient.store import OpenCounts, StorageError
from webclient.support.background import FAILURES
from webclient.web.http import ServedRequest
from webclient.web.monitoring.answer_times import AnswerTimes
from webclient.web.monitoring.readiness import lag

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)


class Metrics:
    """Counts served requests, and reads at each scrape what is open; in a registry of its own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "area", "status")
        self._served = Counter("mcp_webclient_http_requests", "Requests served.", labels, registry=self._registry)
        self._seconds = Histogram(
            "mcp_webclient_http_seconds",
            "Seconds until the response to a request began.",
            ("area",),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._answer_times = AnswerTimes(self._registry)
        self._snapshot = _Snapshot()
        self._registry.register(self._snapshot)
        ProcessCollector(registry=self._registry)

    def following(self, services: Services) -> AbstractAsyncContextManager[None]:
        """Measure answers while the block runs."""
        return self._answer_times.following(services)

    def observe(self, served: ServedRequest) -> None:
        """Count a served request."""
        self._served.labels(served.method, served.area, f"{served.status // 100}xx").inc()
        self._seconds.labels(served.area).observe(served.seconds)

    async def text(self, services: Services) -> bytes:
        """Return all metrics as they are now."""
        await self._snapshot.take(services)
        return generate_latest(self._registry)


class _Snapshot(Collector):
    """The counts of the moment of a scrape."""

    def __init__(self) -> None:
        self._counts: OpenCounts | None = None
        self._servers: Counts[str] = Counts()
        self._streams = 0
        self._users = 0
        self._about: dict[str, str] = {}
        self._lag = 0.0

    async def take(self, services: Services) -> None:
        """Read it; without a database its counts are absent, and `mcp_webclient_database_up` is 0."""
        self._lag = await lag()
        self._streams = services.hub.subscribed
        self._users = len(services.presence.here)
        self._about = {"version": __version__, "node": services.settings.node_url or ""}
        self._servers = Counts(status.state.value for status in services.connections.statuses())
        try:
            self._counts = await services.store.system.counts()
        except StorageError:
            self._counts = None

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics; each label has all of its values, so that a count of nothing is 0."""
        about = "The version, and the address of this process among those that share a database."
        yield InfoMetricFamily("mcp_webclient", about, value=self._about)
        yield _gauge("database_up", "Whether the database can be read.", self._counts is not None)
        yield _gauge("loop_lag_seconds", "Seconds for which the event loop was blocked.", self._lag)
        yield _gauge("streams", "Open event streams of pages and programs.", self._streams)
        yield _gauge("users", "Users who are in this process.", self._users)
        meaning = "Background tasks that failed unexpectedly; the log names each."
        yield CounterMetricFamily("mcp_webclient_background_failures", meaning, value=FAILURES.total())
        yield _by("servers", "Connections to MCP servers.", "state", ServerState, self._servers)
        if self._counts is None:
            return
        kinds = [kind.name for kind in KINDS]
        yield _by("pending_requests", "Questions that wait for a person.", "kind", kinds, self._counts.pending)
        open_states = [state for state in CallState if not state.ended]
        yield _by("open_calls", "Calls that have not ended.", "state", open_states, self._counts.calls)
        at = now()
        ages = {kind: (at - since).total_seconds() for kind, since in self._counts.oldest.items()}
        meaning = "Age of the question that waits longest, 0 if none waits."
        yield _by("oldest_pending_request_seconds", meaning, "kind", kinds, ages)
        meaning = "Webhooks with answers that failed, and are sent again."
        yield _gauge("failing_webhooks", meaning, self._counts.failing_webhooks)


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(f"mcp_webclient_{name}", meaning, value=value)


def _by(name: str, meaning: str, label: str, values: Iterable[str], counts: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(f"mcp_webclient_{name}", meaning, labels=[label])
    for value in values:
        family.add_metric([value], counts.get(value, 0))
    return family
