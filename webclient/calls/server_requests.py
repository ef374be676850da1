"""Pushed requests of servers: their possible calls, and the delivery of the answers. The inbox does the rest."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from webclient.calls.running import RunningCall, RunningCalls
from webclient.calls.session_work import SessionWork
from webclient.content.visible_text import shortened
from webclient.domain.model import Delivery, Json, Origin, Reason, ReasonCode, ServerRequest
from webclient.inbox import Arrival, Deliveries, Intake, OpenedLinks
from webclient.protocol import Endpoint, RequestEvents
from webclient.store import Store


class ServerRequests(RequestEvents):
    """Receives the requests of all sessions."""

    def __init__(
        self,
        store: Store,
        intake: Intake,
        work: SessionWork,
        *,
        links: OpenedLinks,
        deliveries: Deliveries,
        running_calls: RunningCalls,
    ) -> None:
        self._store = store
        self._intake = intake
        self._work = work
        self._links = links
        self._deliveries = deliveries
        self._running_calls = running_calls

    async def requested(self, endpoint: Endpoint, request: ServerRequest) -> Json:
        """Return the result of what the server asked. Raises RequestRefusedError."""
        arrival = Arrival.pushed(endpoint, self._possible_calls(endpoint, request), request)
        return await self._intake.receive(arrival, request, self._work.outlives)

    async def hosted(self, endpoint: Endpoint, request: ServerRequest) -> Json:
        """Host the request as a task, and return it. Raises RequestRefusedError."""
        arrival = Arrival.pushed(endpoint, self._possible_calls(endpoint, request), request, origin=Origin.HOSTED)
        return await self._intake.host(arrival, request, self._work.keep)

    async def requested_again(self, endpoint: Endpoint, request: ServerRequest) -> Json:
        """Return the result of a request that an earlier connection has left open. Raises RequestRefusedError."""
        row = await self._store.of(endpoint.server.user_id).requests.get(request.id)
        running = self._running_calls.get(row.call_id)
        calls = [running] if running else []
        return await self._intake.receive_again(row, endpoint, calls, request, self._work.outlives)

    async def malformed(self, endpoint: Endpoint, request: ServerRequest, error: str) -> None:
        """Show a request that the SDK refused."""
        reason = Reason.of(ReasonCode.MALFORMED, error=shortened(error, 500))
        calls = self._possible_calls(endpoint, request)
        await self._intake.admit(Arrival.pushed(endpoint, calls, request, malformed=reason))

    async def delivered(self, endpoint: Endpoint, request: ServerRequest, delivery: Delivery) -> None:
        """Record how far the answer got; one that the server may lack is sent again in a resumed session."""
        arrived = delivery is Delivery.DELIVERED
        if request.answers:
            # The answer of a task can be fetched again if it did not arrive.
            if arrived:
                await self._deliveries.record_fetched(endpoint.server.user_id, request.answers)
                await self._work.release(endpoint.server.key)
            return
        if not arrived and await self._outlives(endpoint, request):
            return
        await self._deliveries.record_pushed(endpoint.server.user_id, request.id, delivery)

    async def _outlives(self, endpoint: Endpoint, request: ServerRequest) -> bool:
        """Return whether the next connection sends the answer again, and note that."""
        if not request.outlives_session:
            # A request that was withdrawn, or whose call ended, before it was stored has no row.
            rows = await self._store.of(endpoint.server.user_id).requests.by_ids([request.id])
            request.outlives_session = request.id in rows and self._work.outlives(rows[request.id])
        return request.outlives_session

    async def completed(self, endpoint: Endpoint, completed_at: Mapping[str, datetime]) -> None:
        """Complete the links of this server that wait for these ids."""
        await self._links.notified(endpoint.server.user_id, endpoint.server.id, completed_at)

    def _possible_calls(self, endpoint: Endpoint, request: ServerRequest) -> list[RunningCall]:
        return self._running_calls.possible_calls(endpoint.server.key, request.call_id, request.task_id)
