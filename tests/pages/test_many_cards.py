"""The list of the inbox: its order, groups and filter; of too many, the first are there and the others are counted."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from tests.answering import answer
from tests.house import TOKEN, settings
from webclient.domain.model import (
    LOCAL_USER,
    Action,
    Call,
    CallContext,
    CallKind,
    CallState,
    InputRequest,
    Origin,
    Requester,
    Server,
)
from webclient.runtime.app import create_app
from webclient.services import Services
from webclient.store import Changes
from webclient.store.changes import UserChanges
from webclient.store.live import Event, Gap
from webclient.web.http import templating
from webclient.web.pages import open_page, stream
from webclient.web.pages.calls.call_pages import requests_of
from webclient.web.pages.confirmation import OpenWork, read_open_work
from webclient.web.pages.inbox import drafts, inbox_entries
from webclient.web.pages.inbox.cards import PendingCard
from webclient.web.pages.open_page import OpenPage
from webclient.web.pages.stream import Viewer

pytestmark = pytest.mark.anyio

SHOWN = 3
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
async def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FastAPI]:
    for module in (inbox_entries, open_page):
        monkeypatch.setattr(module, "ROWS_SHOWN", SHOWN)
    app = create_app(settings(tmp_path))
    async with app.router.lifespan_context(app):
        yield app


@pytest.fixture
async def services(app: FastAPI) -> Services:
    services: Services = app.state.services
    return services


@pytest.fixture
async def request_ids(services: Services) -> list[str]:
    """The ids of five pending requests, oldest first."""
    requests = [a_request(number) for number in range(SHOWN + 2)]
    for request in requests:
        await services.store.of(request.user_id).requests.add(request)
    return [request.id for request in requests]


def a_request(number: int) -> InputRequest:
    return InputRequest(
        user_id=LOCAL_USER,
        server_id="s1",
        kind="form",
        params={"message": f"Question {number}", "requestedSchema": {"type": "object", "properties": {}}},
        asked_by=Requester(label="server", address="http://127.0.0.1"),
        created_at=BEGINNING + timedelta(seconds=number),
    )


def a_call(**values: Any) -> Call:
    fields = {"server_id": "s1", "server_label": "server", "kind": CallKind.TOOL, "name": "ask"}
    return Call(**{"user_id": LOCAL_USER, "state": CallState.DONE, **fields, **values})


async def stream_text(services: Services, *events: Event | Gap, subject: str = "") -> str:
    """Return what an inbox that shows the request `subject` gets for these events."""
    viewer = Viewer(OpenPage(services, LOCAL_USER, "inbox", subject, BEGINNING))
    return "".join([html async for html in viewer.updates(events)])


async def fetched(app: FastAPI, path: str, **headers: str) -> httpx2.Response:
    headers |= {"Authorization": f"Bearer {TOKEN}"}
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", headers=headers) as client:
        return await client.get(path, follow_redirects=True)


async def inbox(app: FastAPI, path: str = "/") -> str:
    return (await fetched(app, path)).text


def cards(html: str) -> list[str]:
    return re.findall(r'<article class="card" id="request-(\w+)"', html)


def rows(html: str) -> list[str]:
    """Return the ids of the questions in the list that wait."""
    return re.findall(r'id="row-(\w+)" data-state="pending"', html)


def done_count(page: str) -> str:
    return page.partition('id="done-count">')[2].partition("<")[0]


async def test_a_snapshot_has_the_oldest_and_counts_the_rest(services: Services, request_ids: list[str]) -> None:
    html = await stream_text(services, Gap("1-1"))
    assert rows(html) == request_ids[:SHOWN]
    assert cards(html) == []
    assert "2 more questions wait." in html
    assert "5 questions wait</span>" in html


async def test_the_page_has_rows_in_order_and_the_card_of_the_first(app: FastAPI, request_ids: list[str]) -> None:
    page = await inbox(app)
    assert rows(page) == request_ids[:SHOWN]
    assert cards(page) == request_ids[:1]
    assert "2 more questions wait." in page


async def test_a_deadline_comes_before_age(app: FastAPI, services: Services, request_ids: list[str]) -> None:
    deadlines = [BEGINNING + timedelta(days=40_000 + n) for n in (2, 1)]
    urgent = [replace(a_request(10 + n), expires_at=deadline) for n, deadline in enumerate(deadlines)]
    for request in urgent:
        await services.store.of(LOCAL_USER).requests.add(request)
    assert rows(await inbox(app)) == [urgent[1].id, urgent[0].id, request_ids[0]]


async def test_requests_of_a_call_stand_together(app: FastAPI, services: Services, request_ids: list[str]) -> None:
    during = CallContext(kind=CallKind.TOOL, name="book_trip")
    # The second is not among the first of all, but comes with its call.
    for place, number in enumerate((-1, 20), start=1):
        request = replace(a_request(number), call_id="c1", during=during, total=2, position=place, origin=Origin.ROUND)
        await services.store.of(LOCAL_USER).requests.add(request)
    page = await inbox(app)
    group = page.partition('id="entry-c1"')[2].partition("</li>")[0]
    assert "book_trip" in group
    assert "2 questions" in group
    [first, second] = rows(group)
    assert first not in request_ids
    await answer(services.inbox, LOCAL_USER, first, Action.ACCEPT)
    assert rows((await inbox(app)).partition('id="entry-c1"')[2]) == []
    await services.store.of(LOCAL_USER).requests.add(replace(a_request(-2), call_id="c1", during=during))
    html = await stream_text(services, Event("1-1", "request", first))
    changed = html.partition('id="entry-c1"')[2].partition("</li>")[0]
    assert "1 of 3 saved" in changed
    assert rows(changed)[1:] == [second]
    assert f'id="row-{first}" data-state="saved"' in changed
    assert f'id="done-{first}"' not in html


async def test_the_filter_has_the_requests_of_one_server(
    app: FastAPI, services: Services, request_ids: list[str]
) -> None:
    other = replace(a_request(7), server_id="s2")
    await services.store.of(LOCAL_USER).requests.add(other)
    page = await inbox(app, "/?server=s2")
    assert rows(page) == [other.id]
    assert f'href="/requests/{other.id}?server=s2"' in page
    assert done_count(page) == ""
    assert "more question" not in page
    viewer = Viewer(OpenPage(services, LOCAL_USER, "inbox", "", BEGINNING, filter="s2"))
    events = [Event("1-1", "request", each) for each in (request_ids[0], other.id)]
    assert rows("".join([html async for html in viewer.updates(events)])) == [other.id]
    for request_id in (request_ids[0], other.id):
        await answer(services.inbox, LOCAL_USER, request_id, Action.DECLINE)
    page = await inbox(app, "/?server=s2")
    assert done_count(page) == "1"
    assert f'id="done-{other.id}"' in page
    later = [Event("1-2", "request", each) for each in (request_ids[0], other.id)]
    html = "".join([html async for html in viewer.updates(later)])
    assert '<hx-partial hx-target="#done-count" hx-swap="textContent">1<' in html
    assert done_count(await inbox(app)) == "2"


async def test_a_filter_of_any_text_stays_in_addresses(app: FastAPI, request_ids: list[str]) -> None:
    path = f"/requests/{request_ids[0]}?server=%E6%97%A5%0D%0A%26x"
    shown = await fetched(app, path, **{"HX-Request": "true"})
    assert (shown.status_code, shown.headers["hx-push-url"]) == (200, path)
    assert f'href="/requests/{request_ids[0]}/next?server=%E6%97%A5%0D%0A%26x"' in shown.text


async def test_the_next_request_follows_in_the_list(app: FastAPI, services: Services, request_ids: list[str]) -> None:
    await answer(services.inbox, LOCAL_USER, request_ids[1], Action.DECLINE)
    assert cards(await inbox(app, f"/requests/{request_ids[1]}/next")) == [request_ids[2]]
    for request_id in (request_ids[0], *request_ids[2:]):
        await answer(services.inbox, LOCAL_USER, request_id, Action.DECLINE)
    assert cards(await inbox(app, f"/requests/{request_ids[1]}/next")) == []


async def test_one_event_renders_a_row_once_for_all_open_pages(
    services: Services, request_ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []
    render_text = templating.render_text

    def count(name: str, **context: Any) -> str:
        rendered.append(name)
        return render_text(name, **context)

    monkeypatch.setattr(templating, "render_text", count)
    event = Event("1-1", "request", request_ids[0])
    # Pages that show another request beside the list share all of it.
    pages = await asyncio.gather(*(stream_text(services, event, subject=f"other {n}") for n in range(4)))
    with_card = await stream_text(services, event, subject=request_ids[0])
    for html in [*pages, with_card]:
        assert rows(html) == [request_ids[0]]
        assert 'hx-target="#announce"' in html
    assert [cards(html) for html in pages] == [[]] * 4
    assert cards(with_card) == [request_ids[0]]
    assert rendered == ["requests/_entry.html", "requests/kinds/form.html"]


async def test_a_shared_card_says_when_it_is_shown(services: Services, request_ids: list[str]) -> None:
    """A card that was rendered before, and is shown in the place of another, still refuses a second click."""
    moments = []
    for _page in range(2):
        [card, *_more] = await drafts.cards_of(services, LOCAL_USER, [a_request(0)])
        card = replace(card, request=replace(card.request, id=request_ids[0]))
        assert isinstance(card, PendingCard)
        found = re.search(r'name="shown" value="(\d+)"', card.rendered)
        assert found
        moments.append(int(found[1]))
        await asyncio.sleep(0.01)
    assert moments[0] < moments[1]


async def test_open_pages_that_show_the_same_read_an_event_once(
    services: Services, request_ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[Collection[str]] = []
    read = UserChanges.read_listed

    async def count(changes: UserChanges, ids: Collection[str], calls: Collection[str]) -> Changes:
        reads.append(ids)
        return await read(changes, ids, calls)

    monkeypatch.setattr(UserChanges, "read_listed", count)
    event = Event("1-1", "request", request_ids[0])
    await asyncio.gather(*(stream_text(services, event) for _page in range(4)))
    assert reads == [{request_ids[0]}]


async def test_the_page_of_a_server_reads_nothing_for_a_call(services: Services) -> None:
    viewer = Viewer(OpenPage(services, LOCAL_USER, "server", "s1", BEGINNING))
    [message] = [each async for each in stream.messages_for(viewer, [Event("1-1", "call", "c1")])]
    assert (message.id, message.data) == ("1-1", None)


async def test_a_request_behind_the_shown_ones_is_only_counted(services: Services, request_ids: list[str]) -> None:
    html = await stream_text(services, Event("1-1", "request", request_ids[-1]))
    assert rows(html) == []
    assert "2 more questions wait." in html


async def test_when_one_is_settled_the_next_moves_up(services: Services, request_ids: list[str]) -> None:
    await answer(services.inbox, LOCAL_USER, request_ids[0], Action.DECLINE)
    html = await stream_text(services, Event("1-1", "request", request_ids[0]), subject=request_ids[0])
    assert f'id="outcome-{request_ids[0]}"' in html
    assert f'id="entry-{request_ids[0]}" data-section="gone"' in html
    assert f'id="done-{request_ids[0]}"' in html
    assert rows(html) == [request_ids[SHOWN]]
    assert "1 more question waits." in html


async def test_late_events_lose_no_request(services: Services, request_ids: list[str]) -> None:
    for settled in request_ids[:2]:
        await answer(services.inbox, LOCAL_USER, settled, Action.DECLINE)
    first = await stream_text(services, Event("1-1", "request", request_ids[0]))
    second = await stream_text(services, Event("1-2", "request", request_ids[1]))
    assert {*rows(first), *rows(second)} == set(request_ids[SHOWN:])
    assert "more question" not in second


async def test_the_page_of_a_call_has_its_own_requests(services: Services) -> None:
    call = a_call(created_at=BEGINNING, updated_at=BEGINNING + timedelta(seconds=5))
    await services.store.of(call.user_id).calls.add(call)
    own, unknown = replace(a_request(1), call_id=call.id), a_request(2)
    for request in (own, unknown, *(replace(a_request(n), call_id="another") for n in range(10, 1010))):
        await services.store.of(request.user_id).requests.add(request)
    assert [each.id for each in await requests_of(services, call)] == [own.id, unknown.id]


async def test_all_open_work_is_counted_before_disconnecting(services: Services) -> None:
    server = Server(id="s1", user_id=LOCAL_USER, label="server", transport={"type": "http", "url": "http://127.0.0.1"})
    for number in range(201):
        await services.store.of(LOCAL_USER).calls.add(a_call(state=CallState.INPUT_REQUIRED))
        await services.store.of(LOCAL_USER).requests.add(a_request(number))
    assert await read_open_work(services, server) == OpenWork(requests=201, calls=201)


async def test_a_snapshot_has_the_shown_request_as_it_is(services: Services, request_ids: list[str]) -> None:
    assert cards(await stream_text(services, Gap("1-1"), subject=request_ids[0])) == [request_ids[0]]
    await answer(services.inbox, LOCAL_USER, request_ids[0], Action.DECLINE)
    html = await stream_text(services, Gap("1-1"), subject=request_ids[0])
    assert cards(html) == []
    assert f'id="outcome-{request_ids[0]}"' in html
    assert f'id="done-{request_ids[0]}"' in html
