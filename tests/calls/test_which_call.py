"""Over stdio nothing tells in which of several calls a server asks: all of them may be waiting for the person."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.house import House, config, house
from tests.mcp_servers import stdio
from webclient.calls.delivery import Deliveries
from webclient.model import Action, Call, CallState, Era, InputRequest, RequestState

pytestmark = pytest.mark.anyio


@pytest.fixture
async def rooms(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)]) as rooms:
        await rooms.connected("it")
        yield rooms


async def waits(rooms: House, call: Call, *, may: bool) -> None:
    """Wait until the call waits for the person, for sure or as one that may."""

    async def look() -> bool:
        newest = await rooms.services.store.of("local").calls.get(call.id)
        return (newest.state, newest.may_wait) == (CallState.INPUT_REQUIRED, may)

    await rooms.until(look)


async def runs(rooms: House, call: Call) -> None:
    """Wait until the call waits for nobody."""

    async def look() -> bool:
        newest = await rooms.services.store.of("local").calls.get(call.id)
        return (newest.state, newest.may_wait) == (CallState.RUNNING, False)

    await rooms.until(look)


async def two_calls(rooms: House, tool: str = "ask_form", **arguments: str) -> tuple[Call, Call, InputRequest]:
    """Start a call that asks nothing, then one that asks; return both, and the question."""
    quiet = await rooms.call("it", "sleep_until_cancelled", {"name": "quiet"})
    asking = await rooms.call("it", tool, arguments)
    return quiet, asking, await rooms.asked_by("it")


async def test_a_question_of_one_of_two_calls_lists_both(rooms: House) -> None:
    quiet, asking, request = await two_calls(rooms)
    assert (request.call_id, request.during) == (None, None)
    assert set(request.possible_calls) == {quiet.id, asking.id}
    for call in (quiet, asking):
        await waits(rooms, call, may=True)
        assert await rooms.services.store.of("local").requests.find(call_id=call.id, possible=True) == [request]
        assert await rooms.services.store.of("local").requests.find(call_id=call.id) == []
    server = await rooms.server("it")
    assert await rooms.services.store.of("local").requests.count_pending() == {server.id: 1}
    await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
    done = await rooms.ended(asking)
    assert (done.state, done.may_wait) == (CallState.DONE, False)
    await runs(rooms, quiet)
    await rooms.services.calls.cancel(await rooms.services.store.of("local").calls.get(quiet.id))


async def test_a_call_that_waits_for_sure_is_not_one_that_may(rooms: House) -> None:
    first = await rooms.call("it", "ask_form", {"message": "Mine?"})
    [mine] = await rooms.asked(first)
    await waits(rooms, first, may=False)
    second = await rooms.call("it", "ask_form", {"message": "Whose?"})
    await waits(rooms, second, may=True)
    await waits(rooms, first, may=False)
    await rooms.answer(mine, Action.DECLINE)
    await rooms.ended(first)
    await waits(rooms, second, may=True)
    whose = await rooms.asked_by("it")
    await rooms.answer(whose, Action.DECLINE)
    assert (await rooms.ended(second)).state is CallState.DONE


async def test_the_question_ends_with_the_last_call_that_may_ask_it(rooms: House) -> None:
    quiet, asking, request = await two_calls(rooms, "ask_and_return", name="cancelled")
    await waits(rooms, quiet, may=True)
    await rooms.services.calls.cancel(await rooms.services.store.of("local").calls.get(asking.id))
    assert (await rooms.services.store.of("local").requests.get(request.id)).pending
    await waits(rooms, quiet, may=True)
    await rooms.services.calls.cancel(await rooms.services.store.of("local").calls.get(quiet.id))
    assert (await rooms.settled(request)).state is RequestState.CANCELLED


async def test_it_outlives_them_all_if_its_server_ended_one(rooms: House) -> None:
    quiet, asking, request = await two_calls(rooms, "ask_and_return", name="returned")
    await waits(rooms, quiet, may=True)
    await rooms.call("it", "release", {"name": "returned"})
    await rooms.ended(asking)
    waiting = await rooms.services.store.of("local").requests.get(request.id)
    assert (waiting.state, waiting.reason) == (RequestState.PENDING, None)
    await waits(rooms, quiet, may=True)
    await rooms.services.calls.cancel(await rooms.services.store.of("local").calls.get(quiet.id))
    await rooms.remarked(request)
    await rooms.answer(request, Action.DECLINE)
    heard = await rooms.ended(await rooms.call("it", "was_answered", {"name": "returned"}))
    assert (heard.result or {})["structuredContent"] == {"action": "decline"}


async def test_a_call_that_starts_later_is_not_meant(rooms: House) -> None:
    quiet, asking, request = await two_calls(rooms)
    later = await rooms.call("it", "sleep_until_cancelled", {"name": "later"})
    await waits(rooms, asking, may=True)
    assert later.id not in request.possible_calls
    assert (await rooms.services.store.of("local").calls.get(later.id)).state is CallState.RUNNING
    for call in (quiet, later, asking):
        await rooms.services.calls.cancel(await rooms.services.store.of("local").calls.get(call.id))


async def test_a_question_is_not_of_a_call_whose_end_is_being_seen_to(
    rooms: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen_to = asyncio.Event()
    left_by = Deliveries.left_by

    async def slowly(deliveries: Deliveries, call: Call) -> None:
        await seen_to.wait()
        await left_by(deliveries, call)

    monkeypatch.setattr(Deliveries, "left_by", slowly)
    quiet = await rooms.call("it", "sleep_until_cancelled", {"name": "quiet"})
    cancelling = asyncio.create_task(rooms.services.calls.cancel(quiet))
    await rooms.ended(quiet)
    await asyncio.sleep(0)
    asking = await rooms.call("it", "ask_form")
    request = await rooms.asked_by("it")
    seen_to.set()
    await cancelling
    assert (request.call_id, request.possible_calls) == (asking.id, ())
