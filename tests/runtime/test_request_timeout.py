"""Connections that send nothing, or a request by the byte, are closed; those that are served stay."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from pathlib import Path

import httpx2
import pytest

from tests.process import HANGS, running

pytestmark = pytest.mark.anyio

PATIENCE = 2.0
HEAD = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"


async def until_closed(port: int, *parts: bytes) -> float:
    """Connect, send the parts, then a byte now and then; return the seconds after which the other side hung up."""
    begun = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for part in parts:
        writer.write(part)

    async def trickle() -> None:
        while parts:
            await asyncio.sleep(PATIENCE / 10)
            writer.write(b"a")

    trickling = asyncio.create_task(trickle())
    try:
        async with asyncio.timeout(HANGS):
            while await reader.read(1000):
                pass
    except ConnectionError:
        pass
    finally:
        trickling.cancel()
        writer.close()
    return time.monotonic() - begun


async def test_connections_that_send_nothing_or_too_slowly_are_closed(tmp_path: Path) -> None:
    with running(tmp_path, WEBCLIENT_REQUEST_SECONDS=str(PATIENCE)) as program:
        port = int(program.url.rpartition(":")[2])
        url = f"{program.url}/api/v1/events"
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(httpx2.AsyncClient(headers=program.bearer, timeout=HANGS))
            events = await stack.enter_async_context(client.stream("GET", url))
            silent = [until_closed(port) for _each in range(400)]
            answered = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            slow = [
                until_closed(port, b"GET / HT"),
                until_closed(port, HEAD, b"X-Slow: "),
                until_closed(port, HEAD, b"Content-Length: 1000\r\n\r\n", b"token="),
                until_closed(port, answered, b"GE"),
            ]
            waited = await asyncio.gather(*silent, *slow)
            assert min(waited) >= PATIENCE * 0.9
            # A stream that is served has sent no byte for longer than that, and goes on.
            assert events.status_code == 200
            assert (await anext(events.aiter_lines())) is not None
