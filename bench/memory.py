"""The memory of a connection and of an open page, each as its share of a thousand in one process (Linux)."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from bench.measures import Measure, resident
from tests.load import connected, many_servers
from tests.mcp_servers import running
from tests.pages.person import Person, stream_of
from tests.program import Program, program

MANY = 1000
FEW = 20
OPENED_AT_ONCE = 250


async def measure(folder: Path) -> list[Measure]:
    """Return the measures."""
    few, _few_open = await _kilobytes(folder, FEW)
    many, many_open = await _kilobytes(folder, MANY)
    return [
        Measure(f"memory of a connection, of {MANY:,}", (many - few) / (MANY - FEW), None, "kB"),
        Measure(f"memory of an open page, of {MANY:,}", (many_open - many) / MANY, None, "kB"),
        Measure(f"memory with {MANY:,} connections and {MANY:,} open pages", many_open / 1000, None, "MB"),
    ]


async def _kilobytes(folder: Path, count: int) -> tuple[float, float]:
    """Return the memory of a program with so many connections, without open pages and with as many."""
    place = folder / f"memory{count}"
    place.mkdir()
    async with (
        running() as asker,
        program(place, servers=many_servers(asker, count), forked=False) as served,
        served.client() as api,
        Person(served) as person,
    ):
        await connected(api, count)
        stream = stream_of(await person.page("/"))
        before = resident(served.pid)
        async with AsyncExitStack() as stack:
            for first in range(0, count, OPENED_AT_ONCE):
                pages = [_open_page(served, stream, stack) for _each in range(min(OPENED_AT_ONCE, count - first))]
                await asyncio.gather(*pages)
            return before, resident(served.pid)


async def _open_page(served: Program, stream: str, stack: AsyncExitStack) -> None:
    host, _, port = served.base.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    stack.callback(writer.close)
    head = f"GET {stream} HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {served.token}\r\n\r\n"
    writer.write(head.encode())
    await reader.readuntil(b"\r\n: \r\n\r\n")
