"""The HTTP client of a connection, by itself."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from tests.mcp_servers import running
from webclient.protocol import http
from webclient.protocol.http import http_client
from webclient.protocol.read_rate import Pace
from webclient.protocol.transport_state import TransportState

pytestmark = pytest.mark.anyio


async def test_the_kernel_asks_after_a_peer_that_says_nothing() -> None:
    """A peer that vanished without a word would otherwise be waited for without end, as nothing need travel."""
    async with running() as server, http_client(wire=TransportState(5, lambda: None)) as client:
        response = await client.get(server.address)
        connection = response.extensions["network_stream"].get_extra_info("socket")
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1


async def test_early_responses_are_read_in_steps_at_a_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may send any number of them before the one that counts; the HTTP library drops them in one go."""
    early, counted = 2_000, list[float]()

    async def messages(_pace: Pace, count: float) -> None:
        counted.append(count)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 103 Early\r\n\r\n" * early + b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    monkeypatch.setattr(Pace, "messages", messages)
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        async with http_client(wire=TransportState(5, lambda: None)) as client:
            assert (await client.get(address)).status_code == 200
    assert sum(counted) == pytest.approx(early + 1, abs=len(counted))
    assert max(counted) < 400, "what comes in one packet is counted in steps"


@asynccontextmanager
async def saying(statuses: Sequence[int]) -> AsyncIterator[str]:
    """Run a server that answers each request with the next status, the last again and again; gives its address."""
    left = list(statuses)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].split()[0]))
        status = left.pop(0) if len(left) > 1 else left[0]
        writer.write(f"HTTP/1.1 {status} So\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"


@pytest.mark.parametrize(
    ("statuses", "arrived"),
    [([202], True), ([200], True), ([503, 502, 202], True), ([503], False), ([500], False), ([404], False)],
)
async def test_an_answer_has_arrived_when_its_post_was_accepted_and_not_when_it_was_merely_answered(
    statuses: Sequence[int], arrived: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "ANSWER_PAUSES", (0.01, 0.01))
    wire, told = TransportState(5, lambda: None), []

    async def tell(whether: bool) -> None:
        told.append(whether)

    async with saying(statuses) as address, http_client(wire=wire) as client:
        wire.established = True
        wire.sends(7, tell)
        response = await client.post(address, json={"jsonrpc": "2.0", "id": 7, "result": {"action": "accept"}})
        assert response.is_success, "the session goes on"
    assert told == [arrived]
