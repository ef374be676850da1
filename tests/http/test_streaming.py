"""A stream passes proxies at once, and brings events that may wait together with the next ones."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from sse_starlette import ServerSentEvent

from tests.program import PATIENCE
from webclient.domain.model import SignInKey, SignInKind
from webclient.store import Store
from webclient.store.live import Event, Gap, Hub
from webclient.web.http import ALIVE, Batch, EventStream, StreamClient, batches, streaming

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


async def begun(stream: AsyncIterator[Batch], hub: Hub) -> asyncio.Task[Batch]:
    """Publish an event that may wait, and begin to wait for a batch."""
    next_batch = asyncio.ensure_future(anext(stream))
    hub.publish("ada", "call", "1")
    for _each in range(10):
        await asyncio.sleep(0)
    assert not next_batch.done()
    return next_batch


def only_calls(batch: Batch) -> bool:
    """Return whether a batch is about calls alone, which may wait here."""
    return all(isinstance(item, Event) and item.kind == "call" for item in batch)


def subjects(batch: Sequence[Event | Gap]) -> list[str]:
    """Return the subjects of a batch without gaps."""
    return [item.subject for item in batch if isinstance(item, Event)]


async def test_events_wait_until_one_comes_that_may_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "GATHERING", 10 * PATIENCE)
    hub, watched = Hub(), Store(tmp_path).watched_sign_ins
    async with asyncio.timeout(PATIENCE):
        with watched.watching("ada") as watch, hub.subscribe("ada") as subscription:
            stream = batches(subscription, StreamClient(watch), only_calls)
            waiting = await begun(stream, hub)
            hub.publish("ada", "call", "2")
            hub.publish("ada", "request", "3")
            assert subjects(await waiting) == ["1", "2", "3"]
            # What waits when the stream ends still comes.
            waiting = await begun(stream, hub)
            hub.close()
            assert subjects(await waiting) == ["1"]
            with pytest.raises(StopAsyncIteration):
                await anext(stream)


async def test_events_wait_for_a_moment_only(tmp_path: Path) -> None:
    hub, watched = Hub(), Store(tmp_path).watched_sign_ins
    async with asyncio.timeout(PATIENCE):
        with watched.watching("ada") as watch, hub.subscribe("ada") as subscription:
            clock = asyncio.get_running_loop().time
            published = clock()
            hub.publish("ada", "call", "1")
            assert subjects(await anext(batches(subscription, StreamClient(watch), only_calls))) == ["1"]
            assert clock() - published >= streaming.GATHERING


async def test_events_that_wait_are_lost_with_the_sign_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "GATHERING", 10 * PATIENCE)
    hub, watched = Hub(), Store(tmp_path).watched_sign_ins
    key = SignInKey(SignInKind.BROWSER, "hash")
    async with asyncio.timeout(PATIENCE):
        with watched.watching("ada", key) as watch, hub.subscribe("ada") as subscription:
            waiting = await begun(batches(subscription, StreamClient(watch), only_calls), hub)
            watched.end([key])
            with pytest.raises(StopAsyncIteration):
                await waiting
