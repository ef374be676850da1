"""The HTTP client of a connection, by itself."""

from __future__ import annotations

import socket

import pytest

from tests.servers import running
from webclient.connections.http import http_client
from webclient.connections.wire import Wire

pytestmark = pytest.mark.anyio


async def test_the_kernel_asks_after_a_peer_that_says_nothing() -> None:
    """A peer that vanished without a word would otherwise be waited for without end, as nothing need travel."""
    async with running() as server, http_client(wire=Wire(5, lambda: None)) as client:
        response = await client.get(server.address)
        connection = response.extensions["network_stream"].get_extra_info("socket")
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
