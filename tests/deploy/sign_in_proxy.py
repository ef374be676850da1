"""A stand-in for oauth2-proxy: a browser with the cookie `who` is signed in, and is named in its header."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    """Serve while the block runs; yield the host and port."""
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()
        yield f"{host}:{port}"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    status, user, body = "200 OK", "", "sign in here"
    if head.startswith("GET /oauth2/auth "):
        found = re.search(r"\bwho=(\w+)", head)
        status, user, body = ("202 Accepted", found[1], "") if found else ("401 Unauthorized", "", "")
    named = f"X-Auth-Request-User: {user}\r\n" if user else ""
    writer.write(f"HTTP/1.1 {status}\r\n{named}Connection: close\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
    await writer.drain()
    writer.close()
