"""A TCP proxy in front of a server, for what networks do: cut, stall, refuse, or drop what carries certain bytes."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

CHUNK = 65536

PATIENCE = 30.0
"""Seconds after which what should have come is taken not to come."""


class Proxy:
    """Passes bytes on between clients and the server at `port`, until a method changes that.

    `denied` is how many connections were cut for what they carried. With `tls` clients speak HTTPS to it.
    """

    def __init__(self, port: int, tls: ssl.SSLContext | None = None) -> None:
        self.server_port = port
        self._tls = tls
        self.denied = 0
        self._marker = b""
        self._torn = b""
        self._expected: dict[bytes, asyncio.Event] = {}
        self._cut_short = asyncio.Condition()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._listener: asyncio.Server | None = None
        self._port = 0
        self._carried: set[asyncio.Task[None]] = set()

    async def accept(self) -> None:
        """Take connections, on the same port as before."""
        self._listener = await asyncio.start_server(self._carry, "127.0.0.1", self._port, ssl=self._tls)
        self._port = self._listener.sockets[0].getsockname()[1]

    async def refuse(self) -> None:
        """Take no new connections; those that are open go on."""
        assert self._listener
        self._listener.close()

    def cut(self) -> None:
        """End every open connection at once, as a pulled plug on the far side would."""
        for writer in self._writers:
            writer.transport.abort()

    def stall(self) -> None:
        """Take everything, pass nothing on: the line is up and silent."""
        self._flowing.clear()

    def flow(self) -> None:
        """Pass everything on again, also what was stalled."""
        self._flowing.set()

    def deny(self, marker: bytes) -> None:
        """Cut each connection on which a client sends these bytes, before the server sees them."""
        self._marker = marker

    def tear(self, marker: bytes) -> None:
        """Cut each connection on which the server sends these bytes, in the middle of them."""
        self._torn = marker

    async def has_denied(self, times: int) -> None:
        """Wait until so many connections were cut for what they carried."""
        async with asyncio.timeout(PATIENCE), self._cut_short:
            await self._cut_short.wait_for(lambda: self.denied >= times)

    def expect(self, marker: bytes) -> asyncio.Event:
        """Return what is set when a client has sent these bytes to the server."""
        return self._expected.setdefault(marker, asyncio.Event())

    def address(self, of: str) -> str:
        """Return the address of the server as it is reached through here."""
        parts = urlsplit(of)
        scheme = "https" if self._tls else parts.scheme
        return parts._replace(scheme=scheme, netloc=f"127.0.0.1:{self._port}").geturl()

    async def close(self) -> None:
        """End everything."""
        if self._listener:
            self._listener.close()
        self.flow()
        self.cut()
        if self._carried:
            await asyncio.wait(self._carried)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._carried.add(task)
        task.add_done_callback(self._carried.discard)
        self._writers.add(writer)
        with suppress(OSError):
            there, back = await asyncio.open_connection("127.0.0.1", self.server_port)
            self._writers.add(back)
            await asyncio.gather(self._pass(reader, back, writer), self._pass(there, writer, None))
            self._writers.discard(back)
        writer.transport.abort()
        self._writers.discard(writer)

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, client: asyncio.StreamWriter | None
    ) -> None:
        with suppress(OSError):
            while chunk := await reader.read(CHUNK):
                await self._flowing.wait()
                if client and self._marker and self._marker in chunk:
                    await self._deny(client)
                    break
                if not client and self._torn and self._torn in chunk:
                    await self._tear(writer, chunk)
                    break
                writer.write(chunk)
                await writer.drain()
                for marker, seen in self._expected.items():
                    if client and marker in chunk:
                        seen.set()
        # The other side is ended as this one was, so that neither waits for what cannot come.
        writer.transport.abort()

    async def _deny(self, client: asyncio.StreamWriter) -> None:
        client.transport.abort()
        await self._count()

    async def _tear(self, client: asyncio.StreamWriter, chunk: bytes) -> None:
        client.write(chunk[: chunk.index(self._torn) + len(self._torn) // 2])
        client.close()
        await client.wait_closed()
        await self._count()

    async def _count(self) -> None:
        async with self._cut_short:
            self.denied += 1
            self._cut_short.notify_all()


@asynccontextmanager
async def proxied(server: str, tls: ssl.SSLContext | None = None) -> AsyncIterator[tuple[Proxy, str]]:
    """Put a proxy before the server at this address; give it, and the address through it."""
    proxy = Proxy(int(server.split(":")[2].partition("/")[0]), tls)
    await proxy.accept()
    try:
        yield proxy, proxy.address(server)
    finally:
        await proxy.close()
