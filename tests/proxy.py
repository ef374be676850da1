"""A TCP proxy between a client and a server that can be made to hold everything back, or to cut every connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Proxy:
    """Passes bytes both ways to the local port `target` while it flows; `port` is where it listens."""

    def __init__(self, target: int) -> None:
        self.port = 0
        self._target = target
        self._flows = asyncio.Event()
        self._flows.set()
        self._open: set[asyncio.StreamWriter] = set()

    def hold(self) -> None:
        """Pass nothing on from now on, and let all connections stand: a network that goes quiet."""
        self._flows.clear()

    def let_go(self) -> None:
        """Pass on what was held, and all that comes."""
        self._flows.set()

    def cut(self) -> None:
        """Break every connection that is open; new ones are taken."""
        for writer in list(self._open):
            writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection."""
        with suppress(OSError, asyncio.CancelledError):
            await self._flows.wait()
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._target)
            ends = {writer, up_writer}
            self._open |= ends
            ways = [self._pass(reader, up_writer), self._pass(up_reader, writer)]
            tasks = [asyncio.create_task(way) for way in ways]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            for end in ends:
                end.close()
            self._open -= ends

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._flows.wait()
                writer.write(data)
                await writer.drain()


@asynccontextmanager
async def proxied(target: int) -> AsyncIterator[Proxy]:
    """Run a proxy to the local port `target` while the block runs."""
    proxy = Proxy(target)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        proxy.let_go()
        proxy.cut()
