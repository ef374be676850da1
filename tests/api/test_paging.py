"""The API lists everything, however much there is: page by page, each thing once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from tests.program import Api, program
from tests.store.rows import a_request
from webclient.domain.model import LOCAL_USER, Call, CallKind, CallState, InputRequest
from webclient.store import Store
from webclient.web.api.calls import MOST as MOST_CALLS
from webclient.web.api.requests import MOST as MOST_REQUESTS

pytestmark = pytest.mark.anyio

TOGETHER = 50
"""The number of requests that came at the same moment, in one round."""

RESULT = {"content": [{"type": "text", "text": "A result may be megabytes."}]}


def a_call(number: int) -> Call:
    state, result = (CallState.INPUT_REQUIRED, None) if number % 2 else (CallState.DONE, RESULT)
    return Call(
        user_id=LOCAL_USER,
        server_id="s1",
        server_label="travel",
        kind=CallKind.TOOL,
        name=f"{number}",
        state=state,
        result=result,
    )


@pytest.fixture(scope="module")
async def filled(
    anyio_backend: str,  # noqa: ARG001
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[Api, list[InputRequest], list[Call]]]:
    """Run the program with several pages of requests and calls, and with another user's."""
    folder = tmp_path_factory.mktemp("paging")
    async with program(folder) as served, served.client() as api:
        store = Store(folder / "data")
        await store.open()
        requests: list[InputRequest] = []
        for number in range(MOST_REQUESTS + 205):
            moment = {"created_at": requests[-1].created_at} if requests and number % TOGETHER else {}
            requests.append(a_request(user_id=LOCAL_USER, position=number % TOGETHER, **moment))
            await store.of(LOCAL_USER).requests.add(requests[-1])
        calls = [a_call(number) for number in range(2 * MOST_CALLS + 5)]
        for call in calls:
            await store.of(call.user_id).calls.add(call)
        await store.of("ada").requests.add(a_request())
        for position in range(4):
            await store.of(LOCAL_USER).requests.add(a_request(user_id=LOCAL_USER, server_id="s2", position=position))
        yield api, requests, calls
        await store.close()


Filled = tuple[Api, list[InputRequest], list[Call]]


async def pages(api: Api, path: str, **params: object) -> list[list[str]]:
    """Read all pages, and return the ids on each."""
    found = []
    cursor: dict[str, str] = {}
    while True:
        page = await api.json("GET", f"/{path}", params={**params, **cursor})
        found.append([each["id"] for each in page[path]])
        if "next" not in page:
            return found
        assert cursor.get("before") != page["next"]
        cursor = {"before": page["next"]}


async def test_every_pending_request_is_reached_once_and_in_order(filled: Filled) -> None:
    api, requests, _ = filled
    newest, oldest = await pages(api, "requests", state="pending", server_id="s1")
    assert oldest + newest == [request.id for request in requests]
    assert len(newest) == MOST_REQUESTS


async def test_a_page_may_end_within_simultaneous_requests(filled: Filled) -> None:
    api, requests, _ = filled
    found = await pages(api, "requests", server_id="s1", limit=333)
    assert [each for page in reversed(found) for each in page] == [request.id for request in requests]


@pytest.mark.parametrize("state", [None, "done"])
async def test_every_call_is_reached_once_newest_first(filled: Filled, state: str | None) -> None:
    api, _, calls = filled
    found = await pages(api, "calls", **({"state": state} if state else {}))
    wanted = [call.id for call in reversed(calls) if state in (None, call.state)]
    assert [each for page in found for each in page] == wanted
    assert len(found[0]) == MOST_CALLS


async def test_settling_between_two_pages_moves_no_entry(filled: Filled) -> None:
    api = filled[0]
    which = {"state": "pending", "server_id": "s2"}
    first, second, _, _ = (await api.json("GET", "/requests", params=which))["requests"]
    page = await api.json("GET", "/requests", params={**which, "limit": 2})
    await api.answer({"id": page["next"]}, action="decline")
    older = await api.json("GET", "/requests", params={**which, "limit": 2, "before": page["next"]})
    assert [each["id"] for each in older["requests"]] == [first["id"], second["id"]]


@pytest.mark.parametrize("path", ["requests", "calls"])
@pytest.mark.parametrize("odd", ["before=x", "before=", "limit=0", "limit=1001", "limit=x", "before=" + "x" * 300])
async def test_an_invalid_cursor_or_limit_is_refused(filled: Filled, path: str, odd: str) -> None:
    problem = await filled[0].json("GET", f"/{path}?{odd}", 422)
    assert odd.partition("=")[0] in problem["errors"]


async def test_a_stream_with_a_gap_gets_everything_open(filled: Filled) -> None:
    api, _, calls = filled
    pending = {each for page in await pages(api, "requests", state="pending") for each in page}
    awaited = pending | {call.id for call in calls if not call.state.ended}
    async with api.stream("GET", "/events", headers={"Last-Event-ID": "gone-1"}, timeout=None) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: "):
                awaited.discard(json.loads(line.removeprefix("data: "))["id"])
            if not awaited:
                break
    # A stream that ends before has not given everything.
    assert awaited == set()


@pytest.mark.parametrize(("path", "key"), [("/calls", "calls"), ("/history", "entries")])
async def test_a_list_has_results_only_if_fields_name_them(filled: Filled, path: str, key: str) -> None:
    api, _requests, calls = filled
    ended = {"state": "done", "limit": 3}
    for fields in ({}, {"fields": "id,state"}, {"fields": ""}):
        found = (await api.json("GET", path, params=ended | fields))[key]
        assert (len(found), [each for each in found if "result" in each]) == (3, [])
    found = (await api.json("GET", path, params=ended | {"fields": "id, result"}))[key]
    assert [each["result"] for each in found] == [RESULT] * 3
    assert (await api.json("GET", f"/calls/{calls[0].id}"))["result"] == RESULT
    wrong = await api.json("GET", path, 422, params={"fields": "id,outcome"})
    assert "outcome" in wrong["errors"]["fields"]


async def test_the_export_of_the_history_has_the_results(filled: Filled) -> None:
    api, _requests, _calls = filled
    exported = await api.get("/history.jsonl", params={"state": "done"})
    assert json.loads(exported.text.splitlines()[0])["result"] == RESULT
