"""The tap, for messages that no real server sends, and moments that no real server can choose."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from webclient.domain.model import Delivery, ServerRequest
from webclient.protocol.session.hosted_tasks import HostedTasks
from webclient.protocol.session.tap import Tap, current_request
from webclient.protocol.transports.transport_state import TransportState

pytestmark = pytest.mark.anyio


def unexpected(*_of: object) -> None:
    raise AssertionError


NEVER: Any = unexpected


def tap(transport: Any = NEVER, on_delivered: Any = NEVER) -> Tap:
    return Tap(
        transport,
        TransportState(5, unexpected),
        on_refused=NEVER,
        on_withdrawn=NEVER,
        on_delivered=on_delivered,
        on_logged=NEVER,
        on_message=lambda *_: None,
        on_text=lambda *_: None,
        on_task=NEVER,
        on_notice=lambda *_: None,
        server=NEVER,
        hosted_tasks=HostedTasks(NEVER, NEVER),
    )


@pytest.mark.parametrize("request_id", [[], {}, None, 1.5])
def test_a_cancellation_without_a_valid_id_is_ignored(request_id: object) -> None:
    """MCP 2025-11-25, Cancellation: invalid cancellation notifications SHOULD be ignored."""
    notification = JSONRPCNotification(
        jsonrpc="2.0", method="notifications/cancelled", params={"requestId": request_id, "reason": [1]}
    )
    assert tap().incoming(SessionMessage(notification), None) is None


async def test_no_answer_leaves_while_another_is_reported_as_lost() -> None:
    """Otherwise it arrives, and is reported as not delivered as well."""
    to_server, at_server = anyio.create_memory_object_stream[SessionMessage](9)
    from_server, to_client = anyio.create_memory_object_stream[SessionMessage](9)
    reports: list[tuple[object, Delivery]] = []

    @asynccontextmanager
    async def transport() -> AsyncIterator[tuple[Any, Any]]:
        yield to_client, to_server

    async def delivered(request: ServerRequest, delivery: Delivery) -> None:
        reports.append((request.wire_id, delivery))
        # As the SDK does when the person answers in this moment.
        for number in (1, 2):
            await outgoing.send(SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=number, result={})))

    tapped = tap(transport(), delivered)
    async with to_server, at_server, from_server, to_client, tapped as (_incoming, outgoing):
        for number in (1, 2):
            message = JSONRPCRequest(jsonrpc="2.0", id=number, method="elicitation/create", params={})
            context = tapped.incoming(SessionMessage(message), None)
            assert context is not None
            context.run(current_request).wants_delivery = True
        await tapped.abandon()
        await tapped.transport_state.abandon()
        assert reports == [(1, Delivery.FAILED), (2, Delivery.FAILED)]
        assert at_server.statistics().current_buffer_used == 0
