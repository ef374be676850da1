"""A server that sends too many requests: they are refused with an error, counted, and shown once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.house import House, config, house
from tests.mcp_servers import stdio
from webclient.domain.model import Action, Call, CallState, Era, InputRequest, Json, ReasonCode, RequestState
from webclient.web.api.request_shapes import request_shape

pytestmark = pytest.mark.anyio

FLOOD = 1_000
TOO_MUCH = -32000
INVALID_PARAMS = -32602


async def _entries(rooms: House, *states: RequestState) -> list[InputRequest]:
    return [each for each in await rooms.services.store.of("local").requests.find() if each.state in states]


def _errors(call: Call) -> list[Json]:
    replies: list[Json] = json.loads((call.result or {})["content"][0]["text"])
    return [reply["error"] for reply in replies if "error" in reply]


async def _counted(rooms: House, count: int) -> InputRequest:
    async def look() -> InputRequest | None:
        found = await _entries(rooms, RequestState.REFUSED)
        return found[0] if sum(each.count for each in found) == count else None

    return await rooms.until(look)


async def test_a_flood_is_one_counted_entry_and_others_are_unaffected(tmp_path: Path) -> None:
    servers = [config("raw", stdio("raw", "flood", str(FLOOD))), config("it", stdio("asker"), Era.PUSH)]
    limits = {"ask_burst": 10, "ask_rate": 0, "max_pending": 10, "max_messages_per_second": 100_000}
    async with house(tmp_path, servers, **limits) as rooms:
        for server in servers:
            await rooms.connected(server.name)
        with rooms.services.hub.subscribe("local") as events:
            flood = await rooms.call("raw", "ask")
            [request] = await rooms.pending_requests(await rooms.call("it", "ask_form"))
            await rooms.answer(request, Action.DECLINE)
            entry = await _counted(rooms, FLOOD - 10)
            published = Counter(getattr(event, "subject", None) for event in events.drain())
        assert entry.reason_code is ReasonCode.RATE_LIMIT
        assert len(await _entries(rooms, RequestState.REFUSED)) == 1
        assert published[entry.id] < FLOOD / 50
        for pending in await rooms.pending_requests(flood, 10):
            await rooms.answer(pending, Action.CANCEL)
        errors = _errors(await rooms.ended(flood))
        assert {error["code"] for error in errors} == {TOO_MUCH}
        assert "Too many questions" in errors[0]["message"]


async def test_a_server_that_is_answered_may_ask_as_often_as_it_likes(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)], ask_burst=2, ask_rate=0) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_rounds", {"n": 6})
        for _step in range(6):
            [request] = await rooms.pending_requests(call)
            await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
            await rooms.settled(request)
        assert (await rooms.ended(call)).state is CallState.DONE


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_more_than_may_wait_is_refused_until_some_is_answered(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), era)], max_pending=2) as rooms:
        await rooms.connected("it")
        waiting = await rooms.call("it", "ask_many", {"n": 2})
        first, second = await rooms.pending_requests(waiting, 2)
        refused = await rooms.ended(await rooms.call("it", "ask_form"))
        [entry] = await _entries(rooms, RequestState.REFUSED)
        assert entry.reason_code is ReasonCode.TOO_MANY_PENDING
        if era is Era.ROUNDS:
            assert (refused.state, refused.reason_code) == (CallState.FAILED, entry.reason_code)
        for request in (first, second):
            await rooms.answer(request, Action.DECLINE)
        await rooms.ended(waiting)
        assert len(await rooms.pending_requests(await rooms.call("it", "ask_form"))) == 1


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_questions_that_come_together_are_no_more_than_may_wait(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), era)], max_pending=3) as rooms:
        await rooms.connected("it")
        calls = [await rooms.call("it", "ask_form") for _call in range(6)]

        async def look() -> list[InputRequest] | None:
            entries = await _entries(rooms, RequestState.PENDING, RequestState.REFUSED)
            return entries if sum(each.count for each in entries) == len(calls) else None

        entries = await rooms.until(look)
        pending = [each for each in entries if each.pending]
        assert len(pending) == 3
        for request in pending:
            await rooms.answer(request, Action.CANCEL)
        for call in calls:
            await rooms.ended(call)
        assert len(await rooms.pending_requests(await rooms.call("it", "ask_many", {"n": 3}), 3)) == 3


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_a_large_request_is_refused_and_only_its_beginning_kept(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), era)], max_question_bytes=10_000) as rooms:
        await rooms.connected("it")
        await rooms.ended(await rooms.call("it", "ask_huge", {"size": 20_000}))
        [entry] = await _entries(rooms, RequestState.REFUSED)
        assert entry.reason_code is ReasonCode.TOO_LARGE
        assert len(json.dumps(entry.params)) < 10_000
        assert len(await rooms.pending_requests(await rooms.call("it", "ask_huge", {"size": 5_000}))) == 1


async def test_a_large_request_gets_a_json_rpc_error(tmp_path: Path) -> None:
    async with house(tmp_path, [config("raw", stdio("raw", "huge-message"))], max_question_bytes=9) as rooms:
        await rooms.connected("raw")
        [error] = _errors(await rooms.ended(await rooms.call("raw", "ask")))
        assert (error["code"], "9 bytes" in error["message"]) == (TOO_MUCH, True)


async def test_a_round_of_more_than_may_come_at_once_is_refused_whole(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.ROUNDS)], ask_burst=10) as rooms:
        await rooms.connected("it")
        refused = await rooms.ended(await rooms.call("it", "ask_many", {"n": 20}))
        assert (refused.state, refused.reason_code) == (CallState.FAILED, ReasonCode.RATE_LIMIT)
        [entry] = [request_shape(await _counted(rooms, 20)).as_json()]
        assert (entry["state"], entry["count"]) == (RequestState.REFUSED, 20)
        assert len(await rooms.pending_requests(await rooms.call("it", "ask_many", {"n": 9}), 9)) == 9


async def test_malformed_questions_in_their_thousands_are_one_entry(tmp_path: Path) -> None:
    async with house(tmp_path, [config("raw", stdio("raw", "malformed-flood", "1000"))]) as rooms:
        await rooms.connected("raw")
        call = await rooms.ended(await rooms.call("raw", "ask"))
        assert Counter(error["code"] for error in _errors(call)) == {INVALID_PARAMS: 1000}
        await _counted(rooms, 1000)
        assert len(await _entries(rooms, RequestState.REFUSED)) == 1


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_requests_of_a_muted_server_are_cancelled_visibly(tmp_path: Path, era: Era) -> None:
    servers = [config("it", stdio("asker"), era)]
    async with house(tmp_path, servers) as rooms:
        await rooms.connected("it")
        waiting = await rooms.call("it", "ask_form")
        [pending] = await rooms.pending_requests(waiting)
        await rooms.services.servers.mute(await rooms.server("it"))
        cancelled = await rooms.settled(pending)
        assert (cancelled.state, cancelled.reason_code) == (RequestState.CANCELLED, ReasonCode.SERVER_MUTED)
        await _was_cancelled(rooms, await rooms.ended(waiting))
        await _was_cancelled(rooms, await rooms.ended(await rooms.call("it", "ask_form")))
    async with house(tmp_path, servers) as rooms:
        await rooms.connected("it")
        await _was_cancelled(rooms, await rooms.ended(await rooms.call("it", "ask_form")))
        await rooms.services.servers.unmute(await rooms.server("it"))
        assert len(await rooms.pending_requests(await rooms.call("it", "ask_form"))) == 1


async def _was_cancelled(rooms: House, call: Call) -> None:
    result: Any = call.result
    assert result["structuredContent"] == {"action": "cancel"}, call
    [entry] = await rooms.services.store.of("local").requests.find(call_id=call.id)
    assert (entry.state, entry.reason_code) == (RequestState.CANCELLED, ReasonCode.SERVER_MUTED)


async def test_each_of_all_that_a_server_asks_is_declined_once(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.ROUNDS)]) as rooms:
        server = await rooms.connected("it")
        call = await rooms.call("it", "ask_many", {"n": 3})
        first, *others = await rooms.pending_requests(call, 3)
        await rooms.answer(first, Action.CANCEL)
        declined = await rooms.services.inbox.decline_all("local", server.id)
        assert [(each.id, each.state) for each in declined] == [(each.id, RequestState.DECLINED) for each in others]
        assert await rooms.services.inbox.decline_all("local", server.id) == []
        result: Any = (await rooms.ended(call)).result
        assert Counter(each["action"] for each in result["structuredContent"].values()) == {"decline": 2, "cancel": 1}
