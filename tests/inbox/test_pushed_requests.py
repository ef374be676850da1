"""Pushed requests and opened links end with their call, also if they are stored at the moment it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import anyio
import pytest

from tests.answering import answer
from tests.house import config, house
from tests.inbox.test_inbox import url_request
from tests.mcp_servers import stdio
from tests.store.rows import a_request
from webclient.domain.model import (
    Action,
    Call,
    CallKind,
    CallState,
    Delivery,
    Era,
    InputRequest,
    Origin,
    Reason,
    ReasonCode,
    RequesterIds,
    RequestState,
    ServerRequest,
)
from webclient.inbox import Ending, Inbox
from webclient.inbox.open_calls import WaitingCalls
from webclient.inbox.pushed_requests import PushedRequests
from webclient.store import Store
from webclient.store.live import Hub
from webclient.store.requests.requests import UserRequests

pytestmark = pytest.mark.anyio


class Slow:
    """A store whose writes of new requests wait for `go_on`; `begun` is set by the first."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()

    @contextmanager
    def slow(self) -> Iterator[None]:
        """Make the store slow in the block."""
        add = UserRequests.add

        async def slowly(rows: UserRequests, *requests: InputRequest, **more: Any) -> bool:
            self.begun.set()
            with anyio.CancelScope(shield=True):
                await self.go_on.wait()
            return await add(rows, *requests, **more)

        with patch.object(UserRequests, "add", slowly):
            yield


@contextmanager
def left() -> Iterator[asyncio.Event]:
    """Yield an event that is set when a call has settled what it left open."""
    left = asyncio.Event()
    deliver = UserRequests.deliver_rounds

    async def last(*given: Any, **named: Any) -> list[str]:
        delivered = await deliver(*given, **named)
        left.set()
        return delivered

    with patch.object(UserRequests, "deliver_rounds", last):
        yield left


async def test_a_request_stored_after_its_call_returned_says_so(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)]) as rooms:
        await rooms.connected("it")
        slow = Slow()
        with slow.slow(), left() as has_left:
            call = await rooms.call("it", "ask_and_return", {"name": "back"})
            await slow.begun.wait()
            await rooms.call("it", "release", {"name": "back"})
            assert (await rooms.ended(call)).state is CallState.DONE
            await has_left.wait()
            slow.go_on.set()
            [request] = await rooms.pending_requests(call)
            await rooms.remarked(request)
        await rooms.answer(request, Action.DECLINE)
        heard = await rooms.ended(await rooms.call("it", "was_answered", {"name": "back"}))
        assert (heard.result or {})["structuredContent"] == {"action": "decline"}


async def test_a_request_stored_after_its_call_was_cancelled_ends(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)]) as rooms:
        await rooms.connected("it")
        slow = Slow()
        with slow.slow(), left() as has_left:
            call = await rooms.call("it", "ask_and_return", {"name": "back"})
            await slow.begun.wait()
            await rooms.services.calls.cancel(await rooms.services.store.of("local").calls.get(call.id))
            await has_left.wait()
            slow.go_on.set()

            async def look() -> InputRequest | None:
                return next((each for each in await rooms.services.inbox.of_call(call) if not each.open), None)

            ended = await rooms.until(look)
        assert (ended.state, ended.reason_code) == (RequestState.CANCELLED, ReasonCode.CALL_CANCELLED)


ENDS = {
    "decline all": RequestState.DECLINED,
    "mute": RequestState.CANCELLED,
    "deadline": RequestState.EXPIRED,
    "disconnect": RequestState.INTERRUPTED,
    "crash": RequestState.INTERRUPTED,
}


@pytest.mark.parametrize("how", ENDS)
async def test_a_request_that_outlives_its_call_can_end(tmp_path: Path, how: str) -> None:
    length = {"deadline_push": 2} if how == "deadline" else {}
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)], **length) as rooms:
        server = await rooms.connected("it")
        call = await rooms.call("it", "ask_and_return", {"name": "back"})
        [request] = await rooms.pending_requests(call)
        await rooms.call("it", "release", {"name": "back"})
        await rooms.ended(call)
        match how:
            case "decline all":
                await rooms.remarked(request)
                assert await rooms.services.store.of("local").requests.count_pending() == {server.id: 1}
                await rooms.services.inbox.decline_all("local", server.id)
            case "mute":
                await rooms.services.servers.mute(server)
            case "disconnect":
                await rooms.services.connections.disconnect(server)
            case "crash":
                await rooms.call("it", "crash")
        ended = await rooms.settled(request)
        assert ended.state is ENDS[how]
        assert await rooms.services.store.of("local").requests.count_pending() == {}


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_a_request_stored_after_its_server_was_muted_ends(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), era)]) as rooms:
        server = await rooms.connected("it")
        slow = Slow()
        with slow.slow():
            call = await rooms.call("it", "ask_form")
            await slow.begun.wait()
            await rooms.services.servers.mute(server)
            slow.go_on.set()
            ended = await rooms.ended(call)
        assert (ended.result or {})["structuredContent"] == {"action": "cancel"}
        [cancelled] = await rooms.services.inbox.of_call(call)
        assert (cancelled.state, cancelled.reason_code) == (RequestState.CANCELLED, ReasonCode.SERVER_MUTED)


async def test_a_request_that_comes_while_its_call_ends_also_ends(store: Store) -> None:
    inbox = Inbox(store, Hub())
    pushed_requests = PushedRequests(inbox)
    call = Call(user_id="ada", server_id="s1", server_label="it", kind=CallKind.TOOL, name="ask")
    request = url_request("https://example.com/", call_id=call.id)
    await pushed_requests.end(call, (RequestState.CANCELLED, Reason(ReasonCode.CALL_CANCELLED)))
    with pushed_requests.tracking(request, ServerRequest(method="elicitation/create", params=request.params)) as pushed:
        await inbox.put([request])
        await pushed_requests.catch_up(pushed)
    assert (await store.of("ada").requests.get(request.id)).state is RequestState.CANCELLED


async def test_a_link_that_is_opened_while_its_call_ends_also_ends(store: Store) -> None:
    inbox = Inbox(store, Hub())
    call = Call(user_id="ada", server_id="s1", server_label="it", kind=CallKind.TOOL, name="ask")
    link = url_request("https://example.com/", origin=Origin.ROUND, call_id=call.id)
    await inbox.put([link])

    async def then_opened(call: Call) -> list[InputRequest]:
        found = await store.of("ada").requests.find(call_id=call.id)
        await answer(inbox, "ada", link.id, Action.ACCEPT)
        return found

    with patch.object(inbox, "of_call", then_opened):
        await PushedRequests(inbox).end(call)
    ended = await store.of("ada").requests.get(link.id)
    assert (ended.state, ended.reason_code) == (RequestState.WITHDRAWN, ReasonCode.CALL_ENDED_DURING_LINK)


async def test_an_answer_to_a_withdrawn_request_is_not_delivered(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)]) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_then_cancel", {"name": "back"})
        [request] = await rooms.pending_requests(call)
        ended, answered, go_on = WaitingCalls.ended, asyncio.Event(), asyncio.Event()

        async def slowly(waiting: WaitingCalls) -> None:
            # After the answer, before it is sent.
            answered.set()
            await go_on.wait()
            await ended(waiting)

        with patch.object(WaitingCalls, "ended", slowly):
            await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
            await answered.wait()
            await rooms.call("it", "release", {"name": "back"})
            await rooms.ended(call)
            go_on.set()

        async def look() -> InputRequest | None:
            newest = await rooms.services.store.of("local").requests.get(request.id)
            return newest if newest.delivery is not Delivery.SENDING else None

        assert (await rooms.until(look)).delivery is Delivery.FAILED


CALL = Call(user_id="ada", server_id="s1", server_label="it", kind=CallKind.TOOL, name="ask")
CANCELLED = RequestState.CANCELLED, Reason(ReasonCode.CALL_CANCELLED)
LIMIT = "McpError: MCP error -32001: Request timed out"


def server_request(withdrawn: str | None = None) -> ServerRequest:
    return ServerRequest(method="elicitation/create", params={}, withdrawn=withdrawn)


@pytest.mark.parametrize(
    ("ending", "left"),
    [
        (CANCELLED, (RequestState.CANCELLED, ReasonCode.CALL_CANCELLED)),
        (None, (RequestState.PENDING, ReasonCode.CALL_ENDED_EARLY)),
        (
            (RequestState.INTERRUPTED, Reason(ReasonCode.CONNECTION_LOST)),
            (RequestState.PENDING, ReasonCode.CALL_ENDED_EARLY),
        ),
    ],
)
@pytest.mark.parametrize("tracked", [True, False])
async def test_a_hosted_request_ends_only_with_a_cancelled_call(
    store: Store, ending: Ending | None, left: tuple[RequestState, ReasonCode], tracked: bool
) -> None:
    """Its server fetches the answer later, also one that an earlier process has put."""
    inbox = Inbox(store, Hub())
    request = a_request(origin=Origin.HOSTED, ids=RequesterIds(hosted_task_id="t1"), call_id=CALL.id)
    await inbox.put([request])
    pushed_requests = PushedRequests(inbox)
    with pushed_requests.tracking(request, server_request()) if tracked else nullcontext():
        assert not await pushed_requests.end(CALL, ending)
    row = await store.of("ada").requests.get(request.id)
    assert (row.state, row.reason_code) == left


@pytest.mark.parametrize("returned_first", [True, False])
async def test_a_request_outlives_calls_of_which_its_server_ended_one(store: Store, returned_first: bool) -> None:
    inbox = Inbox(store, Hub())
    request = a_request(possible_calls=("c1", "c2"))
    await inbox.put([request])
    pushed_requests = PushedRequests(inbox)
    ends: list[tuple[Ending | None, bool]] = [(None, True), (CANCELLED, False)]
    with pushed_requests.tracking(request, server_request()) as pushed:
        for call_id, (ending, by_server) in zip(("c1", "c2"), ends if returned_first else ends[::-1], strict=True):
            await pushed_requests.end(replace(CALL, id=call_id), ending, by_server=by_server)
    row = await store.of("ada").requests.get(request.id)
    assert (row.state, row.reason_code, pushed.outlives) == (RequestState.PENDING, ReasonCode.CALL_ENDED_EARLY, True)


async def test_only_plain_requests_keep_a_session_busy(store: Store) -> None:
    pushed_requests = PushedRequests(Inbox(store, Hub()))
    hosted, plain = a_request(origin=Origin.HOSTED, ids=RequesterIds(hosted_task_id="t1")), a_request()
    with pushed_requests.tracking(hosted, server_request()):
        assert not pushed_requests.any_from(hosted.server_key)
        with pushed_requests.tracking(plain, server_request()):
            assert pushed_requests.any_from(plain.server_key)
            assert not pushed_requests.any_from(plain.server_key, but=lambda each: each.id == plain.id)
            assert not pushed_requests.any_from(("ada", "s2"))
    assert not pushed_requests.any_from(plain.server_key)


@pytest.mark.parametrize("certain", [True, False])
@pytest.mark.parametrize(("words", "named"), [(LIMIT, True), ("No seats left.", False)])
async def test_a_server_gave_up_a_call_by_its_last_request(
    store: Store, certain: bool, words: str, named: bool
) -> None:
    """Of a request that may be another call's, the words that ended the call must say so as well."""
    pushed_requests = PushedRequests(Inbox(store, Hub()))
    of_call: dict[str, Any] = {"call_id": CALL.id} if certain else {"possible_calls": (CALL.id, "c2")}
    with pushed_requests.tracking(a_request(**of_call), server_request(LIMIT)):
        pass
    assert bool(pushed_requests.why_given_up(CALL, words)) is (certain or named)
    with pushed_requests.tracking(a_request(**of_call), server_request("The flight is gone.")):
        pass
    assert pushed_requests.why_given_up(CALL, words) is None
    with pushed_requests.tracking(a_request(**of_call), server_request()):
        assert bool(pushed_requests.why_given_up(CALL, words)) is named
        assert pushed_requests.why_given_up(replace(CALL, id="other"), words) is None
