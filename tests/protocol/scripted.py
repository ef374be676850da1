"""A server over streamable HTTP whose responses a test writes, event by event."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.house import House, config, house
from webclient.domain.model import Era, Json
from webclient.protocol import Authorization

TOOL: Json = {"name": "work", "inputSchema": {"type": "object"}}
DONE: Json = {"content": [{"type": "text", "text": "done"}]}
RESULT: Json = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
"""The keys of every result of MCP 2026-07-28."""


class Stream:
    """The response to one request, while it is written; `message` is empty for a request without a body."""

    def __init__(self, http_method: str, headers: dict[str, str], message: Json, writer: asyncio.StreamWriter) -> None:
        self.http_method = http_method
        self.headers = headers
        self.message = message
        self.writer = writer

    async def begin(self, status: int = 200) -> None:
        head = f"HTTP/1.1 {status} So\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        self.writer.write(head.encode())
        await self.writer.drain()

    async def done(self, call: Stream | None = None) -> None:
        """Send the result of the call, which is that of this stream by default."""
        await self.event({"jsonrpc": "2.0", "id": (call or self).message["id"], "result": DONE})

    async def event(self, data: Json | None = None, /, **fields: str) -> None:
        lines = [f"{name}: {value}\n" for name, value in fields.items()] + [
            f"data: {json.dumps(data) if data else ''}\n"
        ]
        await self.write("".join(lines) + "\n")

    async def write(self, text: str) -> None:
        self.writer.write(f"{len(text.encode()):x}\r\n{text}\r\n".encode())
        await self.writer.drain()

    async def end(self) -> None:
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()


Respond = Callable[[Stream], Awaitable[bool]]
"""Responds to a request; returns whether the connection stays open for the next one."""


async def _read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Stream:
    """Read the next request."""
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    message = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))) or b"{}")
    return Stream(first.split(" ", 1)[0], headers, message, writer)


@asynccontextmanager
async def rooms_at(
    tmp_path: Path, respond: Respond, era: Era, sign_in: Authorization | None = None
) -> AsyncIterator[House]:
    """Listen with a server that responds like this; yield rooms connected to it."""

    handling: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if task := asyncio.current_task():
            handling.add(task)
        try:
            while await respond(await _read(reader, writer)):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as listening:
        address = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/mcp"
        async with house(tmp_path, [config("it", {"type": "http", "url": address}, era)], sign_in=sign_in) as rooms:
            await rooms.connected("it")
            yield rooms
        # From Python 3.12.1 on, the server waits for them.
        for task in handling:
            task.cancel()


class Server:
    """A server whose streams a test writes.

    `pages` are the pages of its list of tools, `listed` counts how often one was read; with `lists_nothing` none ever
    is. `answers` are the messages that were posted without a method, `gets` the headers of the GET requests. GET
    requests that resume a stream go to `on_resume`, if a test sets it, and all others to `on_get`.
    """

    def __init__(self, era: Era, on_call: Callable[[Stream], Awaitable[None]]) -> None:
        self.era = era
        self.gets: list[dict[str, str]] = []
        self.calls: list[Stream] = []
        self.answers: list[Json] = []
        self.pings = 0
        self.listed = 0
        self.pages: list[list[Json]] = [[TOOL]]
        self.lists_nothing = False
        self.list_requested = asyncio.Event()
        self.on_call = on_call
        self.on_get: Callable[[Stream], Awaitable[None]] | None = None
        self.on_resume: Callable[[Stream], Awaitable[None]] | None = None

    async def respond(self, stream: Stream) -> bool:
        message, writer = stream.message, stream.writer
        if stream.http_method == "GET":
            self.gets.append(stream.headers)
            on_resume = self.on_resume if "last-event-id" in stream.headers else None
            if on_get := on_resume or self.on_get:
                await on_get(stream)
                return True
            return await plain(writer, 405)
        if "method" not in message:
            self.answers += [message] if message else []
            return await plain(writer, 202)
        if message["method"] == "tools/list" and self.lists_nothing:
            self.list_requested.set()
            await asyncio.sleep(3600)
        if message["method"] in ("tools/call", "subscriptions/listen"):
            if message["method"] == "tools/call":
                self.calls.append(stream)
                await self.on_call(stream)
                return True
            await stream.begin()
            await asyncio.sleep(3600)
        self.pings += message["method"] == "ping"
        result = self._result(message["method"], message.get("params", {}))
        if "id" not in message:
            return await plain(writer, 202)
        return await plain(writer, 200, {"jsonrpc": "2.0", "id": message["id"], **result})

    def _result(self, method: str, params: Json) -> Json:
        info, tools = {"name": "it", "version": "1"}, {"tools": dict[str, Any]()}
        modern = self.era is Era.ROUNDS
        match method:
            case "initialize" if not modern:
                return {"result": {"protocolVersion": Era.PUSH, "capabilities": tools, "serverInfo": info}}
            case "server/discover" if modern:
                found = {"supportedVersions": [Era.ROUNDS], "capabilities": tools, "serverInfo": info}
                return {"result": found | RESULT}
            case "tools/list":
                self.listed += 1
                number = int(params.get("cursor") or 0)
                listed: Json = {"tools": self.pages[number]}
                listed |= {"nextCursor": str(number + 1)} if number + 1 < len(self.pages) else {}
                return {"result": listed | (RESULT if modern else {})}
            case "ping" if not modern:
                return {"result": {}}
        return {"error": {"code": -32601, "message": "Method not found"}}


async def plain(writer: asyncio.StreamWriter, status: int, body: Json | None = None) -> bool:
    """Write a whole response."""
    text = json.dumps(body) if body else ""
    head = f"HTTP/1.1 {status} So\r\nContent-Type: application/json\r\nMcp-Session-Id: s1\r\n"
    writer.write(f"{head}Content-Length: {len(text)}\r\n\r\n{text}".encode())
    await writer.drain()
    return True


@asynccontextmanager
async def scripted(
    tmp_path: Path,
    on_call: Callable[[Stream], Awaitable[None]],
    era: Era = Era.PUSH,
    pages: list[list[Json]] | None = None,
    sign_in: Authorization | None = None,
) -> AsyncIterator[tuple[Server, House]]:
    """Run a server with a tool whose response `on_call` writes; yield it, and rooms connected to it."""
    server = Server(era, on_call)
    server.pages = pages or server.pages
    async with rooms_at(tmp_path, server.respond, era, sign_in) as rooms:
        yield server, rooms
