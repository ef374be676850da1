"""The HTTP client of a connection."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
from httpcore2._async import http11
from mcp.types import ErrorData

from tests.mcp_servers import running
from webclient.domain.model import Delivery, Json
from webclient.protocol.messages.raw_request import FAIL_REQUEST
from webclient.protocol.transports import http
from webclient.protocol.transports.http import http_client
from webclient.protocol.transports.transport_state import TransportState

pytestmark = pytest.mark.anyio


async def test_the_kernel_asks_after_a_peer_that_says_nothing() -> None:
    """Otherwise a peer that vanished would never be noticed, because nothing needs to be sent."""
    async with running() as server, http_client(transport_state=TransportState(5, lambda: None)) as client:
        response = await client.get(server.address)
        connection = response.extensions["network_stream"].get_extra_info("socket")
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1


async def test_a_connection_idle_for_almost_five_seconds_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers close it after five: a call that crosses with that would be lost."""
    passed = [0.0]
    monkeypatch.setattr(http11, "time", SimpleNamespace(monotonic=lambda: passed[0]))
    async with running() as server, http_client(transport_state=TransportState(5, lambda: None)) as client:
        ports = []
        for passed[0] in (0.0, 1.0, 4.5):
            response = await client.get(server.address)
            ports.append(response.extensions["network_stream"].get_extra_info("client_addr")[1])
    assert ports[0] == ports[1] != ports[2]


NOTHING = 0


@asynccontextmanager
async def saying(statuses: Sequence[int]) -> AsyncIterator[str]:
    """Run a server that answers each request with the next status; yield its address.

    The last status repeats; for NOTHING it hangs up.
    """
    left = list(statuses)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].split()[0]))
        if status := left.pop(0) if len(left) > 1 else left[0]:
            writer.write(f"HTTP/1.1 {status} So\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"


@pytest.mark.parametrize(
    ("statuses", "delivery"),
    [
        ([202], Delivery.DELIVERED),
        ([200], Delivery.DELIVERED),
        ([503, 502, 202], Delivery.DELIVERED),
        ([503], Delivery.UNKNOWN),
        ([500], Delivery.UNKNOWN),
        ([404], Delivery.FAILED),
        ([NOTHING], Delivery.UNKNOWN),
        # Restarted after it got the answer, the server no longer knows the session.
        ([NOTHING, 404], Delivery.UNKNOWN),
        ([502, 404], Delivery.UNKNOWN),
    ],
)
async def test_an_answer_arrives_only_if_its_post_was_accepted(
    statuses: Sequence[int], delivery: Delivery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "ANSWER_PAUSES", (0.01, 0.01))
    transport_state, reports = TransportState(5, lambda: None), []

    async def report(delivery: Delivery) -> None:
        reports.append(delivery)

    async with saying(statuses) as address, http_client(transport_state=transport_state) as client:
        transport_state.established = True
        transport_state.answer_begins(7, report)
        response = await client.post(address, json={"jsonrpc": "2.0", "id": 7, "result": {"action": "accept"}})
        assert response.is_success, "the session continues"
    assert reports == [delivery]


async def test_an_answer_reported_as_not_sent_is_not_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    transport_state, reports = TransportState(5, lambda: None), list[Delivery]()

    async def report(delivery: Delivery) -> None:
        reports.append(delivery)

    async def abandon(_seconds: float) -> None:
        await transport_state.abandon()
        server.listen()

    monkeypatch.setattr(http, "anyio", SimpleNamespace(sleep=abandon))
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{server.getsockname()[1]}/mcp"
        async with http_client(transport_state=transport_state) as client:
            transport_state.established = True
            transport_state.answer_begins(7, report)
            await client.post(address, json={"jsonrpc": "2.0", "id": 7, "result": {"action": "accept"}})
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert reports == [Delivery.FAILED]


PING: Json = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
CANCELLED: Json = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}


@pytest.mark.parametrize("message", [PING, CANCELLED], ids=["ping", "notification"])
async def test_one_failed_post_over_sse_loses_only_its_message(message: Json) -> None:
    """The SDK stops sending after an error status."""
    lost: list[str] = []
    transport_state = TransportState(5, lambda: lost.append("lost"))
    transport_state.established = True
    failed: list[ErrorData] = []
    async with (
        saying([500]) as address,
        http_client(transport_state=transport_state, one_stream=True) as client,
    ):
        before = FAIL_REQUEST.set(failed.append if "id" in message else None)
        assert (await client.post(address, json=message)).is_success
        FAIL_REQUEST.reset(before)
    assert lost == []
    assert len(failed) == ("id" in message), "the sender of a request gets the error"


@pytest.mark.parametrize("message", [PING, CANCELLED], ids=["ping", "notification"])
async def test_a_post_to_an_unknown_session_over_sse_loses_the_session(message: Json) -> None:
    transport_state = TransportState(5, lambda: None)
    transport_state.established = True
    async with (
        saying([404]) as address,
        http_client(transport_state=transport_state, one_stream=True) as client,
    ):
        await client.post(address, json=message)
    assert transport_state.session_unknown
