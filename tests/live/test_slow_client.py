"""A client on a real socket that does not read costs a few buffers, and gets a snapshot when it reads again."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from tests.house import PATIENCE, TOKEN, settings
from webclient.domain.model import LOCAL_USER, InputRequest, Requester
from webclient.runtime.app import create_app
from webclient.runtime.listening import listen
from webclient.runtime.serving import HttpServer
from webclient.store.live.hub import QUEUED

pytestmark = pytest.mark.anyio

BURSTS = 60
CARDS = 10
WAITING_BYTES = 64 * 1024
"""Bytes that uvicorn buffers for a client before it stops taking more."""


async def test_a_client_that_does_not_read_keeps_at_most_one_message(tmp_path: Path) -> None:
    with listen(settings(tmp_path, port=0)) as sock:
        # Small, so that what the client leaves unread piles up here and not in the system.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)
        port = sock.getsockname()[1]
        app = create_app(settings(tmp_path, port=port))
        server = HttpServer(app, lambda: None, patience=PATIENCE)
        serving = asyncio.create_task(server.serve([sock]))
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=4096)
        writer.write(
            f"GET /stream?page=inbox HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()
        )
        services = app.state.services
        await reader.readuntil(b"\r\n\r\n")
        for number in range(CARDS):
            await services.store.of(LOCAL_USER).requests.add(a_request(number))
        waiting = 0
        for _each in range(BURSTS):
            for _event in range(QUEUED + 1):
                services.hub.publish(LOCAL_USER, "request", "one of many")
            await services.store.of(LOCAL_USER).requests.find()
            waiting = max(
                waiting, *(each.transport.get_write_buffer_size() for each in server.server_state.connections)
            )
        snapshots, longest = await read_to(reader, services.hub.cursor)
        assert snapshots < BURSTS / 2
        assert waiting <= WAITING_BYTES + longest
        writer.close()
        server.should_exit = True
        await serving


async def read_to(reader: asyncio.StreamReader, newest: str) -> tuple[int, int]:
    """Read until the event `newest`; return the number of messages and the length of the longest."""
    text, wanted = b"", f"id: {newest}\r\n".encode()
    async with asyncio.timeout(PATIENCE):
        while wanted not in text or not text.endswith(b"\r\n\r\n"):
            text += await reader.read(65_536)
    messages = text.split(b"\r\n\r\n")
    return text.count(b"id: "), max(map(len, messages))


def a_request(number: int) -> InputRequest:
    properties = {f"field{n}": {"type": "string", "title": f"Field {n}"} for n in range(10)}
    return InputRequest(
        user_id=LOCAL_USER,
        server_id="server",
        kind="form",
        params={"message": f"Question {number}", "requestedSchema": {"type": "object", "properties": properties}},
        asked_by=Requester(label="server", address="http://127.0.0.1"),
    )
