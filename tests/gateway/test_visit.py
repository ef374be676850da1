"""Admission of agents to the servers of the gateway, and the refusals of all others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gateway.agents import by_hand, token
from tests.gateway.houses import house
from tests.mcp_servers import entry
from tests.program import program
from tests.test_reload import AS_PROXY, as_user
from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.model import Era, Server
from webclient.gateway import server_at
from webclient.gateway.manager import MOST_SESSIONS

FIRST, SECOND, THIRD = (
    Server(id=str(number), user_id="ada", label=label, name=name, transport={})
    for number, label, name in ((1, "My Files!", "files"), (2, "Wetter in Köln", None), (3, "my files", None))
)

HELLO = {
    "protocolVersion": Era.PUSH,
    "capabilities": {},
    "clientInfo": {"name": "by hand", "version": "7"},
}


@pytest.mark.parametrize(
    ("given", "found"), [("1", FIRST), ("files", FIRST), ("wetter-in-köln", SECOND), ("Wetter in Köln", SECOND)]
)
def test_a_server_is_found_by_id_name_or_label(given: str, found: Server) -> None:
    assert server_at(given, [FIRST, SECOND, THIRD]) is found


def test_a_label_of_two_servers_asks_for_the_id() -> None:
    with pytest.raises(ConflictError):
        server_at("my-files", [FIRST, THIRD])
    assert server_at("my-files", [FIRST, THIRD], {"3"}) is THIRD


def test_a_token_reaches_its_servers_only() -> None:
    with pytest.raises(NotFoundError):
        server_at("1", [FIRST, SECOND], {"2"})


@pytest.mark.anyio
async def test_the_session_of_one_agent_is_unknown_to_another(tmp_path: Path) -> None:
    async with house(tmp_path, echoing=entry("echoing"), other=entry("echoing")) as (running, api):
        one, two = await token(api), await token(api, "Another")
        async with by_hand(running, one, "echoing") as agent:
            await agent.begin()
            for secret, server in ((two, "echoing"), (one, "other")):
                async with by_hand(running, secret, server) as thief:
                    thief.session = agent.session
                    assert (await thief.send("tools/list")).status_code == 404
            assert (await agent.send("tools/list")).status_code == 200
            agent.session = "unknown"
            assert (await agent.send("tools/list")).status_code == 404


@pytest.mark.slow
@pytest.mark.anyio
async def test_the_sessions_of_one_user_leave_room_for_others(tmp_path: Path) -> None:
    """Without its other requests, an agent leaves each of them open."""
    async with program(tmp_path, servers={"echoing": entry("echoing")}, options=AS_PROXY) as running:
        secrets = {}
        for name in ("ada", "bob"):
            async with as_user(running, name) as api:
                await api.server("echoing")
                secrets[name] = await token(api)
        async with by_hand(running, secrets["ada"], "echoing") as agent:
            for _number in range(MOST_SESSIONS):
                agent.session = None
                assert (await agent.send("initialize", HELLO)).status_code == 200
            last, agent.session = agent.session, None
            refused = await agent.send("initialize", HELLO)
            assert refused.status_code == 503
            agent.session = last
            assert (await agent.send("tools/list")).status_code == 200
        async with by_hand(running, secrets["bob"], "echoing") as other:
            await other.begin()


@pytest.mark.anyio
async def test_a_wrong_sender_is_refused(tmp_path: Path) -> None:
    async with house(tmp_path, echoing=entry("echoing"), other=entry("echoing")) as (running, api):
        asking = await token(api, scopes=["ask", "read"])
        narrow = await token(api, servers=[await api.server("other")])
        for secret, server, status in (
            ("mcpweb_wrong", "echoing", 401),
            (asking, "echoing", 403),
            (narrow, "echoing", 404),
            (narrow, "nothing", 404),
            (narrow, "other", 200),
        ):
            async with by_hand(running, secret, server, Era.ROUNDS) as agent:
                assert (await agent.send("server/discover")).status_code == status, server


@pytest.mark.anyio
async def test_a_revoked_token_ends_its_stream(tmp_path: Path) -> None:
    async with house(tmp_path, echoing=entry("echoing")) as (running, api):
        made = await api.json("POST", "/tokens", 201, json={"label": "Agent", "scopes": ["gateway"]})
        async with by_hand(running, made["secret"], "echoing") as agent:
            await agent.begin()
            headers = agent.headers("", {}) | {"Accept": "text/event-stream"}
            async with agent.http.stream("GET", f"{running.base}/mcp/echoing", headers=headers) as stream:
                assert stream.status_code == 200
                await api.delete(f"/tokens/{made['id']}")
                assert [line async for line in stream.aiter_lines() if line.startswith("data:")] == []


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("body", "status"), [("{", 400), ("[]", 400), ("null", 400), ('{"a": 1}', 400), ("x" * 3_000_000, 413)]
)
async def test_garbage_is_refused(tmp_path: Path, body: str, status: int) -> None:
    async with (
        house(tmp_path, echoing=entry("echoing")) as (running, api),
        by_hand(running, await token(api), "echoing") as agent,
    ):
        await agent.begin()
        headers = agent.headers("", {}) | {"Content-Type": "application/json"}
        sent = await agent.http.post(f"{running.base}/mcp/echoing", content=body, headers=headers)
        assert sent.status_code == status
        assert (await agent.send("tools/list")).status_code == 200
