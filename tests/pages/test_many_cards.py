"""An inbox of more questions than it shows: the oldest are there, the rest are counted and move up."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.answering import answer
from tests.house import settings
from webclient import services as webclient_services
from webclient.live import Event, Gap
from webclient.model import (
    LOCAL_USER,
    Action,
    AskedBy,
    Call,
    CallKind,
    CallState,
    InputRequest,
    Server,
    now,
)
from webclient.pages import inbox_pages, open_page
from webclient.pages.call_pages import requests_of
from webclient.pages.confirmation import OpenWork, read_open_work
from webclient.pages.open_page import OpenPage
from webclient.pages.stream import Viewer
from webclient.services import Services

pytestmark = pytest.mark.anyio

SHOWN = 3
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
async def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Services]:
    for module in (inbox_pages, open_page):
        monkeypatch.setattr(module, "CARDS_SHOWN", SHOWN)
    services = webclient_services.build(settings(tmp_path))
    async with webclient_services.running(services):
        yield services


@pytest.fixture
async def asked(services: Services) -> list[str]:
    """The ids of five questions, the oldest first."""
    requests = [question(number) for number in range(SHOWN + 2)]
    for request in requests:
        await services.store.of(request.user_id).requests.add(request)
    return [request.id for request in requests]


def question(number: int) -> InputRequest:
    return InputRequest(
        user_id=LOCAL_USER,
        server_id="s1",
        kind="form",
        params={"message": f"Question {number}", "requestedSchema": {"type": "object", "properties": {}}},
        asked_by=AskedBy(label="server", address="http://127.0.0.1"),
        created_at=BEGINNING + timedelta(seconds=number),
    )


def a_call(**values: Any) -> Call:
    fields = {"server_id": "s1", "server_label": "server", "kind": CallKind.TOOL, "name": "ask"}
    return Call(**{"user_id": LOCAL_USER, "state": CallState.DONE, **fields, **values})


async def told(services: Services, *events: Event | Gap, opened: datetime = BEGINNING) -> str:
    """Return what a new stream of an inbox tells of these events."""
    viewer = Viewer(OpenPage(services, LOCAL_USER, "inbox", "", opened))
    return "".join([html async for html in viewer.updates(events)])


def cards(html: str) -> list[str]:
    return re.findall(r'<article class="card" id="request-(\w+)"', html)


async def test_a_snapshot_has_the_oldest_and_counts_the_rest(services: Services, asked: list[str]) -> None:
    html = await told(services, Gap("1-1"))
    assert cards(html) == asked[:SHOWN]
    assert "2 more questions wait." in html
    assert '<hx-partial hx-target="#inbox-count" hx-swap="textContent">5</hx-partial>' in html


async def test_a_request_behind_the_shown_ones_is_only_counted(services: Services, asked: list[str]) -> None:
    html = await told(services, Event("1-1", "request", asked[-1]))
    assert cards(html) == []
    assert "2 more questions wait." in html


async def test_when_one_is_settled_the_next_moves_up(services: Services, asked: list[str]) -> None:
    await answer(services.inbox, LOCAL_USER, asked[0], Action.DECLINE)
    html = await told(services, Event("1-1", "request", asked[0]))
    assert f'id="outcome-{asked[0]}"' in html
    assert cards(html) == [asked[SHOWN]]
    assert "1 more question waits." in html


async def test_late_events_lose_no_request(services: Services, asked: list[str]) -> None:
    for settled in asked[:2]:
        await answer(services.inbox, LOCAL_USER, settled, Action.DECLINE)
    first = await told(services, Event("1-1", "request", asked[0]))
    second = await told(services, Event("1-2", "request", asked[1]))
    assert {*cards(first), *cards(second)} == set(asked[SHOWN:])
    assert "more question" not in second


async def test_the_page_of_a_call_has_its_own_requests(services: Services) -> None:
    call = a_call(created_at=BEGINNING, updated_at=BEGINNING + timedelta(seconds=5))
    await services.store.of(call.user_id).calls.add(call)
    own, unknown = replace(question(1), call_id=call.id), question(2)
    for request in (own, unknown, *(replace(question(n), call_id="another") for n in range(10, 1010))):
        await services.store.of(request.user_id).requests.add(request)
    assert [each.id for each in await requests_of(services, call)] == [own.id, unknown.id]


async def test_all_open_work_is_counted_before_disconnecting(services: Services) -> None:
    server = Server(id="s1", user_id=LOCAL_USER, label="server", transport={"type": "http", "url": "http://127.0.0.1"})
    for number in range(201):
        await services.store.of(LOCAL_USER).calls.add(a_call(state=CallState.INPUT_REQUIRED))
        await services.store.of(LOCAL_USER).requests.add(question(number))
    assert await read_open_work(services, server) == OpenWork(questions=201, calls=201)


async def test_a_snapshot_folds_requests_settled_since_the_page(services: Services, asked: list[str]) -> None:
    opened = now()
    await answer(services.inbox, LOCAL_USER, asked[0], Action.DECLINE)
    assert f'id="outcome-{asked[0]}"' in await told(services, Gap("1-1"), opened=opened)
    assert f'id="outcome-{asked[0]}"' not in await told(services, Gap("1-1"), opened=now())
