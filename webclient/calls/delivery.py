"""Notes how far answers have come on their way to servers: an answer is delivered when the server took it.

2025-11-25: when its POST was accepted, or the child spoke after it lay in its pipe. 2026-07-28: when the server
responds to the request that carried it, whatever it says.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from functools import partial

import anyio

from webclient.live import Hub
from webclient.model import Call, Delivery, InputRequest, Json
from webclient.protocol.server_error import MalformedResultError, ServerError
from webclient.store import Store

Deliver = Callable[[], Awaitable[list[str]]]


class Deliveries:
    """Keeps the deliveries of answers and tells the pages."""

    def __init__(self, store: Store, hub: Hub) -> None:
        self._store = store
        self._hub = hub

    async def pushed(self, user_id: str, request_id: str, *, arrived: bool) -> None:
        """Note what became of the answer to a question that the server pushed; never waits for room to do so.

        Whoever tells of it is in the middle of sending what comes next.
        """
        delivery = Delivery.DELIVERED if arrived else Delivery.FAILED
        with anyio.CancelScope(shield=True):
            deliver = partial(self._store.of(user_id).requests.deliver, [request_id], delivery)
            await self._store.health.soon((request_id, delivery), partial(self._write, user_id, deliver))

    async def tell(self, requests: Collection[InputRequest], delivery: Delivery) -> None:
        """Note how far the answers to these requests have come; those that are not on their way stay as they are."""
        if requests:
            user_id = next(iter(requests)).user_id
            ids = [request.id for request in requests]
            await self._note(user_id, partial(self._store.of(user_id).requests.deliver, ids, delivery))

    @asynccontextmanager
    async def carried_by(self, call: Call, answers: Json | None) -> AsyncIterator[None]:
        """Send a call in the block with the answers of its last round, if any; a response says that they arrived."""
        if answers is None:
            yield
            return
        delivery = Delivery.FAILED
        try:
            yield
            delivery = Delivery.DELIVERED
        except (ServerError, MalformedResultError) as error:
            if isinstance(error, MalformedResultError) or not error.unanswered:
                delivery = Delivery.DELIVERED
            raise
        finally:
            await self._note_rounds(call, delivery)

    async def left_by(self, call: Call) -> None:
        """Note that answers did not arrive which waited for the rest of their round when the call ended."""
        await self._note_rounds(call, Delivery.FAILED)

    async def _note_rounds(self, call: Call, delivery: Delivery) -> None:
        await self._note(call.user_id, partial(self._store.of(call.user_id).requests.deliver_rounds, call.id, delivery))

    async def _note(self, user_id: str, deliver: Deliver) -> None:
        # Shielded: what the person is told must not depend on who has just given up the connection.
        with anyio.CancelScope(shield=True):
            await self._store.health.lasting(partial(self._write, user_id, deliver))

    async def _write(self, user_id: str, deliver: Deliver) -> None:
        for request_id in await deliver():
            self._hub.publish(user_id, "request", request_id)
