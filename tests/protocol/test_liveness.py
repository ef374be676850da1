"""Liveness in cases that no real server can be made to show; the others are in `test_faults.py`."""

from __future__ import annotations

import asyncio
from typing import cast

import httpx2
import pytest
from mcp import MCPError
from mcp.client import ClientSession
from mcp.types import CONNECTION_CLOSED, INVALID_REQUEST

from webclient.protocol.session.connection_faults import SilenceError
from webclient.protocol.session.liveness import Liveness
from webclient.protocol.transports.transport_state import TransportState

pytestmark = pytest.mark.anyio

PATIENCE = 300.0
"""Seconds; nothing here may end because they are over."""


class UnknownSession:
    """A session that its server does not know."""

    protocol_version = "2025-11-25"

    def __init__(self, transport_state: TransportState) -> None:
        self._transport_state = transport_state

    async def send_ping(self) -> None:
        self._transport_state.heard()
        raise MCPError(INVALID_REQUEST, "Session not found")


class UnreachableSession(UnknownSession):
    """A session whose server takes too long to accept a connection."""

    async def send_ping(self) -> None:
        self._transport_state.failed(httpx2.ConnectTimeout("too long"))
        raise MCPError(CONNECTION_CLOSED, "too long")


def _ignore(_silent: bool) -> None:
    pass


async def test_an_unknown_session_ends_after_its_requests_are_refused() -> None:
    """A refused request is sent again; of one that is cut off on its way, the fate would be unknown."""
    busy, looked = True, asyncio.Event()

    def is_busy() -> bool:
        looked.set()
        return busy

    transport_state = TransportState(PATIENCE, lambda: None)
    session = cast("ClientSession", UnknownSession(transport_state))
    liveness = Liveness(
        session, transport_state, interval=lambda: PATIENCE, busy=is_busy, on_silence=lambda _silent: None
    )
    watch = asyncio.create_task(liveness.until_gone())
    transport_state.failed()
    await asyncio.wait([watch, asyncio.ensure_future(looked.wait())], return_when=asyncio.FIRST_COMPLETED)
    assert not watch.done()
    busy = False
    assert await watch is None


async def test_a_connection_timeout_counts_as_silence() -> None:
    """A time-out while connecting would name the seconds of a first connection, which were not waited for."""
    transport_state = TransportState(0.01, lambda: None)
    session = cast("ClientSession", UnreachableSession(transport_state))
    liveness = Liveness(
        session, transport_state, interval=lambda: 0.01, busy=lambda: False, on_silence=lambda _silent: None
    )
    assert isinstance(await liveness.until_gone(), SilenceError)
