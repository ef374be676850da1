"""The connections of one process: kept apart by user and server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.house import house
from webclient.domain.model import LOCAL_USER, Reason, ReasonCode, Server, ServerState

pytestmark = pytest.mark.anyio

WRONG = Reason(ReasonCode.CONFIG_INVALID, {"error": "no command"})
"""A server with this reason is in the state `error` at once, without any connection."""


async def test_servers_of_two_users_with_one_id_are_kept_apart(tmp_path: Path) -> None:
    async with house(tmp_path) as rooms:
        connections = rooms.services.connections
        ours = Server(user_id=LOCAL_USER, label="it", transport={"type": "http", "url": "http://127.0.0.1:9/mcp"})
        theirs = replace(ours, user_id="ada")
        connections.use(ours, ours.transport, wrong=WRONG)
        connections.connect(ours)
        assert connections.status(ours.key).state is ServerState.ERROR
        assert connections.status(theirs.key).state is ServerState.DISCONNECTED
        await connections.disconnect(theirs)
        connections.forget(theirs)
        assert connections.status(ours.key).state is ServerState.ERROR
