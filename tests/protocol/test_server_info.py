"""A server's description of itself, with mistakes in it (MCP 2025-11-25, Implementation)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house import config, house
from tests.mcp_servers import stdio
from webclient.domain.model import Era, Json
from webclient.protocol.messages.listing import LEFT_OUT, remove_invalid_entries
from webclient.protocol.messages.server_info import remove_invalid_info

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_a_server_with_a_wrong_description_is_connected(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, [config("it", stdio("attacker", "--greets", "odd"), era)]) as rooms:
        status = rooms.services.connections.status((await rooms.connected("it")).key)
    valid = {"name": "attacker", "version": "1", "title": "Odd one", "icons": [{"src": "data:image/png,c"}]}
    assert (status.protocol_version, status.server_info) == (era, valid)


@pytest.mark.parametrize("result", [{}, {"serverInfo": 7, "_meta": 8}, {"serverInfo": {"icons": 7}, "_meta": None}])
def test_a_result_of_any_form_is_left_to_the_sdk(result: Json) -> None:
    remove_invalid_info(result)
    assert result.get("serverInfo") in (None, 7, {})


def test_a_tool_with_wrong_icons_is_listed_without_them() -> None:
    tool: Json = {"name": "t", "inputSchema": {"type": "object"}}
    icons = [{"src": "a", "theme": "auto"}, {"src": "b"}]
    page: Json = {"tools": [{**tool, "icons": icons}, {"name": "bad", "inputSchema": 7, "icons": 7}]}
    remove_invalid_entries("tools/list", Era.PUSH, page, 10)
    assert page == {"tools": [{**tool, "icons": [{"src": "b"}]}], LEFT_OUT: ["bad"]}
