"""A stream passes proxies at once: it has a header that turns buffering off, and begins before its first event."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from sse_starlette import ServerSentEvent

from tests.program import PATIENCE
from webclient.web.http import ALIVE, EventStream

pytestmark = pytest.mark.anyio


async def silent() -> AsyncIterator[ServerSentEvent]:
    """Give no event, for ever."""
    await asyncio.Event().wait()
    yield ALIVE


async def test_a_stream_begins_before_its_first_event() -> None:
    """Over HTTP/2, nginx holds back the headers until the first byte, and a sign of life would come after seconds."""
    stream = EventStream(silent())
    assert stream.headers["x-accel-buffering"] == "no"
    async with asyncio.timeout(PATIENCE):
        assert await anext(aiter(stream.body_iterator)) == ALIVE.encode()
