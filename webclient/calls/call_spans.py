"""Records the spans of calls, of their questions and of the delivery of answers, from their rows, once they are over.

So they begin in one process and end in another, if the program was restarted meanwhile. The last moment of a delivery
is in no row: it is that of the event.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import suppress
from datetime import datetime
from hashlib import sha256

from webclient.domain.errors import NotFoundError
from webclient.domain.model import Call, CallState, Delivery, InputRequest, RequestState, Trace, now
from webclient.domain.spans import PREFIX, TOOL_ERROR, Attribute, Span, Spans, subject_of
from webclient.store import StorageError, Store
from webclient.store.live import Event, Gap, Hub
from webclient.support.background import CancellableTask

MOST_WAITING = 10_000
"""Events whose rows are still to be read; of more, the newest are dropped."""

MOST_RECORDED = 20_000
"""Spans that are remembered, because rows change also after they are over."""

_ON_ITS_WAY = (Delivery.SAVED, Delivery.SENDING)

_FAILED = (RequestState.EXPIRED, RequestState.INTERRUPTED, RequestState.REFUSED)


class CallSpans:
    """Follows all calls from `begin` to `close`, if spans are recorded at all."""

    def __init__(self, store: Store, hub: Hub, spans: Spans) -> None:
        self._store = store
        self._hub = hub
        self._spans = spans
        self._since = now()
        self._changed: asyncio.Queue[tuple[str, Event, datetime]] = asyncio.Queue(MOST_WAITING)
        self._recorded: OrderedDict[str, None] = OrderedDict()
        self._reading: CancellableTask | None = None

    def begin(self) -> None:
        """Begin to follow calls. An earlier process has recorded the calls that ended before now."""
        if self._spans.is_on:
            self._since = now()
            self._hub.listen(self._heard)
            self._reading = CancellableTask(self._read(), name="spans")

    async def close(self) -> None:
        """Record what is over by now, and send all spans."""
        if self._reading:
            self._reading.stop()
            await self._reading.ended()
            while not self._changed.empty():
                await self._note(*self._changed.get_nowait())
        await self._spans.close()

    def _heard(self, user_id: str | None, event: Event | Gap) -> None:
        if user_id is not None and isinstance(event, Event) and event.kind in ("call", "request"):
            with suppress(asyncio.QueueFull):
                self._changed.put_nowait((user_id, event, now()))

    async def _read(self) -> None:
        while True:
            await self._note(*await self._changed.get())

    async def _note(self, user_id: str, event: Event, at: datetime) -> None:
        """Record what the row of an event says, unless it was recorded or is not over."""
        store = self._store.of(user_id)
        with suppress(StorageError, NotFoundError):
            if event.kind == "call":
                self._note_call((await store.calls.by_ids([event.subject])).get(event.subject))
                return
            request = (await store.requests.by_ids([event.subject])).get(event.subject)
            if request is None or request.open or request.call_id is None or request.delivery is Delivery.SAVED:
                return
            call = (await store.calls.by_ids([request.call_id])).get(request.call_id)
            if call and call.trace and call.trace.parent_id is not None:
                self._note_request(request, call.trace, at)

    def _note_call(self, call: Call | None) -> None:
        if call is None or not call.state.ended or call.trace is None or call.trace.parent_id is None:
            return
        attributes: dict[str, Attribute] = {
            f"{PREFIX}.call.id": call.id,
            f"{PREFIX}.call.state": call.state,
            f"{PREFIX}.call.rounds": call.round,
            f"{PREFIX}.server.id": call.server_id,
            **subject_of(call.kind, call.name),
        }
        span = Span(name="call", place=call.trace, began=call.created_at, ended=call.updated_at, attributes=attributes)
        if call.state is not CallState.DONE:
            code = call.error.code if call.error else None
            span.error = call.reason_code or ("" if code is None else str(code)) or call.state
        elif call.tool_failed:
            span.error = TOOL_ERROR
        self._record(span)

    def _note_request(self, request: InputRequest, trace: Trace, at: datetime) -> None:
        if request.settled_at is None:
            return
        place = trace.child(_span_id(request.id))
        attributes: dict[str, Attribute] = {
            f"{PREFIX}.request.id": request.id,
            f"{PREFIX}.request.kind": request.kind,
            f"{PREFIX}.request.origin": request.origin,
            f"{PREFIX}.request.state": request.state,
        }
        if request.round is not None:
            attributes[f"{PREFIX}.round"] = request.round
        span = Span(name="question", place=place, began=request.created_at, ended=request.settled_at)
        span.attributes = attributes
        if request.state in _FAILED:
            span.error = (request.reason.code if request.reason else None) or request.state
        self._record(span)
        if request.delivery is None or request.delivery in _ON_ITS_WAY:
            return
        span = Span(name="delivery", place=place.child(_span_id(f"{request.id} delivery")), began=request.settled_at)
        span.ended = max(at, span.began)
        span.attributes = {f"{PREFIX}.request.id": request.id, f"{PREFIX}.delivery": request.delivery}
        span.error = "" if request.delivery is Delivery.DELIVERED else request.delivery
        self._record(span)

    def _record(self, span: Span) -> None:
        """Record a span once, and only if it ended in this process."""
        if span.place.span_id in self._recorded or span.ended is None or span.ended < self._since:
            return
        self._recorded[span.place.span_id] = None
        if len(self._recorded) > MOST_RECORDED:
            self._recorded.popitem(last=False)
        self._spans.record(span)


def _span_id(name: str) -> str:
    """Return the id of a span that is found again after a restart."""
    return sha256(name.encode()).hexdigest()[:16]
