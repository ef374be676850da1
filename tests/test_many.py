"""Fifty connections and hundreds of calls in flight: nothing is lost, and pages and API stay usable meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.load import answer, ask, connected, follow, many_servers
from tests.mcp_servers import running
from tests.pages.person import Person
from tests.program import program
from webclient.web.pages.inbox.inbox_entries import ROWS_SHOWN

pytestmark = pytest.mark.anyio

CONNECTIONS = 50
CALLS = ROWS_SHOWN + 20


async def test_fifty_connections_and_hundreds_of_calls_lose_nothing(tmp_path: Path) -> None:
    async with (
        running() as asker,
        program(tmp_path, servers=many_servers(asker, CONNECTIONS), forked=False) as served,
        served.client() as api,
        Person(served) as person,
    ):
        servers = await connected(api, CONNECTIONS)
        requests = await ask(api, servers, CALLS)
        assert len({request["call_id"] for request in requests}) == CALLS
        snapshot = await follow(api, "call", lambda newest: len(newest) == CALLS)
        assert {call["id"] for call in snapshot} == {request["call_id"] for request in requests}
        listed = (await api.json("GET", "/requests", params={"state": "pending"}))["requests"]
        assert {each["id"] for each in listed} == {each["id"] for each in requests}
        page = await person.page("/")
        assert page.count('data-state="pending"') == ROWS_SHOWN
        assert f"({CALLS}) Inbox" in page
        assert f"{CALLS - ROWS_SHOWN} more questions wait." in page
        calls = await answer(api, requests)
        answers = {request["call_id"]: request["id"] for request in requests}
        for call in calls:
            assert call["result"]["structuredContent"]["content"] == {"name": answers[call["id"]]}
        assert (await api.json("GET", "/requests", params={"state": "pending"}))["requests"] == []


async def test_hundreds_of_calls_wait_at_one_server_over_http(tmp_path: Path) -> None:
    async with (
        running() as asker,
        program(tmp_path, servers=many_servers(asker, 1), forked=False) as served,
        served.client() as api,
    ):
        [server] = await connected(api, 1)
        requests = await ask(api, [server], 120)
        calls = await answer(api, requests)
        assert len({call["id"] for call in calls}) == 120
