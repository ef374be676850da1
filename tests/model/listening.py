"""How a witness is reached: over stdio or, by hand, over streamable HTTP, and on a socket for commands."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from tests.model.witness import Witness

Json = dict[str, Any]
HOST = "127.0.0.1"
MOST = 2**22
"""Bytes of a line."""


async def listen(witness: Witness, control: str, transport: str = "stdio", port: str = "0") -> None:
    """Serve until killed, and over stdio until standard input ends."""
    with suppress(FileNotFoundError):
        os.unlink(control)  # noqa: PTH108  (a moment)
    if transport == "stdio":
        await asyncio.start_unix_server(lambda read, write: _controlled(witness, read, write), control)
        await _serve_stdio(witness)
        return
    http = Http(witness)
    await asyncio.start_unix_server(lambda read, write: _controlled(witness, read, write, http), control)
    listener = await asyncio.start_server(http.connection, HOST, int(port))
    sys.stdout.write(f"Listening: http://{HOST}:{listener.sockets[0].getsockname()[1]}/mcp\n")
    sys.stdout.flush()
    await asyncio.get_running_loop().create_future()


async def _controlled(
    witness: Witness, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, http: Http | None = None
) -> None:
    command = json.loads(await reader.readline())
    if http and command["do"] == "forget":
        http.sessions.clear()
    witness.control(command)
    writer.write(b"done\n")
    writer.close()


async def _serve_stdio(witness: Witness) -> None:
    def send(message: Json) -> None:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    witness.listeners.add(send)
    await _lines(lambda line: witness.take(json.loads(line), send))


async def _lines(take: Any) -> None:
    reader = asyncio.StreamReader(limit=MOST)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        take(line)


class Http:
    """Streamable HTTP: each call has a response stream of its own, and a session one for unsolicited messages."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness
        self.sessions: set[str] = set()

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection, one after the other."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._request(reader, writer):
                await writer.drain()
        writer.close()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        method = head[0].partition(" ")[0]
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        message: Json = json.loads(body) if body else {}
        session = headers.get("mcp-session-id", "")
        if session and session not in self.sessions:
            lost = {"code": -32600, "message": "Session not found"}
            _respond(writer, "404 Not Found", {"jsonrpc": "2.0", "id": message.get("id"), "error": lost})
        elif method == "GET":
            await self._stream_unsolicited(reader, writer)
            return False
        elif method == "DELETE":
            self.sessions.discard(session)
            _respond(writer, "200 OK", {})
        elif message.get("method") == "tools/call":
            await self._stream_call(message, session, reader, writer)
            return False
        elif "id" in message and "method" in message:
            more = self._greeted() if message["method"] == "initialize" else ""
            self._witness.take(message, lambda reply: _respond(writer, "200 OK", reply, more))
        else:
            self._witness.take(message, lambda _reply: None, session)
            _respond(writer, "202 Accepted", None)
        return True

    def _greeted(self) -> str:
        session = uuid4().hex
        self.sessions.add(session)
        return f"Mcp-Session-Id: {session}\r\n"

    async def _stream_unsolicited(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        send = _stream(writer)
        self._witness.listeners.add(send)
        try:
            await reader.read()
        finally:
            self._witness.listeners.discard(send)

    async def _stream_call(
        self, message: Json, session: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        call = self._witness.take(message, _stream(writer), session)
        gone = asyncio.ensure_future(reader.read())
        assert call
        await asyncio.wait([call, gone], return_when=asyncio.FIRST_COMPLETED)
        if not session:
            # Without a session, to go away is to cancel (2026-07-28, Transports).
            call.cancel()
        await asyncio.wait([call])
        gone.cancel()


def _stream(writer: asyncio.StreamWriter) -> Any:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")

    def send(message: Json) -> None:
        if not writer.is_closing():
            writer.write(f"event: message\ndata: {json.dumps(message)}\n\n".encode())

    return send


def _respond(writer: asyncio.StreamWriter, status: str, message: Json | None, more: str = "") -> None:
    body = b"" if message is None else json.dumps(message).encode()
    kind = "Content-Type: application/json\r\n" if body else ""
    head = f"HTTP/1.1 {status}\r\n{kind}{more}Content-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
