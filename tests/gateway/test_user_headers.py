"""Tokens of administrators that act for the user whom a header names, such as those of chat applications."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.agents import by_hand, overheard, token
from tests.gateway.houses import open_requests
from tests.mcp_servers import asker_entries, entry, running
from tests.program import Api, Program, program
from tests.test_reload import AS_PROXY, as_user
from webclient.domain.model import Era, Json

pytestmark = pytest.mark.anyio

HEADER = "X-OpenWebUI-User-Email"


@asynccontextmanager
async def chat_house(folder: Path, **servers: Json) -> AsyncIterator[tuple[Program, Api, str]]:
    """Start the program with Ada and Bob; give the administrator and the application's token."""
    async with program(folder, servers=servers, options=AS_PROXY) as running_program:
        for name in ("ada", "bob"):
            async with as_user(running_program, name) as api:
                for label in servers:
                    await api.server(label)
        async with as_user(running_program, "root") as root:
            secret = await token(root, "Open WebUI", trust_user_header=HEADER)
            yield running_program, root, secret


async def test_a_call_is_of_the_user_whom_the_header_names(tmp_path: Path) -> None:
    async with (
        chat_house(tmp_path, **asker_entries()) as (running_program, root, secret),
        as_user(running_program, "ada") as ada,
        as_user(running_program, "bob") as bob,
        by_hand(running_program, secret, "push", headers={HEADER: "ada"}) as agent,
    ):
        await agent.begin()
        calling = asyncio.create_task(agent.send("tools/call", {"name": "ask_form", "arguments": {}}))
        await open_requests(ada)
        assert (await bob.json("GET", "/requests"))["requests"] == []
        (call,) = (await ada.json("GET", "/calls"))["calls"]
        assert call["via"]["label"] == "Open WebUI"
        # A session of one user is none of another's, although the token is the same.
        async with by_hand(running_program, secret, "push", headers={HEADER: "bob"}) as other:
            other.session = agent.session
            assert (await other.send("tools/list")).status_code == 404
        (made,) = (await root.json("GET", "/tokens"))["tokens"]
        assert made["trust_user_header"] == HEADER
        await root.delete(f"/tokens/{made['id']}")
        await calling
        ended = await ada.in_state(call, "cancelled", "completed", "failed")
        assert ended["error"]["reason_code"] == "agent_revoked"


REFUSED: list[tuple[list[tuple[str, str]], str]] = [
    ([], "no_user_header"),
    ([(HEADER, "")], "no_user_header"),
    ([(HEADER, "ada"), (HEADER, "bob")], "no_user_header"),
    ([("X-User", "ada")], "no_user_header"),
    ([(HEADER, "eve")], "unknown_user"),
    ([(HEADER, "local")], "unknown_user"),
    ([(HEADER, "added")], "unknown_user"),
    ([(HEADER, "bob")], "disabled_user"),
]


async def test_a_header_without_a_user_is_refused(tmp_path: Path) -> None:
    async with chat_house(tmp_path, echoing=entry("echoing")) as (running_program, root, secret):
        await root.json("POST", "/users", 201, json={"issuer": "proxy", "subject": "added"})
        users = (await root.json("GET", "/users"))["users"]
        (bob,) = [each for each in users if each.get("subject") == "bob"]
        await root.json("POST", f"/users/{bob['id']}/disable", 200)
        async with by_hand(running_program, secret, "echoing", Era.ROUNDS) as agent:
            for headers, code in REFUSED:
                address = f"{running_program.base}/mcp/echoing"
                sent = [("Authorization", f"Bearer {secret}"), *headers]
                refused = await agent.http.post(address, json={}, headers=sent)
                assert (refused.status_code, refused.json()["code"]) == (403, code), headers
        assert len((await root.json("GET", "/users"))["users"]) == len(users)
        trail = (await root.json("GET", "/audit"))["entries"]
        assert {"no_user_header", "unknown_user", "disabled_user"} <= {each.get("outcome") for each in trail}


async def test_other_tokens_do_not_look_at_the_header(tmp_path: Path) -> None:
    async with (
        chat_house(tmp_path, **asker_entries()) as (running_program, _root, secret),
        as_user(running_program, "bob") as bob,
    ):
        own = await token(bob)
        async with by_hand(running_program, own, "push", headers={HEADER: "ada"}) as agent:
            await agent.begin()
            calling = asyncio.create_task(agent.send("tools/call", {"name": "ask_form", "arguments": {}}))
            await open_requests(bob)
            calling.cancel()
        headers = {"Authorization": f"Bearer {secret}", HEADER: "ada"}
        assert (await bob.get("/requests", headers=headers)).status_code == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"trust_user_header": "Authorization"}, 422),
        ({"trust_user_header": "Mcp-Session-Id"}, 422),
        ({"trust_user_header": "X User"}, 422),
        ({"scopes": ["gateway", "read"], "trust_user_header": HEADER}, 422),
        ({"trust_user_header": HEADER, "may_ask": "everyone"}, 422),
    ],
)
async def test_such_a_token_is_for_the_gateway_alone(tmp_path: Path, body: Json, status: int) -> None:
    async with program(tmp_path, options=AS_PROXY) as running_program, as_user(running_program, "root") as root:
        given: dict[str, Any] = {"label": "Chat", "scopes": ["gateway"]} | body
        await root.json("POST", "/tokens", status, json=given)


async def test_only_an_administrator_makes_such_a_token(tmp_path: Path) -> None:
    async with program(tmp_path, options=AS_PROXY) as running_program, as_user(running_program, "ada") as ada:
        given = {"label": "Chat", "scopes": ["gateway"], "trust_user_header": HEADER}
        await ada.json("POST", "/tokens", 403, json=given)


async def test_the_servers_get_no_credential_of_an_agent(tmp_path: Path) -> None:
    async with (
        running() as server,
        overheard(server.address) as (address, heard),
        chat_house(tmp_path, far={"url": address}) as (running_program, _root, secret),
        by_hand(running_program, secret, "far", headers={HEADER: "ada"}) as agent,
    ):
        await agent.begin()
        await agent.result("tools/list")
        sent = b"".join(heard).lower()
        assert b"tools/list" in sent
        for word in (secret, HEADER, "\nauthorization:", "mcpweb_"):
            assert word.lower().encode() not in sent
