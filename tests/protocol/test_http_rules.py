"""The headers and messages that MCP requires of a client over streamable HTTP, as a server gets them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.house import config, house
from webclient.domain.model import Era, Json, ServerState

pytestmark = pytest.mark.anyio

RESULTS: dict[str, Json] = {
    "initialize": {"protocolVersion": Era.PUSH, "capabilities": {}, "serverInfo": {"name": "it", "version": "1"}},
    "ping": {},
}
Received = tuple[str, dict[str, str], Json]
"""The method of an HTTP request, its headers, and its JSON."""


@asynccontextmanager
async def recording() -> AsyncIterator[tuple[str, list[Received]]]:
    """Run a server with sessions; yield its address and the list of the requests it gets."""
    received: list[Received] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        method, message = first.split()[0], json.loads(body or b"{}")
        received.append((method, headers, message))
        result = RESULTS.get(message.get("method"))
        status = 405 if method == "GET" else 200 if result is not None or method == "DELETE" else 202
        answer = json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result}) if result is not None else ""
        head = [f"HTTP/1.1 {status} So", "Content-Type: application/json", "Mcp-Session-Id: s1", "Connection: close"]
        writer.write("\r\n".join([*head, f"Content-Length: {len(answer)}", "", answer]).encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp", received


async def test_a_session_follows_the_rules_for_clients(tmp_path: Path) -> None:
    """MCP 2025-11-25, Transports, Streamable HTTP, Session Management, Protocol Version Header.

    Each message MUST be a POST of its own that accepts both content types. The session id MUST be in all requests after
    the first, and the protocol version as well. A client that leaves SHOULD delete its session.
    """
    async with recording() as (address, received):
        async with house(tmp_path, [config("it", {"type": "http", "url": address}, Era.PUSH)]) as rooms:
            server = await rooms.connected("it")
            await rooms.services.connections.disconnect(server)
            await rooms.status("it", ServerState.DISCONNECTED)
        (_post, greeting, initialize), *later = received
        assert (initialize["method"], "mcp-session-id" in greeting) == ("initialize", False)
        for headers in [headers for method, headers, _message in received if method == "POST"]:
            accepted = {each.strip() for each in headers["accept"].split(",")}
            assert {"application/json", "text/event-stream"} <= accepted
        for _method, headers, _message in later:
            assert (headers["mcp-session-id"], headers["mcp-protocol-version"]) == ("s1", Era.PUSH)
        assert [method for method, *_rest in later if method == "DELETE"] == ["DELETE"]
        assert next(message["method"] for _post, _headers, message in later if message) == "notifications/initialized"
