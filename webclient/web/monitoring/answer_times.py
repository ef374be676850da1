"""How long questions wait for people, and answers for servers; an id stays in memory until the answer is there."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Histogram

from webclient.domain.model import Delivery, InputRequest, now
from webclient.inbox import KINDS
from webclient.services import Services
from webclient.store import StorageError
from webclient.store.live import Event, Gap
from webclient.support.background import CancellableTask

_OF_PEOPLE = (2, 5, 15, 30, 60, 300, 900, 3600, 4 * 3600, 24 * 3600)
_OF_SERVERS = (0.005, 0.025, 0.1, 0.5, 1, 5, 30, 300)

_OUTCOMES = (Delivery.DELIVERED, Delivery.FAILED, Delivery.UNKNOWN)

MOST_FOLLOWED = 10_000
"""Answers on their way; of more, the oldest are not measured."""


@dataclass(slots=True)
class _OnItsWay:
    """An answer of this kind, which is being sent since this moment, if it is."""

    kind: str
    sent: float | None = None


class AnswerTimes:
    """Measures both, and counts the outcomes of deliveries, by kind."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._answered = Histogram(
            "mcp_webclient_answer_seconds",
            "Seconds from a question to its answer by a person.",
            ("kind",),
            buckets=_OF_PEOPLE,
            registry=registry,
        )
        self._delivered = Histogram(
            "mcp_webclient_delivery_seconds",
            "Seconds from an answer until its server or program has it.",
            ("kind",),
            buckets=_OF_SERVERS,
            registry=registry,
        )
        self._ended = Counter(
            "mcp_webclient_deliveries",
            "Answers that reached their server or program, did not, or may have.",
            ("kind", "outcome"),
            registry=registry,
        )
        for kind in KINDS:
            for outcome in _OUTCOMES:
                # From the start: the increase of a counter that was absent before is not seen.
                self._ended.labels(kind.name, outcome)
        self._on_their_way: OrderedDict[str, _OnItsWay] = OrderedDict()
        # Answers that may have arrived, each with its user and the moment.
        self._changed: asyncio.Queue[tuple[str, str, float]] = asyncio.Queue()

    @asynccontextmanager
    async def following(self, services: Services) -> AsyncIterator[None]:
        """Measure the answers while the block runs."""
        services.inbox.on_answer.append(self._note_answer)
        services.hub.listen(self._heard)
        reading = CancellableTask(self._read(services), name="answer times")
        try:
            yield
        finally:
            reading.stop()
            await reading.ended()

    def _note_answer(self, request: InputRequest) -> None:
        # The clock may have been set back meanwhile.
        self._answered.labels(request.kind).observe(max(0, (now() - request.created_at).total_seconds()))
        if request.delivery is None:
            return
        self._on_their_way[request.id] = _OnItsWay(
            request.kind, perf_counter() if request.delivery is Delivery.SENDING else None
        )
        if len(self._on_their_way) > MOST_FOLLOWED:
            self._on_their_way.popitem(last=False)

    def _heard(self, user_id: str | None, event: Event | Gap) -> None:
        # Few events are of an answer on its way, so few rows are read.
        if user_id is not None and isinstance(event, Event) and event.subject in self._on_their_way:
            self._changed.put_nowait((user_id, event.subject, perf_counter()))

    async def _read(self, services: Services) -> None:
        while True:
            user_id, request_id, at = await self._changed.get()
            found = self._on_their_way.get(request_id)
            if found is None:
                continue
            try:
                rows = await services.store.of(user_id).requests.by_ids([request_id])
            except StorageError:
                continue
            if request_id in rows:
                self._note_delivery(rows[request_id], found, at)

    def _note_delivery(self, request: InputRequest, found: _OnItsWay, at: float) -> None:
        if request.delivery is Delivery.SENDING:
            # Before, it waited for other answers of its round.
            found.sent = found.sent or at
        elif request.delivery is not Delivery.SAVED:
            del self._on_their_way[request.id]
            if request.delivery in _OUTCOMES:
                self._ended.labels(request.kind, request.delivery).inc()
            if request.delivery is Delivery.DELIVERED and found.sent is not None:
                self._delivered.labels(request.kind).observe(at - found.sent)
