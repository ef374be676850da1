"""Servers are tried before they are saved: from the form, or from a pasted mcp.json, against real servers."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.mcp_servers import running
from tests.pages.person import Person
from tests.program import Api, Program, program
from webclient.domain.model import ReasonCode, Server, ServerState, ServerStatus
from webclient.web.http.templating import render_text
from webclient.web.pages.page_context import ServerRow

pytestmark = pytest.mark.anyio

NOWHERE = "http://127.0.0.1:9/mcp"


@pytest.fixture(scope="module")
async def address(anyio_backend: str) -> AsyncIterator[str]:  # noqa: ARG001
    async with running() as asker:
        yield asker.address


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with program(tmp_path_factory.mktemp("adding"), servers={}) as served:
        yield served


@pytest.mark.parametrize("state", list(ServerState))
def test_the_navigation_has_a_line_for_trouble_only(state: ServerState) -> None:
    server = Server(user_id="ada", label="it", transport={"type": "http", "url": "http://127.0.0.1/"})
    row = ServerRow(server=server, status=ServerStatus(state=state), waiting=0)
    shown = render_text("servers/_sidebar_row.html", row=row, current=False)
    # Rows below it would move when the first connection is there.
    is_hidden = state in (ServerState.CONNECTING, ServerState.CONNECTED)
    assert ("server-link__state visually-hidden" in shown) is is_hidden


async def labels(api: Api) -> set[str]:
    return {server["label"] for server in (await api.json("GET", "/servers"))["servers"]}


def reasons(page: str) -> list[str]:
    return re.findall(r'data-reason="([^"]+)"', page)


async def test_a_server_that_answers_is_saved_and_connected(api: Api, person: Person, address: str) -> None:
    added = await person.submit("/servers", label="Works", url=address)
    page = await person.page(added.headers["location"])
    assert 'id="flash"' in page
    assert "Connected to Works: " in page
    assert 'id="flash"' not in await person.page(added.headers["location"])
    assert (await api.json("GET", f"/servers/{await api.server('Works')}"))["state"] == "connected"


async def test_a_server_that_does_not_answer_is_saved_if_wanted(api: Api, person: Person) -> None:
    typed: dict[str, Any] = {"label": "Nobody", "url": NOWHERE, "headers": "X-Key: abc"}
    page = (await person.submit("/servers", 422, **typed)).text
    assert reasons(page) == [ReasonCode.NOTHING_LISTENS]
    for value in ('value="Nobody"', f'value="{NOWHERE}"', "X-Key: abc"):
        assert value in page
    assert "Nobody" not in await labels(api)
    await person.submit("/servers", **typed, save="anyway")
    assert "Nobody" in await labels(api)


async def test_a_wrong_path_suggests_another_that_one_click_tries(api: Api, person: Person, address: str) -> None:
    wrong = address.removesuffix("/mcp")
    page = (await person.submit("/servers", 422, label="Path", url=wrong)).text
    assert f'name="address" value="{address}"' in page
    await person.submit("/servers", label="Path", url=wrong, address=address)
    assert "Path" in await labels(api)


async def test_a_pasted_entry_becomes_a_server(api: Api, person: Person, address: str) -> None:
    await person.submit("/servers", label="", url=json.dumps({"mcpServers": {"Pasted": {"url": address}}}))
    assert "Pasted" in await labels(api)


async def test_a_server_without_a_name_names_itself(api: Api, person: Person, address: str) -> None:
    host = address.removeprefix("http://").removesuffix("/mcp")
    # The second time the name is taken, and two servers must not look alike.
    for url, label in ((host + "/mcp", "Asker"), (json.dumps({"url": address}), host)):
        added = await person.submit("/servers", label=" ", url=url)
        assert f"Connected to {label}: " in await person.page(added.headers["location"])
        assert label in await labels(api)


async def test_a_server_that_is_not_tried_is_named_by_host(api: Api, person: Person) -> None:
    await person.submit("/servers", label="", url=NOWHERE, save="anyway")
    assert "127.0.0.1:9" in await labels(api)


async def test_pasted_servers_that_answer_are_saved(api: Api, person: Person, address: str) -> None:
    entries = {"One": {"url": address}, "Two": {"url": NOWHERE}, "Three": {"command": "npx"}}
    page = (await person.submit("/servers", 422, url=json.dumps({"mcpServers": entries}))).text
    assert reasons(page) == [ReasonCode.NOTHING_LISTENS]
    assert "“Three” runs a command" in page
    # The sentence on the failed one names it, as there are others.
    assert re.search('data-reason="[^"]*"><strong><bdi lang="">Two<', page)
    assert f'value="{NOWHERE}"' in page
    assert {"One", "Two", "Three"} & await labels(api) == {"One"}


async def test_each_wrong_address_has_its_error_at_the_field(person: Person) -> None:
    for url in ("", "ftp://a", "{", json.dumps({"a": {"command": "npx"}})):
        page = (await person.submit("/servers", 422, label="x", url=url)).text
        assert 'id="add-url-error"' in page, url
        assert page.count("autofocus") == 1


async def test_removing_asks_first_and_says_so_after(api: Api, person: Person) -> None:
    await person.submit("/servers", label="Gone", url=NOWHERE, save="anyway")
    [server] = [each for each in (await api.json("GET", "/servers"))["servers"] if each["label"] == "Gone"]
    path = f"/servers/{server['id']}/delete"
    assert "button--destroy" in (await person.submit(path, 409)).text
    removed = await person.submit(path, confirmed="1")
    assert "Removed “Gone”." in await person.page(removed.headers["location"])
    assert "Gone" not in await labels(api)
