"""A server whose address leads back to the gateway: it is refused at once, and nothing goes round."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gateway.agents import by_hand, token
from tests.gateway.houses import house
from tests.mcp_servers import entry
from webclient.domain.model import Era
from webclient.network.loops import LONGEST, arrived_through, is_loop, onward_header

pytestmark = pytest.mark.anyio


async def test_a_request_that_came_through_here_is_a_loop() -> None:
    assert not is_loop("")
    assert not is_loop("other; a=b, another")
    arrived_through("other")
    assert onward_header().startswith("other, mcp-webclient-")
    assert is_loop(onward_header())
    assert is_loop(f"{onward_header()}; x=y, third")
    assert is_loop("a" * (LONGEST + 1))


async def test_the_gateway_does_not_call_itself(tmp_path: Path) -> None:
    async with house(tmp_path, echoing=entry("echoing")) as (running, api):
        secret = await token(api)
        headers = {"Authorization": f"Bearer {secret}"}
        added = await api.json(
            "POST",
            "/servers",
            201,
            json={
                "label": "Myself",
                "transport": {"type": "http", "url": f"{running.base}/mcp/myself", "headers": headers},
            },
        )
        server = await api.json("POST", f"/servers/{added['id']}/connect", 202)
        while server["state"] not in ("error", "connected"):
            server = await api.json("GET", f"/servers/{added['id']}")
        assert server["state"] == "error", server
        async with by_hand(running, secret, "echoing", Era.ROUNDS) as agent:
            assert "tools" in await agent.result("tools/list")


async def test_a_request_through_too_many_programs_is_refused(tmp_path: Path) -> None:
    async with house(tmp_path, echoing=entry("echoing")) as (running, api):
        headers = {"CDN-Loop": "a" * (LONGEST + 1)}
        async with by_hand(running, await token(api), "echoing", Era.ROUNDS, headers) as agent:
            assert (await agent.send("tools/list")).status_code == 508
