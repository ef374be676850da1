"""Agents for which an embedding application vouches: its tokens, its users, and the end of both."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import time
from typing import Any

import httpx2
import pytest

from tests.embedders.minting import ISSUER, ORIGIN, SECRET, minted
from tests.gateway.agents import by_hand, connected, overheard
from tests.gateway.houses import open_requests
from tests.gateway.test_agent_calls import call_id, fetched
from tests.mcp_servers import asker_entries, entry, running
from tests.program import Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

SCOPES = ["gateway", "inbox", "calls", "ask", "embed:admin"]


@asynccontextmanager
async def app_house(folder: Path, monkeypatch: pytest.MonkeyPatch, **servers: Json) -> AsyncIterator[Program]:
    """Start the program with these servers and the application of `minted`."""
    chat: Json = {"name": "Chat", "issuer": ISSUER, "secret_env": "CHAT", "may": SCOPES, "origins": [ORIGIN]}
    desk: Json = chat | {"issuer": "desk", "name": "Desk"}
    (folder / "embedders.json").write_text(json.dumps({"chat": chat, "desk": desk}), "utf-8")
    monkeypatch.setenv("CHAT", SECRET)
    options = ["--identity", "host", "--identity", "local", "--embedders", str(folder / "embedders.json")]
    async with program(folder, servers=servers, options=options) as served:
        yield served


def agent_token(**changed: Any) -> str:
    """Return a token of Ada's application for its agent."""
    return minted(**{"scope": "gateway", "act": {"sub": "travel"}} | changed)


@asynccontextmanager
async def inbox(served: Program, **changed: Any) -> AsyncIterator[Api]:
    """Give Ada's own session, in the frame of the application."""
    token = minted(scope="inbox calls ask", **changed)
    async with httpx2.AsyncClient(base_url=served.base) as http:
        session = (await http.post("/api/v1/sessions", json={"token": token})).json()
    headers = {"Authorization": f"Bearer {session['token']}"}
    async with Api(base_url=f"{served.base}/api/v1", headers=headers, timeout=60) as api:
        yield api


async def test_the_card_names_agent_and_application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with (
        app_house(tmp_path, monkeypatch, **asker_entries()) as served,
        inbox(served) as api,
        by_hand(served, agent_token(act={"sub": "Travel agent"}), "push") as agent,
    ):
        await agent.begin()
        calling = asyncio.create_task(agent.result("tools/call", {"name": "ask_form", "arguments": {}}))
        (request,) = await open_requests(api)
        page = await api.get(f"{served.base}/requests/{request['id']}")
        assert "Travel agent (Chat)" in page.text
        (call,) = (await api.json("GET", "/calls"))["calls"]
        assert call["via"]["label"] == "Travel agent (Chat)"
        await api.answer(request, action="accept", content={"name": "Ada"})
        assert "content" in await calling


async def test_a_renewed_token_goes_on_with_the_same_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first token ends within seconds: the agent is notified before, and its stream ends then."""
    async with app_house(tmp_path, monkeypatch, **asker_entries()) as served, inbox(served) as api:
        ends = int(time()) - 6
        async with connected(served.base, agent_token(exp=ends, iat=ends - 60), "push") as agent:
            waiting = call_id(await agent.call_tool("ask_form", {}))
        (request,) = await open_requests(api)
        async with connected(served.base, agent_token(), "push") as agent:
            joined = asyncio.create_task(agent.call_tool("ask_form", {}))
            await api.answer(request, action="accept", content={"name": "Ada"})
            assert (await fetched(agent, waiting)).content == (await joined).content


@pytest.mark.parametrize(
    ("other", "changed"),
    [
        ("another agent", {"act": {"sub": "desk"}}),
        ("another user", {"sub": "bob"}),
        ("another application", {"iss": "desk"}),
    ],
)
async def test_the_session_of_an_agent_is_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str, changed: Json
) -> None:
    async with (
        app_house(tmp_path, monkeypatch, echoing=entry("echoing")) as served,
        by_hand(served, agent_token(), "echoing") as agent,
    ):
        await agent.begin()
        for token, status in ((agent_token(), 200), (agent_token(**changed), 404)):
            async with by_hand(served, token, "echoing") as thief:
                thief.session = agent.session
                assert (await thief.send("tools/list")).status_code == status, other


WRONG: list[tuple[Json, str]] = [
    ({"act": None}, "missing_claim"),
    ({"act": "travel"}, "malformed"),
    ({"act": {"sub": "a\nb"}}, "malformed"),
    ({"scope": "inbox"}, "wrong_scope"),
    ({"aud": "other"}, "wrong_audience"),
    ({"exp": -60, "iat": -120}, "expired"),
    ({"key": "another secret of thirty-two bytes"}, "wrong_signature"),
]


@pytest.mark.smoke
async def test_a_wrong_token_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with app_house(tmp_path, monkeypatch) as served:
        for changed, code in WRONG:
            moved: Json = {
                name: int(time()) + each if isinstance(each, int) else each for name, each in changed.items()
            }
            async with by_hand(served, agent_token(**moved), "echoing") as agent:
                refused = await agent.send("tools/list")
            assert (refused.status_code, refused.json()["code"]) == (401, code)
            assert refused.headers["www-authenticate"] == 'Bearer error="invalid_token"'


async def test_the_token_of_an_agent_opens_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with app_house(tmp_path, monkeypatch) as served, httpx2.AsyncClient(base_url=served.base) as http:
        headers = {"Authorization": f"Bearer {agent_token()}"}
        for path in ("/", "/api/v1/me", "/api/v1/requests", "/mcpx"):
            assert (await http.get(path, headers=headers)).status_code == 401, path
        exchanged = await http.post("/api/v1/sessions", json={"token": agent_token()})
        assert (exchanged.status_code, exchanged.json()["code"]) == (401, "wrong_scope")


@pytest.mark.parametrize("which", [{"sub": "ada"}, {"sid": "s1"}])
async def test_the_end_of_a_users_sessions_ends_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: dict[str, str]
) -> None:
    async with (
        app_house(tmp_path, monkeypatch, **asker_entries()) as served,
        inbox(served) as ada,
        inbox(served, sub="bob") as bob,
        by_hand(served, agent_token(sid="s1", iat=int(time()) - 5), "push") as agent,
        by_hand(served, agent_token(sub="bob"), "push") as other,
    ):
        calls = []
        for each, api in ((agent, ada), (other, bob)):
            await each.begin()
            calls.append(asyncio.create_task(each.send("tools/call", {"name": "ask_form", "arguments": {}})))
            await open_requests(api)
        headers = {"Authorization": f"Bearer {minted(scope='embed:admin')}"}
        await agent.http.delete(f"{served.base}/api/v1/embed/sessions", params=which, headers=headers)
        await calls[0]
        refused = await agent.send("tools/list")
        assert (refused.status_code, refused.json()["code"]) == (401, "ended")
        async with inbox(served) as again:
            (call,) = (await again.json("GET", "/calls"))["calls"]
            ended = await again.in_state(call, "cancelled", "completed", "failed")
            assert (ended["state"], ended["error"]["reason_code"]) == ("cancelled", "agent_revoked")
        await open_requests(bob)
        calls[1].cancel()
        # The person has signed in there again.
        await asyncio.sleep(1)
        async with by_hand(served, agent_token(sid="s2"), "push") as later:
            await later.begin()


async def test_the_server_gets_no_token_of_an_application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = agent_token()
    async with (
        running() as server,
        overheard(server.address) as (address, heard),
        app_house(tmp_path, monkeypatch, far={"url": address}) as served,
        by_hand(served, secret, "far") as agent,
    ):
        await agent.begin()
        await agent.result("tools/list")
        sent = b"".join(heard)
        assert b"tools/list" in sent
        assert secret.encode() not in sent
        assert b"\nauthorization:" not in sent.lower()


async def test_a_person_ends_an_agent_among_the_sign_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with (
        app_house(tmp_path, monkeypatch, echoing=entry("echoing")) as served,
        served.client() as root,
        by_hand(served, agent_token(iat=int(time()) - 5), "echoing") as agent,
    ):
        await agent.send("tools/list")
        (user,) = [each for each in (await root.json("GET", "/users"))["users"] if each.get("subject") == "ada"]
        (session,) = (await root.json("GET", f"/users/{user['id']}/sign-ins"))["sign_ins"]
        assert (session["embedder"], session["agent"]) == ("chat", "travel")
        await root.delete(f"/users/{user['id']}/sign-ins/{session['id']}")
        assert (await agent.send("tools/list")).status_code == 401
