"""The pulse of a session, where no real server can be made to do what it meets; the others are in `test_faults.py`."""

from __future__ import annotations

import asyncio
from typing import cast

import httpx2
import pytest
from mcp import MCPError
from mcp.client import ClientSession
from mcp.types import CONNECTION_CLOSED, INVALID_REQUEST

from webclient.protocol.explain import SESSION_LOST, SilenceError
from webclient.protocol.liveness import Liveness
from webclient.protocol.transport_state import TransportState

pytestmark = pytest.mark.anyio

PATIENCE = 300.0
"""Seconds: nothing here is to end because they are over."""


class Forgotten:
    """A session that its server does not know any more."""

    protocol_version = "2025-11-25"

    def __init__(self, wire: TransportState) -> None:
        self._wire = wire

    async def send_ping(self) -> None:
        self._wire.heard()
        raise MCPError(INVALID_REQUEST, SESSION_LOST)


class Unmade(Forgotten):
    """A session whose server takes too long to take a connection."""

    async def send_ping(self) -> None:
        self._wire.failed(httpx2.ConnectTimeout("too long"))
        raise MCPError(CONNECTION_CLOSED, "too long")


async def test_a_session_that_was_forgotten_ends_once_what_is_on_its_way_was_refused_as_well() -> None:
    """The server has not taken it, so it goes out again; cut off on its way, nobody would know."""
    busy, looked = True, asyncio.Event()

    def is_busy() -> bool:
        looked.set()
        return busy

    wire = TransportState(PATIENCE, lambda: None)
    session = cast("ClientSession", Forgotten(wire))
    pulse = Liveness(session, wire, interval=lambda: PATIENCE, busy=is_busy, tell=lambda _silent: None)
    watch = asyncio.create_task(pulse.until_gone())
    wire.failed()
    await asyncio.wait([watch, asyncio.ensure_future(looked.wait())], return_when=asyncio.FIRST_COMPLETED)
    assert not watch.done()
    busy = False
    assert await watch is None


async def test_a_server_that_takes_no_connection_in_time_has_stopped_answering() -> None:
    """That it did not answer within the seconds that a first connection has would not be true."""
    wire = TransportState(0.01, lambda: None)
    session = cast("ClientSession", Unmade(wire))
    pulse = Liveness(session, wire, interval=lambda: 0.01, busy=lambda: False, tell=lambda _silent: None)
    assert isinstance(await pulse.until_gone(), SilenceError)
