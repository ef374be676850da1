"""The wire log in pages and API: the log of a server and of a call, filters, whole messages, export and stream."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from html import unescape
from typing import Any

import pytest

from tests.mcp_servers import running, stdio
from tests.pages.person import Person, messages, until
from tests.program import Api, Program, program

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with running() as asker:
        servers = {"push": {"url": asker.address, "era": "2025-11-25"}, "attacker": stdio("attacker")}
        async with program(tmp_path_factory.mktemp("log"), servers=servers) as served:
            yield served


@pytest.fixture
async def api(served: Program) -> AsyncIterator[Api]:
    async with served.client() as api:
        await api.server("push")
        yield api


async def done(api: Api, **arguments: Any) -> Any:
    call = await api.call("push", "ask_form", arguments)
    [request] = await api.pending_requests(call)
    await api.answer(request, action="decline")
    return await api.in_state(call, "done")


async def exported(api: Api, path: str, **query: Any) -> list[Any]:
    response = await api.get(f"{path}/log.jsonl", params=query)
    assert response.headers["content-type"] == "application/jsonl"
    assert response.headers["content-disposition"] == 'attachment; filename="log.jsonl"'
    return [json.loads(line) for line in response.text.splitlines()]


def rows(page: str) -> list[str]:
    return re.findall(r'id="wire-(\d+)"', page)


@pytest.mark.slow
async def test_page_and_export_of_a_call_show_the_same(api: Api, person: Person) -> None:
    call = await done(api, message="Shall I?")
    lines = await exported(api, f"/calls/{call['id']}")
    page = await person.page(f"/calls/{call['id']}/log")
    assert rows(page) == [str(line["number"]) for line in lines]
    assert [line["method"] for line in lines] == ["tools/call", "elicitation/create"] * 2 or len(lines) == 4
    assert "Shall I?" in page
    assert {line["direction"] for line in lines} == {"sent", "received"}
    assert lines[-1]["answers"] == lines[0]["number"]


async def test_a_part_of_the_log_is_the_list_alone(api: Api, served: Program) -> None:
    call = await done(api)
    async with Person(served, htmx=True) as browser:
        part = await browser.page(f"/calls/{call['id']}/log?part=messages")
        whole = await browser.page(f"/calls/{call['id']}/log")
    assert rows(part) == rows(whole) != []
    assert ("<form" in part, "<form" in whole) == (False, True)
    assert unescape(part).count(f"/calls/{call['id']}/log/stream?seen=") == 1


async def test_filters_narrow_page_and_export(api: Api, person: Person) -> None:
    call = await done(api, message="A needle in the hay")
    path = f"/calls/{call['id']}"
    by_method = await exported(api, path, method="elicitation/create", direction="received")
    assert [line["message"]["params"]["message"] for line in by_method] == ["A needle in the hay"]
    assert len(await exported(api, path, q="NEEDLE", direction="received")) == 1
    assert await exported(api, path, q="not there") == []
    assert len(rows(await person.page(f"{path}/log?q=needle&direction=received"))) == 1
    assert rows(await person.page(f"{path}/log?direction=sideways&before=x&after=-1"))
    await api.json("GET", f"{path}/log.jsonl?direction=sideways", 422)


async def test_the_stream_sends_new_messages_of_its_log_only(api: Api, person: Person) -> None:
    server_id = await api.server("push")
    first = await done(api)
    page = await person.page(f"/calls/{first['id']}/log")
    assert unescape(page).count(f"/calls/{first['id']}/log/stream?seen=") == 1
    page = await person.page(f"/servers/{server_id}/log?method=tools/call")
    found = re.search(r'data-stream="(/servers/[^"]+)"', page)
    assert found
    async with person.stream("GET", unescape(found[1])) as stream:
        call = await done(api, message="Pushed?")
        news = await until(messages(stream), "Result of request")
    assert 'hx-target="#wire-log-messages" hx-swap="once"' in news
    assert f"/calls/{call['id']}" in news
    assert f"/calls/{first['id']}" not in news
    assert "elicitation/create" not in news


async def test_a_stream_with_a_foreign_cursor_starts_again(api: Api, person: Person) -> None:
    call = await done(api)
    async with person.stream("GET", f"/calls/{call['id']}/log/stream?seen=elsewhere-500") as stream:
        news = await until(messages(stream), "tools/call")
    assert '<hx-partial hx-target="#wire-log-messages" hx-swap="innerHTML">' in news


async def test_one_whole_message_has_a_page(api: Api, person: Person) -> None:
    long = "x" * 20_000
    call = await done(api, message=long)
    page = await person.page(f"/calls/{call['id']}/log")
    assert long not in page
    number = (await exported(api, f"/calls/{call['id']}"))[1]["number"]
    assert long in await person.page(f"/servers/{call['server_id']}/log/{number}")
    await person.page(f"/servers/{call['server_id']}/log/999999", 404)


async def test_the_log_can_be_cleared(api: Api, person: Person) -> None:
    await done(api)
    server_id = await api.server("push")
    await person.submit(f"/servers/{server_id}/log/clear")
    page = await person.page(f"/servers/{server_id}/log")
    assert rows(page) == []
    assert "removed to limit memory use" in page
    await done(api)
    assert rows(await person.page(f"/servers/{server_id}/log"))


async def test_tabs_beside_the_log_count_known_entries_only(api: Api, person: Person) -> None:
    server_id = await api.server("attacker")
    assert "tabs__count" not in await person.page(f"/servers/{server_id}/log")
    await person.page(f"/servers/{server_id}/tools")
    assert "tabs__count" in await person.page(f"/servers/{server_id}/log")


@pytest.mark.parametrize("path", ["/servers/unknown/log", "/calls/unknown/log", "/servers/unknown/log/1"])
async def test_the_log_of_an_unknown_subject_is_not_found(api: Api, person: Person, path: str) -> None:
    await person.page(path, 404)
    await person.page(f"{path}/stream", 404)
    await api.json("GET", f"{path}.jsonl", 404)
