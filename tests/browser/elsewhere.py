"""A foreign site on this machine: it records each visit, and what the browser says of where it comes from."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

PAGE = b"<!doctype html><title>Elsewhere</title><p>You are elsewhere.</p>"


@dataclass
class Site:
    """The visits to the site: connections, even silent ones, and the head of each request for a page."""

    port: int = 0
    connections: int = 0
    heads: list[str] = field(default_factory=list)
    open: set[asyncio.StreamWriter] = field(default_factory=set)

    def url(self, path: str = "/", *, host: str = "127.0.0.1") -> str:
        """Return an address on the site."""
        return f"http://{host}:{self.port}{path}"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection with the page."""
        self.connections += 1
        self.open.add(writer)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            if "/favicon" not in head:
                self.heads.append(head)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n")
            writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(PAGE), PAGE))
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            await self.part(writer)

    async def part(self, writer: asyncio.StreamWriter) -> None:
        """Close a connection; a browser leaves some open on which it never asks for anything."""
        self.open.discard(writer)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


@asynccontextmanager
async def elsewhere() -> AsyncIterator[Site]:
    """Run such a site while the block runs."""
    site = Site()
    server = await asyncio.start_server(site.handle, "127.0.0.1", 0)
    site.port = server.sockets[0].getsockname()[1]
    async with server:
        yield site
    await asyncio.gather(*map(site.part, tuple(site.open)))
