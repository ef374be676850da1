"""Records whether answers were delivered: an answer is delivered when the server has received it.

2025-11-25: when its POST was accepted, or the child process responded to a later message in its pipe. 2026-07-28: when
the server responds to the request that carried it, with a result or an error. It has failed only if it was certainly
not sent, or refused unread, each time; what was sent, and got no response or perhaps one of a proxy, is unknown.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from functools import partial

import anyio

from webclient.domain.model import Call, Delivery, InputRequest
from webclient.store import Store
from webclient.store.live import Hub

Deliver = Callable[[], Awaitable[list[str]]]


class Deliveries:
    """Writes the delivery of answers and publishes it."""

    def __init__(self, store: Store, hub: Hub) -> None:
        self._store = store
        self._hub = hub

    async def record_pushed(self, user_id: str, request_id: str, delivery: Delivery) -> None:
        """Record the delivery of the answer to a pushed request.

        It does not wait for a full disk: the caller is about to send the next message.
        """
        with anyio.CancelScope(shield=True):
            deliver = partial(self._store.of(user_id).requests.deliver, [request_id], delivery)
            await self._store.health.write_soon((request_id, delivery), partial(self._write, user_id, deliver))

    async def record_fetched(self, user_id: str, request_id: str) -> None:
        """Record that the server has fetched the answer of a task, as `record_pushed` does."""

        async def fetched() -> list[str]:
            found = await self._store.of(user_id).hosted_tasks.fetched(request_id, Delivery.DELIVERED)
            return [request_id] if found else []

        with anyio.CancelScope(shield=True):
            await self._store.health.write_soon((request_id, "fetched"), partial(self._write, user_id, fetched))

    async def record(self, requests: Collection[InputRequest], delivery: Delivery) -> None:
        """Record the delivery of the answers to these requests that are on their way."""
        if requests:
            user_id = next(iter(requests)).user_id
            ids = [request.id for request in requests]
            await self._record(user_id, partial(self._store.of(user_id).requests.deliver, ids, delivery))

    async def record_unsent(self, call: Call) -> None:
        """Record as failed the answers that a call has not sent when it ends."""
        await self.record_rounds(call, Delivery.FAILED)
        await self._record(call.user_id, partial(self._store.of(call.user_id).rounds.fail, call.id))

    async def record_rounds(self, call: Call, delivery: Delivery) -> None:
        """Record the delivery of the answers in a call's rounds or task."""
        await self._record(
            call.user_id, partial(self._store.of(call.user_id).requests.deliver_rounds, call.id, delivery)
        )

    async def _record(self, user_id: str, deliver: Deliver) -> None:
        # Shielded: the record must not depend on who has just given up the connection.
        with anyio.CancelScope(shield=True):
            await self._store.health.until_written(partial(self._write, user_id, deliver))

    async def _write(self, user_id: str, deliver: Deliver) -> None:
        for request_id in await deliver():
            self._hub.publish(user_id, "request", request_id)
