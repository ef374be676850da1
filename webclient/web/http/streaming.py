"""Event streams of pages and API: a sign of life every few seconds, and an end when the principal is signed out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Annotated, TypeVar

import anyio
from fastapi import Depends
from sse_starlette import ServerSentEvent
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from webclient.domain.i18n import gettext as _
from webclient.store import StorageError, Watch
from webclient.store.live import Event, Gap, Subscription
from webclient.support.turns import take_turn
from webclient.web.http.context import PrincipalDep, ServicesDep
from webclient.web.http.security.lines import place_of

PING = 5.0
"""Seconds of silence before a sign of life; pages reconnect after more than twice that."""

GATHERING = 0.05
"""Seconds in which events that may wait are gathered: a person sees no difference, and less is read and rendered."""

ALIVE = ServerSentEvent(comment="")
"""The sign of life of a stream."""


T = TypeVar("T")


class StreamClient:
    """The client of a stream or long poll; nothing is sent to it after its sign-in has ended."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    @property
    def is_signed_in(self) -> bool:
        """Whether the sign-in goes on by which the client came."""
        return self._watch.is_open

    def when_signed_out(self, then: Callable[[], object]) -> None:
        """Call `then` when the sign-in ends, or at once if it has."""
        self._watch.when_ended(then)

    async def unless_signed_out(self, work: Awaitable[T]) -> T:
        """Return the result of `work`, which the client waits for. Raises HTTPException when its sign-in ends."""
        with anyio.CancelScope() as scope:
            self._watch.when_ended(scope.cancel)
            try:
                result = await work
            finally:
                self._watch.when_ended(None)
            if self._watch.is_open:
                return result
        raise HTTPException(401, _("The session has ended."), {"WWW-Authenticate": "Bearer"})


async def _stream_client(services: ServicesDep, principal: PrincipalDep) -> AsyncIterator[StreamClient]:
    # A dependency, so that it is watched until the last byte has gone out.
    watched = services.store.watched_sign_ins
    with watched.watching(principal.user_id, principal.sign_in, principal.ends_at) as watch:
        yield StreamClient(watch)


StreamClientDep = Annotated[StreamClient, Depends(_stream_client)]

Batch = Sequence[Event | Gap]


async def batches(
    subscription: Subscription, client: StreamClient, may_wait: Callable[[Batch], bool] = lambda _batch: False
) -> AsyncIterator[Batch]:
    """Yield events as they come, and an empty batch after `PING` seconds without one.

    A batch that `may_wait` is gathered first. Ends when the hub closes or the client is signed out.
    """
    client.when_signed_out(subscription.close)
    while (first := await subscription.batch(PING)) is not None:
        batch = await _gathered(subscription, first, may_wait) if first else first
        if not client.is_signed_in:
            return
        if batch:
            await take_turn()
        yield batch


async def _gathered(subscription: Subscription, batch: Batch, may_wait: Callable[[Batch], bool]) -> Batch:
    """Return the batch with what follows, until something of it may not wait or the time is over."""
    clock = asyncio.get_running_loop().time
    end = clock() + GATHERING
    while may_wait(batch) and (left := end - clock()) > 0:
        more = await subscription.batch(left)
        if more is None:
            break
        batch = [*batch, *more]
    return batch


class EventStream(StreamingResponse):
    """A response that streams events."""

    # Not the response of sse-starlette: its tasks take 11 kB for each page, for pings that the streams send themselves.

    media_type = "text/event-stream"

    def __init__(self, messages: AsyncIterator[ServerSentEvent]) -> None:
        # nginx would otherwise hold back events until its buffer is full.
        super().__init__(_encoded(messages), headers={"X-Accel-Buffering": "no"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream; it takes no place among the requests that are handled, and waits for a turn at each event."""
        place_of(HTTPConnection(scope)).leave()
        await super().__call__(scope, receive, send)


async def _encoded(messages: AsyncIterator[ServerSentEvent]) -> AsyncIterator[bytes]:
    # Before the first event: over HTTP/2, nginx holds the headers back until something follows them, and a browser says
    # only then that the stream is open.
    yield ALIVE.encode()
    # If nothing can be read, the client reconnects, is refused with the reason until it can, and then misses nothing.
    with suppress(StorageError):
        async for message in messages:
            yield message.encode()
