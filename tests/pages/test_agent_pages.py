"""The page of agents, whose lines lead to the right server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.mcp_servers import ROOT
from tests.two_users import two_users
from webclient.domain.model import Server
from webclient.web.pages.users.agent_pages import _last_part, lines_of_programs

URL = "https://inbox.example/mcp/trips"


def a_server(server_id: str, label: str, name: str | None = None) -> Server:
    """Return a server."""
    return Server(id=server_id, user_id="ada", label=label, name=name, transport={})


def test_an_address_ends_with_the_label_if_that_is_clear() -> None:
    trips, twin, other = a_server("1", "My Trips!"), a_server("2", "my trips"), a_server("3", "Köln")
    assert _last_part(trips, [trips, other]) == "my-trips"
    assert [_last_part(each, [trips, twin, other]) for each in (trips, twin, other)] == ["1", "2", "3"]
    # The name of another server comes before a label.
    assert _last_part(trips, [trips, a_server("4", "Else", "my-trips")]) == "1"


def test_the_lines_of_a_config_file_are_json_with_the_address() -> None:
    lines = lines_of_programs("trips", URL)
    desktop = json.loads(lines["Claude Desktop"][1])["mcpServers"]["trips"]
    assert (desktop["args"], desktop["env"]) == (["stdio", "--url", URL], {"WEBCLIENT_AGENT_TOKEN": "TOKEN"})
    assert json.loads(lines["Cursor"][1])["mcpServers"]["trips"]["url"] == URL
    assert json.loads(lines["VS Code"][1])["servers"]["trips"]["type"] == "http"
    assert all(URL in text and "TOKEN" in text for _, text in lines.values())


@pytest.mark.parametrize(
    ("program", "example"),
    [
        ("OpenAI Agents SDK", "openai-agents/agent.py"),
        ("LangChain", "langchain/agent.py"),
        ("pydantic-ai", "pydantic-ai/agent.py"),
        ("CrewAI", "crewai/agent.py"),
        ("FastMCP", "fastmcp/agent.py"),
        ("Vercel AI SDK", "vercel/agent.mjs"),
    ],
)
def test_a_framework_has_the_lines_that_its_example_runs(program: str, example: str) -> None:
    imported, used = lines_of_programs("trips", URL)[program][1].splitlines()
    text = (ROOT / "examples/agents" / example).read_text("utf-8")
    assert imported in text
    assert used.partition("(")[0] + "(" in text


@pytest.mark.anyio
async def test_the_page_has_the_servers_of_its_user_alone(tmp_path: Path) -> None:
    async with two_users(tmp_path) as users:
        (server,) = await users.services.store.of(users.ada).servers.all()
        async with users.client("ada") as ada, users.client("bob") as bob:
            own, other = [await each.get(f"/agents?server={server.id}") for each in (ada, bob)]
    assert own.status_code == other.status_code == 200
    assert "lines-1" in own.text
    assert "lines-1" not in other.text


@pytest.mark.anyio
async def test_the_link_to_a_new_token_chooses_the_scope(tmp_path: Path) -> None:
    async with two_users(tmp_path) as users, users.client("ada") as ada:
        page = (await ada.get("/tokens?scope=gateway")).text
        assert 'value="gateway" checked' in page
        assert 'value="ask" checked' not in page
        assert 'value="ask" checked' in (await ada.get("/tokens?scope=nothing")).text


@pytest.mark.anyio
async def test_only_administrators_learn_of_tokens_for_others(tmp_path: Path) -> None:
    async with two_users(tmp_path) as users, users.client("ada") as ada, users.client("root") as root:
        await root.post("/api/v1/servers", json={"label": "Trips", "transport": {"type": "http", "url": URL}})
        pages = [(await each.get("/agents")).text for each in (ada, root)]
    assert ["for-others" in page for page in pages] == [False, True]
