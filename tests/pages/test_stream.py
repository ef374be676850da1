"""The stream of pages: what a page gets when something happens, and when it was away."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any, cast

import httpx2
import pytest

from tests.mcp_servers import entry, running
from tests.pages.person import Person, messages, stream_of, until
from tests.program import PATIENCE, Api, Program, program
from tests.tables import each_row
from webclient.domain.model import LOCAL_USER, now
from webclient.services import Services
from webclient.store.live import Event, Gap, Kind
from webclient.web.pages.open_page import OpenPage, PageName
from webclient.web.pages.stream import Viewer

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with running() as asker:
        servers = {"push": {"url": asker.address, "era": "2025-11-25"}, "tasks": entry("tasks")}
        async with program(tmp_path_factory.mktemp("stream"), servers=servers) as served:
            yield served


@pytest.fixture
async def api(served: Program) -> AsyncIterator[Api]:
    async with served.client() as api:
        await api.server("push")
        yield api


async def pending_request(api: Api, **arguments: Any) -> tuple[Any, Any]:
    call = await api.call("push", "ask_form", arguments)
    return call, (await api.pending_requests(call))[0]


def added(request: Any) -> str:
    return f'<article class="card" id="request-{request["id"]}"'


def row(request: Any) -> str:
    return f'id="row-{request["id"]}" data-state="pending"'


async def test_a_question_comes_into_the_inbox_as_the_row_of_the_page(api: Api, person: Person) -> None:
    page = await person.page("/")
    async with person.stream("GET", stream_of(page)) as stream:
        _call, request = await pending_request(api, message="Now?")
        message = await until(messages(stream), row(request))
    assert '<hx-partial hx-target="#entries" hx-swap="entries">' in message
    assert "New question from push." in message
    assert "<article" not in message
    pushed = message[message.index(row(request)) :].split("</li>")[0]
    shown = await person.page("/")
    loaded = shown[shown.index(row(request)) :].split("</li>")[0]
    assert pushed.split() == loaded.split()


async def test_a_page_that_shows_a_question_gets_its_card(api: Api, person: Person) -> None:
    _call, request = await pending_request(api)
    page = await person.page(f"/requests/{request['id']}")
    path = stream_of(page).replace("since=", "since=0badcafe-")
    async with person.stream("GET", path) as stream:
        message = await until(messages(stream), added(request))
    pushed = message[message.index(added(request)) :].split("</article>")[0]
    loaded = page[page.index(added(request)) :].split("</article>")[0]
    moment = re.compile(r'name="shown" value="\d+"')
    assert moment.sub("", pushed).split() == moment.sub("", loaded).split()


@pytest.mark.parametrize("path", ["/calls/{call}", "/requests/{request}"])
async def test_a_settled_question_folds_wherever_it_is_shown(api: Api, person: Person, path: str) -> None:
    call, request = await pending_request(api)
    page = await person.page(path.format(call=call["id"], request=request["id"]))
    async with person.stream("GET", stream_of(page)) as stream:
        await api.answer(request, action="decline")
        message = await until(messages(stream), "outcome--declined")
    target = f"#request-{request['id']}, #undo-{request['id']}, #outcome-{request['id']}"
    assert f'<hx-partial hx-target="{target}" hx-swap="outerMorph">' in message


async def test_a_page_gets_events_between_reading_and_streaming(api: Api, person: Person) -> None:
    page = await person.page("/")
    _call, request = await pending_request(api)
    async with person.stream("GET", stream_of(page)) as stream:
        await until(messages(stream), row(request))


async def test_last_event_id_comes_before_what_the_page_had_seen(api: Api, person: Person) -> None:
    page = await person.page("/")
    _call, first = await pending_request(api)
    async with person.stream("GET", stream_of(page)) as stream:
        event_id = [event_id async for event_id, data in _through(messages(stream), row(first))][-1]
    _call, second = await pending_request(api)
    async with person.stream("GET", stream_of(page), headers={"Last-Event-ID": event_id}) as stream:
        message = await until(messages(stream), row(second))
    assert row(first) not in message


async def test_a_tab_without_a_stream_asks_for_missed_events_only(api: Api, person: Person) -> None:
    page = await person.page("/")
    _call, request = await pending_request(api)
    path = f"{stream_of(page)}&once=true"
    async with asyncio.timeout(PATIENCE), person.stream("GET", path) as missed:
        bundles = [each async for each in messages(missed)]
    assert row(request) in bundles[-1][1]
    async with (
        asyncio.timeout(PATIENCE),
        person.stream("GET", path, headers={"Last-Event-ID": bundles[-1][0]}) as nothing,
    ):
        assert [each async for each in messages(nothing)] == []


async def test_a_stream_ends_with_the_sign_in_that_opened_it(served: Program) -> None:
    pages, events = "/stream?page=inbox", "/api/v1/events"
    headers = {"Sec-Fetch-Site": "same-origin"}
    async with httpx2.AsyncClient(base_url=served.base, headers=headers, timeout=PATIENCE) as browser:
        await browser.get(served.login)
        async with browser.stream("GET", pages) as one, browser.stream("GET", events) as other:
            assert (await browser.post("/logout")).status_code == 303
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(one.aread(), other.aread())
        for path in (pages, events):
            assert (await browser.get(path)).status_code == 401


async def test_an_idle_stream_says_that_it_is_alive(person: Person) -> None:
    page = await person.page("/")
    async with person.stream("GET", stream_of(page)) as stream, asyncio.timeout(PATIENCE):
        async for line in stream.aiter_lines():
            if line.startswith(":"):
                return


async def test_a_page_of_another_process_gets_a_gentle_snapshot(api: Api, person: Person) -> None:
    _call, request = await pending_request(api)
    async with person.stream("GET", f"/stream?page=inbox&since=0badcafe-7&id={request['id']}") as stream:
        message = await until(messages(stream), added(request))
    assert f'<hx-partial hx-target="#detail-{request["id"]} #cards" hx-swap="innerMorph">' in message
    article = message[message.index(added(request)) :]
    assert "hx-morph-skip" in article[: article.index(">")]


async def test_a_pending_card_learns_that_its_call_has_ended(api: Api, person: Person) -> None:
    call = await api.call("push", "ask_and_return", {"name": "ended"})
    [request] = await api.pending_requests(call)
    path = stream_of(await person.page(f"/requests/{request['id']}"))
    async with person.stream("GET", path) as stream:
        await api.call("push", "release", {"name": "ended"})
        bundle = await until(messages(stream), f'id="reason-{request["id"]}" role="status">The')
    assert f'hx-target="#reason-{request["id"]}" hx-swap="outerMorph"' in bundle
    async with person.stream("GET", path.replace("since=", "since=0badcafe-")) as stream:
        bundle = await until(messages(stream), 'hx-swap="innerMorph"')
    assert f'hx-target="#reason-{request["id"]}" hx-swap="outerMorph"' in bundle
    await api.answer(request, action="decline")


async def test_a_snapshot_folds_requests_settled_meanwhile(api: Api, person: Person) -> None:
    _call, request = await pending_request(api)
    page = await person.page(f"/requests/{request['id']}")
    await api.answer(request, action="cancel")
    path = stream_of(page).replace("since=", "since=0badcafe-")
    async with person.stream("GET", path) as stream:
        await until(messages(stream), f'id="outcome-{request["id"]}"')


async def test_a_call_page_gets_events_of_its_call_only(api: Api, person: Person) -> None:
    call, request = await pending_request(api)
    page = await person.page(f"/calls/{call['id']}")
    async with person.stream("GET", stream_of(page)) as stream:
        other_call, other = await pending_request(api)
        await api.answer(other, action="decline")
        await api.in_state(other_call, "done")
        await api.answer(request, action="accept", content={"name": "Ada"})
        seen = "".join([data async for _id, data in _through(messages(stream), ">Result<")])
    assert f'id="outcome-{request["id"]}"' in seen
    assert f"-{other['id']}" not in seen
    assert f'id="call-result-{other_call["id"]}"' not in seen


async def test_a_server_page_gets_its_tools_once_connected(api: Api, person: Person) -> None:
    push = await api.json("GET", f"/servers/{await api.server('push')}")
    server = await add(api, push["transport"]["url"])
    page = await person.page(f"/servers/{server}")
    assert "Not connected. Connect the server to see its tools." in page
    async with person.stream("GET", stream_of(page)) as stream:
        await api.json("POST", f"/servers/{server}/connect", 202)
        catalog = await until(messages(stream), "ask_form")
    assert f'<hx-partial hx-target="#catalog-{server}" hx-swap="catalog">' in catalog


async def test_an_unreachable_server_says_so_and_a_removed_one_goes(api: Api, person: Person) -> None:
    server = await add(api, "http://127.0.0.1:9/mcp")
    page = await person.page(f"/servers/{server}")
    async with person.stream("GET", stream_of(page)) as stream:
        bundles = messages(stream)
        await api.json("POST", f"/servers/{server}/connect", 202)
        assert f'id="server-head-{server}"' in await until(bundles, "Nothing is listening")
        await person.submit(f"/servers/{server}/delete", confirmed="1")
        assert f'hx-target="#server-{server}, ' in await until(bundles, 'hx-swap="delete"')


async def _through(bundles: AsyncIterator[tuple[str, str]], wanted: str) -> AsyncIterator[tuple[str, str]]:
    async for event_id, data in bundles:
        yield event_id, data
        if wanted in data:
            return


async def add(api: Api, url: str) -> str:
    body = {"label": "new", "transport": {"type": "http", "url": url}}
    return str((await api.json("POST", "/servers", 201, json=body))["id"])


async def test_tasks_of_a_server_appear_and_change_in_their_tab(api: Api, person: Person) -> None:
    server = await api.server("tasks")
    other = await api.call("tasks", "run", {"plain": True})
    page = await person.page(f"/servers/{server}/tasks")
    async with person.stream("GET", stream_of(page)) as stream:
        pushed = messages(stream)
        call = await api.call("tasks", "run", {"taskId": "live"})
        # A call has its task from the moment in which the server has answered.
        added = await until(pushed, f'id="call-{call["id"]}"')
        assert 'hx-target="#calls" hx-swap="once at:start"' in added
        await api.call("tasks", "tell", {"id": "live", "state": {"status": "completed", "result": {"content": []}}})
        ended = await until(pushed, 'data-status="completed"')
    assert f'id="call-{other["id"]}"' not in added + ended
    loaded = await person.page(f"/servers/{server}/tasks")
    assert loaded.count('<a class="row call-row"') == 1
    shown = await person.page("/history")
    [entry] = re.findall(rf'<details class="entry" id="entry-{call["id"]}">.*?</details>', shown, re.DOTALL)
    assert '<code dir="auto" lang="">live</code>' in entry
    [plain] = re.findall(rf'<details class="entry" id="entry-{other["id"]}">.*?</details>', shown, re.DOTALL)
    assert '<code dir="auto"' not in plain
    async with person.stream("GET", stream_of(page).replace("since=", "since=0badcafe-")) as stream:
        assert f'id="call-{call["id"]}"' in await until(messages(stream), 'hx-target="#calls" hx-swap="innerMorph"')


async def test_log_messages_of_a_server_appear_in_its_log(api: Api, person: Person) -> None:
    server = await api.server("push")
    page = await person.page(f"/servers/{server}/log")
    path = stream_of(page)
    async with person.stream("GET", path) as stream:
        await api.in_state(await api.call("push", "log", {"text": "<b>Live"}), "done")
        message = await until(messages(stream), "&lt;b&gt;Live")
    assert 'hx-target="#server-messages" hx-swap="outerMorph"' in message
    async with asyncio.timeout(PATIENCE), person.stream("GET", f"{path}&once=true") as missed:
        assert any("&lt;b&gt;Live" in data for _id, data in [each async for each in messages(missed)])


async def test_programs_get_no_events_of_log_messages(api: Api, person: Person) -> None:
    server = await api.server("push")
    path = stream_of(await person.page(f"/servers/{server}/log"))
    async with api.stream("GET", "/events") as events:
        async with person.stream("GET", path) as stream:
            await api.in_state(await api.call("push", "log", {"text": "For people"}), "done")
            await until(messages(stream), "For people")
        await api.json("PATCH", f"/servers/{server}", json={"label": "renamed"})
        kinds = []
        async with asyncio.timeout(PATIENCE):
            async for line in events.aiter_lines():
                kinds += [line.removeprefix("event: ")] if line.startswith("event: ") else []
                if '"label":"renamed"' in line.replace(": ", ":"):
                    break
        # Not earlier: an event shows the server as it is when the event is read.
        await api.json("PATCH", f"/servers/{server}", json={"label": "push"})
    assert "call" in kinds
    assert "log" not in kinds


@each_row(
    ("name", "kind", "subject", "waits"),
    [
        ("inbox", "request", "1", False),
        ("call", "request", "1", False),
        ("embed", "request", "1", False),
        ("demo", "request", "1", False),
        ("calls", "request", "1", True),
        ("server", "request", "1", True),
        ("history", "request", "1", True),
        ("other", "request", "1", True),
        ("inbox", "call", "1", True),
        ("inbox", "server", "1", True),
        ("call", "call", "here", False),
        ("server", "server", "here", False),
        ("server", "log", "1", False),
        ("call", "sampling", "1", False),
        ("other", "visibility", "", False),
    ],
)
def test_a_page_waits_only_for_what_it_does_not_show(name: PageName, kind: Kind, subject: str, waits: bool) -> None:
    page = OpenPage(cast("Services", None), LOCAL_USER, name, "here", now())
    assert Viewer(page).may_wait([Event("e-1", kind, subject)]) is waits
    assert not Viewer(page).may_wait([Event("e-1", kind, subject), Gap("e-2")])
