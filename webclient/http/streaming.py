"""Event streams of pages and API: a sign of life every few seconds, and an end when the principal is signed out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Annotated

from fastapi import Depends
from sse_starlette import EventSourceResponse, ServerSentEvent

from webclient.http.context import IdentityDep, PrincipalDep
from webclient.live import Event, Gap, Subscription

PING = 4.0
"""Seconds of silence before a sign of life; pages reconnect after more than twice that."""


class StreamClient:
    """The client of a stream; nothing is sent to it after its principal was signed out."""

    def __init__(self, identity: IdentityDep, principal: PrincipalDep) -> None:
        self._identity = identity
        self._principal = principal

    async def is_signed_in(self) -> bool:
        """Whether the principal is still signed in."""
        return await self._identity.is_current(self._principal)


StreamClientDep = Annotated[StreamClient, Depends(StreamClient)]

Batch = Sequence[Event | Gap]


async def batches(subscription: Subscription, client: StreamClient) -> AsyncIterator[Batch]:
    """Yield events as they come, and an empty batch after `PING` seconds without one.

    Ends when the hub closes or the client is signed out.
    """
    while True:
        batch: list[Event | Gap] = []
        try:
            async with asyncio.timeout(PING):
                batch = [await anext(subscription), *subscription.drain()]
        except TimeoutError:
            pass
        except StopAsyncIteration:
            return
        if not await client.is_signed_in():
            return
        yield batch


def event_stream(messages: AsyncIterator[ServerSentEvent]) -> EventSourceResponse:
    """Return a response that streams `messages`."""
    return EventSourceResponse(messages, ping=0)


ALIVE = ServerSentEvent(comment="")
"""The sign of life of a stream."""
