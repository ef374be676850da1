"""The tap, for messages that no real server sends."""

from __future__ import annotations

from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCNotification

from webclient.protocol.session.hosted_tasks import HostedTasks
from webclient.protocol.session.tap import Tap
from webclient.protocol.transports.transport_state import TransportState


@pytest.mark.parametrize("request_id", [[], {}, None, 1.5])
def test_a_cancellation_without_a_valid_id_is_ignored(request_id: object) -> None:
    """MCP 2025-11-25, Cancellation: invalid cancellation notifications SHOULD be ignored."""

    def unexpected(*_of: object) -> None:
        raise AssertionError

    never: Any = unexpected
    transport_state = TransportState(5, unexpected)
    tap = Tap(
        never,
        transport_state,
        on_refused=never,
        on_withdrawn=never,
        on_delivered=never,
        on_logged=never,
        on_message=lambda *_: None,
        on_text=never,
        on_task=never,
        server=never,
        hosted_tasks=HostedTasks(never, never),
    )
    notification = JSONRPCNotification(
        jsonrpc="2.0", method="notifications/cancelled", params={"requestId": request_id, "reason": [1]}
    )
    assert tap.incoming(SessionMessage(notification), None) is None
