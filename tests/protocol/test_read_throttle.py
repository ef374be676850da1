"""The throttle for messages, bodies and sockets."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from webclient.protocol.transports.http import http_client
from webclient.protocol.transports.read_throttle import ReadThrottle
from webclient.protocol.transports.transport_state import TransportState

pytestmark = pytest.mark.anyio


async def test_a_server_is_read_at_its_pace_after_a_burst(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(anyio, "sleep", sleep)
    monkeypatch.setattr("webclient.protocol.transports.read_throttle.monotonic", lambda: 100.0)
    throttle = ReadThrottle(per_second=10)
    for _message in range(10):
        await throttle.messages(1)
    assert slept == [0] * 10, "a second's worth passes without a wait, but lets others run"
    await throttle.messages(1)
    await throttle.bytes(65_536)
    await throttle.bytes(1)
    await throttle.bytes(32_768, lines=200)
    assert slept[10:] == pytest.approx([0.1, 0.3, 0.31, 0.61], rel=1e-3)


async def test_early_responses_are_read_in_steps_at_a_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may send any number of them before the final one; the HTTP library drops them in one go."""
    early, counted = 2_000, list[float]()

    async def messages(_throttle: ReadThrottle, count: float) -> None:
        counted.append(count)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 103 Early\r\n\r\n" * early + b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    monkeypatch.setattr(ReadThrottle, "messages", messages)
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        async with http_client(transport_state=TransportState(5, lambda: None)) as client:
            assert (await client.get(address)).status_code == 200
    assert sum(counted) == pytest.approx(early + 1, abs=len(counted))
    assert max(counted) < 400, "one packet is read in several steps"
