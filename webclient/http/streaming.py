"""Event streams of pages and API: a sign of life every few seconds, and an end when the principal is signed out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Annotated

from fastapi import Depends
from sse_starlette import ServerSentEvent
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from webclient.http.context import IdentityDep, PrincipalDep
from webclient.i18n import gettext as _
from webclient.identity import Identity, Principal
from webclient.live import Event, Gap, Subscription
from webclient.store import StorageError

PING = 4.0
"""Seconds of silence before a sign of life; pages reconnect after more than twice that."""

ALIVE = ServerSentEvent(comment="")
"""The sign of life of a stream."""


class StreamClient:
    """The client of a stream; nothing is sent to it after its principal was signed out."""

    def __init__(self, identity: Identity, principal: Principal) -> None:
        self._identity = identity
        self._principal = principal

    async def is_signed_in(self) -> bool:
        """Return whether the principal is still signed in."""
        return await self._identity.is_current(self._principal)

    async def check(self) -> None:
        """Refuse a client that was signed out while it waited. Raises HTTPException."""
        if not await self.is_signed_in():
            raise HTTPException(401, _("The session has ended."), {"WWW-Authenticate": "Bearer"})


async def _stream_client(identity: IdentityDep, principal: PrincipalDep) -> StreamClient:
    return StreamClient(identity, principal)


StreamClientDep = Annotated[StreamClient, Depends(_stream_client)]

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


class EventStream(StreamingResponse):
    """A response that streams events."""

    # Not the response of sse-starlette: its tasks take 11 kB for each page, for pings that the streams send themselves.

    media_type = "text/event-stream"

    def __init__(self, messages: AsyncIterator[ServerSentEvent]) -> None:
        # nginx would otherwise hold back events until its buffer is full.
        super().__init__(_encoded(messages), headers={"X-Accel-Buffering": "no"})


async def _encoded(messages: AsyncIterator[ServerSentEvent]) -> AsyncIterator[bytes]:
    # Before the first event: over HTTP/2, nginx holds the headers back until something follows them, and a browser says
    # only then that the stream is open.
    yield ALIVE.encode()
    # If nothing can be read, the client reconnects, is refused with the reason until it can, and then misses nothing.
    with suppress(StorageError):
        async for message in messages:
            yield message.encode()
