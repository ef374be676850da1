"""A user reaches nothing of another one, by any route or stream; neither do administrators, programs and frames."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.house import PATIENCE
from tests.two_users import DOCUMENT, MARK, STREAMS, Route, TwoUsers, closed, table, two_users, written
from tests.walkers import ADA, BOB
from webclient.domain.model import Server

pytestmark = pytest.mark.anyio


@pytest.fixture
async def users(tmp_path: Path) -> AsyncIterator[TwoUsers]:
    async with two_users(tmp_path) as users:
        yield users


async def test_no_route_gives_a_row_of_another_user(users: TwoUsers) -> None:
    before = await everything(users)
    for walker in users.walkers:
        for route, answer in (await users.answers(walker, closed(users))).items():
            if route.names_a_row:
                assert answer.status_code in ({303, 401, 403} if route in OVER else {401, 403, 404}), (walker, route)
            shown = answer.text.replace(str(answer.request.url.params), "")
            # Administrators see users by their ids, and nothing of theirs.
            hidden = [MARK] if route.is_for_admins else [MARK, users.ada]
            assert not [each for each in hidden if each in shown], (walker, route)
    assert await everything(users) == before


OVER = [Route("GET", "/sign-ins/{sign_in_id}")]
"""Leads to the inbox, as one does that is over: which of the two it is, is not shown."""


async def everything(users: TwoUsers) -> list[object]:
    """Return all rows of Ada's."""
    hers = users.services.store.of(users.ada)
    found: list[object] = [
        await hers.servers.all(),
        await hers.calls.page(with_results=True),
        await hers.requests.find(),
    ]
    found += [await hers.drafts.find([users.ids["request_id"]]), await hers.sign_ins.all()]
    found += [await hers.tokens.all(), await hers.notices.targets()]
    return [*found, await users.services.store.open_sessions.of(users.ada)]


async def test_the_walk_would_find_them(users: TwoUsers) -> None:
    """Ada herself gets what the walk looks for."""
    for path in ("/", "/servers", "/calls", "/history", "/tokens", "/api/v1/requests", "/api/v1/history.jsonl"):
        assert MARK in (await users.answer(ADA, Route("GET", path))).text, path
    found = [route for route in closed(users) if route.names_a_row and route.method == "GET"]
    found = [route for route in found if not route.path.endswith("/stream")]
    statuses = {route: answer.status_code for route, answer in (await users.answers(ADA, found)).items()}
    assert sum(status == 200 for status in statuses.values()) > len(found) / 2, statuses


async def test_no_stream_tells_of_another_user(users: TwoUsers) -> None:
    async with users.client("bob") as client:
        bob = (await client.get("/api/v1/me")).json()["user_id"]
    pages = ("/stream?page=inbox&id={request_id}", "/stream?page=call&id={call_id}")
    for number, address in enumerate((*STREAMS, *pages)):
        seen = await heard(users, bob, address, f"of-bob-{number}")
        ids = [users.ids[name] for name in users.ids if f"{{{name}}}" not in address]
        assert not [each for each in (MARK, users.ada, *ids) if each.encode() in seen], address


async def heard(users: TwoUsers, bob: str, address: str, label: str) -> bytes:
    """Return what Bob hears of changes of Ada's, until he has added a server."""
    services = users.services
    his = Server(user_id=bob, label=label, transport={"type": "http", "url": "http://127.0.0.1:9/mcp"})
    seen = b""
    async with asyncio.timeout(PATIENCE), users.stream(BOB, address.format(**users.ids)) as sent:
        for kind, name in (("server", "server_id"), ("call", "call_id"), ("request", "request_id")):
            services.hub.publish(users.ada, kind, users.ids[name])  # type: ignore[arg-type]
        services.hub.refresh()
        await services.store.of(bob).servers.add(his)
        services.hub.publish(bob, "server", his.id)
        while label.encode() not in seen:
            seen += await sent.get()
    return seen


async def test_the_table_of_routes_is_true(users: TwoUsers) -> None:
    """Written by `python -m tests.two_users`, which also adds new routes."""
    rows = written(DOCUMENT.read_text("utf-8")).splitlines()
    true = (await table(users)).splitlines()
    assert len(rows) > 100
    assert [row for row in rows if row not in true] == []
