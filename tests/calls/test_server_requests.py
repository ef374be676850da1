"""Which call a pushed question belongs to, and what becomes of it when its call ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.house import PUSH_SERVERS, House, config, house
from tests.mcp_servers import stdio
from webclient.domain.model import Action, Call, CallState, Delivery, Era, InputRequest, ReasonCode, RequestState
from webclient.inbox.delivery import Deliveries
from webclient.inbox.pushed_requests import PushedRequests
from webclient.store import Wanted

pytestmark = pytest.mark.anyio

push_servers = pytest.mark.parametrize("server", PUSH_SERVERS)


async def test_over_http_a_question_finds_its_call_among_several(shared: House) -> None:
    """Relies on undocumented behaviour of the SDK: it carries the sender's context to the callback."""
    calls = [await shared.call("http-push", "ask_form", {"message": f"for {n}"}) for n in range(4)]
    for number, call in enumerate(calls):
        [request] = await shared.pending_requests(call)
        assert request.params["message"] == f"for {number}"
        await shared.answer(request, Action.CANCEL)
        await shared.ended(call)


@pytest.mark.parametrize("server", ["stdio-push", "sse-push"])
async def test_over_stdio_the_call_is_unknown_among_several(shared: House, server: str) -> None:
    sleeper = await shared.call(server, "sleep_until_cancelled", {"name": f"unknown-{server}"})
    asker = await shared.call(server, "ask_form")
    request = await shared.request_from(server)
    assert (request.call_id, request.during) == (None, None)
    await shared.answer(request, Action.CANCEL)
    await shared.ended(asker)
    await shared.services.calls.cancel(sleeper)


@push_servers
async def test_a_question_belongs_to_the_only_running_call(shared: House, server: str) -> None:
    call = await shared.call(server, "ask_form", {"message": "whose?"})
    request = await shared.request_from(server)
    assert request.call_id == call.id
    assert request.during
    assert (request.during.name, request.during.arguments) == ("ask_form", {"message": "whose?"})
    await shared.answer(request, Action.CANCEL)
    await shared.ended(call)


@pytest.mark.parametrize("server", ["stdio-push", "sse-push"])
async def test_a_question_is_not_of_a_call_that_has_returned(
    shared: House, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cleared = asyncio.Event()
    monkeypatch.setattr(PushedRequests, "end", lambda *_call, **_how: cleared.wait())
    await shared.ended(await shared.call(server, "structured"))
    call = await shared.call(server, "ask_form")
    request = await shared.request_from(server)
    assert request.call_id == call.id
    cleared.set()
    await shared.answer(request, Action.CANCEL)
    await shared.ended(call)


@push_servers
async def test_a_question_that_the_server_cancels_is_withdrawn(shared: House, server: str) -> None:
    name = f"withdrawn-{server}"
    call = await shared.call(server, "ask_then_cancel", {"name": name})
    [request] = await shared.pending_requests(call)
    release = await shared.call(server, "release", {"name": name})
    withdrawn = await shared.settled(request)
    assert withdrawn.state is RequestState.WITHDRAWN
    assert withdrawn.reason_code in (ReasonCode.WITHDRAWN, ReasonCode.WITHDRAWN_BECAUSE)
    await shared.ended(release)
    assert (await shared.ended(call)).state is CallState.DONE


@push_servers
@pytest.mark.parametrize(
    ("action", "how", "state"),
    [
        (Action.ACCEPT, "result", CallState.DONE),
        (Action.DECLINE, "error", CallState.FAILED),
        (Action.CANCEL, "result", CallState.DONE),
    ],
)
async def test_a_question_that_outlives_its_call_is_answered(
    shared: House, server: str, action: Action, how: str, state: CallState
) -> None:
    name = f"outlived-{server}-{action}"
    call = await shared.call(server, "ask_and_return", {"name": name, "how": how})
    [request] = await shared.pending_requests(call)
    assert request.reason is None
    await shared.ended(await shared.call(server, "release", {"name": name}))
    assert (await shared.ended(call)).state is state
    assert (await shared.remarked(request)).call_id == call.id
    answered = await shared.answer(request, action, {"name": "Ada"} if action is Action.ACCEPT else None)
    assert answered.reason is None
    heard = await shared.ended(await shared.call(server, "was_answered", {"name": name}))
    expected = {"action": action} | ({"content": {"name": "Ada"}} if action is Action.ACCEPT else {})
    assert _structured(heard.result) == expected

    async def delivered() -> bool:
        return (await shared.services.store.of("local").requests.get(request.id)).delivery is Delivery.DELIVERED

    await shared.until(delivered)
    assert (await shared.services.store.of("local").calls.get(call.id)).state is state


# Over streamable HTTP the SDK of the server tells it on the stream of the call, which has ended.
@pytest.mark.parametrize("server", ["stdio-push", "sse-push"])
async def test_a_question_that_outlives_its_call_can_be_withdrawn(shared: House, server: str) -> None:
    name = f"outlived-{server}-taken-back"
    call = await shared.call(server, "ask_and_return", {"name": name})
    [request] = await shared.pending_requests(call)
    await shared.ended(await shared.call(server, "release", {"name": name}))
    await shared.ended(call)
    await shared.remarked(request)
    await shared.ended(await shared.call(server, "withdraw", {"name": name}))
    assert (await shared.settled(request)).state is RequestState.WITHDRAWN


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
    """Wait until the call waits for no person."""

    async def look() -> bool:
        newest = await rooms.services.store.of("local").calls.get(call.id)
        return (newest.state, newest.may_wait) == (CallState.RUNNING, False)

    await rooms.until(look)


async def two_calls(rooms: House, tool: str = "ask_form", **arguments: str) -> tuple[Call, Call, InputRequest]:
    """Start a call that asks nothing, then one that asks; return both, and the question."""
    quiet = await rooms.call("it", "sleep_until_cancelled", {"name": "quiet"})
    asking = await rooms.call("it", tool, arguments)
    return quiet, asking, await rooms.request_from("it")


async def test_a_question_of_one_of_two_calls_lists_both(rooms: House) -> None:
    quiet, asking, request = await two_calls(rooms)
    assert (request.call_id, request.during) == (None, None)
    assert set(request.possible_calls) == {quiet.id, asking.id}
    for call in (quiet, asking):
        await waits(rooms, call, may=True)
        page = await rooms.services.store.of("local").request_lists.page(Wanted(call_id=call.id, possible=True), 10)
        assert page == ([request], False)
        assert await rooms.services.store.of("local").requests.find(call_id=call.id) == []
    server = await rooms.server("it")
    assert await rooms.services.store.of("local").requests.count_pending() == {server.id: 1}
    await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
    done = await rooms.ended(asking)
    assert (done.state, done.may_wait) == (CallState.DONE, False)
    await runs(rooms, quiet)
    await rooms.services.calls.cancel(await rooms.services.store.of("local").calls.get(quiet.id))


async def test_a_call_with_its_own_question_waits_for_certain(rooms: House) -> None:
    first = await rooms.call("it", "ask_form", {"message": "Mine?"})
    [mine] = await rooms.pending_requests(first)
    await waits(rooms, first, may=False)
    second = await rooms.call("it", "ask_form", {"message": "Whose?"})
    await waits(rooms, second, may=True)
    await waits(rooms, first, may=False)
    await rooms.answer(mine, Action.DECLINE)
    await rooms.ended(first)
    await waits(rooms, second, may=True)
    whose = await rooms.request_from("it")
    await rooms.answer(whose, Action.DECLINE)
    assert (await rooms.ended(second)).state is CallState.DONE


async def test_a_question_ends_with_the_last_of_its_possible_calls(rooms: House) -> None:
    quiet, asking, request = await two_calls(rooms, "ask_and_return", name="cancelled")
    await waits(rooms, quiet, may=True)
    await rooms.services.calls.cancel(await rooms.services.store.of("local").calls.get(asking.id))
    assert (await rooms.services.store.of("local").requests.get(request.id)).pending
    await waits(rooms, quiet, may=True)
    await rooms.services.calls.cancel(await rooms.services.store.of("local").calls.get(quiet.id))
    assert (await rooms.settled(request)).state is RequestState.CANCELLED


async def test_a_question_outlives_a_call_that_its_server_ended(rooms: House) -> None:
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


async def test_a_later_call_is_not_a_possible_call(rooms: House) -> None:
    quiet, asking, request = await two_calls(rooms)
    later = await rooms.call("it", "sleep_until_cancelled", {"name": "later"})
    await waits(rooms, asking, may=True)
    assert later.id not in request.possible_calls
    assert (await rooms.services.store.of("local").calls.get(later.id)).state is CallState.RUNNING
    for call in (quiet, later, asking):
        await rooms.services.calls.cancel(await rooms.services.store.of("local").calls.get(call.id))


async def test_a_question_is_not_of_a_call_that_is_being_settled(rooms: House, monkeypatch: pytest.MonkeyPatch) -> None:
    seen_to = asyncio.Event()
    record_unsent = Deliveries.record_unsent

    async def slowly(deliveries: Deliveries, call: Call) -> None:
        await seen_to.wait()
        await record_unsent(deliveries, call)

    monkeypatch.setattr(Deliveries, "record_unsent", slowly)
    quiet = await rooms.call("it", "sleep_until_cancelled", {"name": "quiet"})
    cancelling = asyncio.create_task(rooms.services.calls.cancel(quiet))
    await rooms.ended(quiet)
    await asyncio.sleep(0)
    asking = await rooms.call("it", "ask_form")
    request = await rooms.request_from("it")
    seen_to.set()
    await cancelling
    assert (request.call_id, request.possible_calls) == (asking.id, ())


def _structured(result: Any) -> Any:
    return result["structuredContent"]
