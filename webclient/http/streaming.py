"""What the event streams of pages and API share: a sign of life every few seconds, and an end when the sign-in ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Annotated

from fastapi import Depends, Request
from sse_starlette import EventSourceResponse, ServerSentEvent

from webclient.http.context import ServicesOf
from webclient.live import Event, Gap, Subscription
from webclient.store import SignIns

PING = 4.0
"""Seconds of silence after which a stream says that it is alive; pages take more than twice that for a dead one."""


class SignIn:
    """Who opened a stream: a browser with a session, which can end, or a script with the token, which cannot."""

    def __init__(self, services: ServicesOf, request: Request) -> None:
        self._sign_ins: SignIns = services.store.sign_ins
        self._session_id: str | None = request.state.session_id

    async def goes_on(self) -> bool:
        """Whether what happens may still be told."""
        return self._session_id is None or await self._sign_ins.still_open(self._session_id)


Opener = Annotated[SignIn, Depends(SignIn)]

Batch = Sequence[Event | Gap]


async def batches(subscription: Subscription, opener: SignIn) -> AsyncIterator[Batch]:
    """Give what happened as it comes, and an empty batch when nothing did; ends with the hub or the sign-in."""
    while True:
        batch: list[Event | Gap] = []
        try:
            async with asyncio.timeout(PING):
                batch = [await anext(subscription), *subscription.drain()]
        except TimeoutError:
            pass
        except StopAsyncIteration:
            return
        if not await opener.goes_on():
            return
        yield batch


def respond(messages: AsyncIterator[ServerSentEvent]) -> EventSourceResponse:
    """Return the stream of `messages`."""
    return EventSourceResponse(messages, ping=0)


ALIVE = ServerSentEvent(comment="")
"""What a stream says when there is nothing to say."""
