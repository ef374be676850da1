"""Links of 2026-07-28: only the server's next answer shows whether the person has finished."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.house import House, config, house
from tests.mcp_servers import stdio
from webclient import protocol
from webclient.calls import link_polling
from webclient.domain.model import Action, Call, CallState, Era, InputRequest, Json, ReasonCode, RequestState
from webclient.protocol.calls.call_request import send_call

pytestmark = pytest.mark.anyio

URL = "https://example.com/pay"
NEVER = (3600,)
"""Pauses after which nothing happens by itself during a test."""


@pytest.fixture
async def rooms(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path, [config("it", stdio("asker"), Era.ROUNDS)]) as rooms:
        await rooms.connected("it")
        yield rooms


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_polling, "POLL_PAUSES", NEVER)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_polling, "POLL_PAUSES", (0.01,))


async def now(rooms: House, request: InputRequest) -> InputRequest:
    return await rooms.services.store.of("local").requests.get(request.id)


async def times_called(rooms: House) -> int:
    call = await rooms.ended(await rooms.call("it", "times_needed", {"elicitation_id": "e1"}))
    assert call.result
    return int(call.result["structuredContent"]["result"])


async def said(rooms: House, request: InputRequest, code: ReasonCode) -> InputRequest:
    """Wait until the request has this reason."""

    async def look() -> InputRequest | None:
        newest = await now(rooms, request)
        return newest if newest.reason_code is code else None

    return await rooms.until(look)


async def opened(rooms: House, **more: str) -> tuple[Call, InputRequest]:
    """Open the link of a new call; return the call and the request."""
    call = await rooms.call("it", "await_url", {"url": URL, "elicitation_id": "e1", **more})
    [request] = await rooms.pending_requests(call)
    await rooms.answer(request, Action.ACCEPT)
    return call, request


def test_the_pauses_between_polls_grow_to_thirty_seconds() -> None:
    assert list(link_polling.POLL_PAUSES) == sorted(link_polling.POLL_PAUSES)
    assert (link_polling.POLL_PAUSES[0], link_polling.POLL_PAUSES[-1]) == (1, 30)


@pytest.mark.usefixtures("patient")
async def test_a_server_that_asks_for_the_same_link_is_polled_later(rooms: House) -> None:
    call, request = await opened(rooms)
    waiting = await said(rooms, request, ReasonCode.SERVER_STILL_WAITS)
    assert (waiting.state, waiting.opened_at is not None) == (RequestState.WAITING, True)
    assert [each.id for each in await rooms.services.store.of("local").requests.find(call_id=call.id)] == [request.id]
    assert await times_called(rooms) == 2
    assert (await rooms.services.store.of("local").calls.get(call.id)).state is CallState.INPUT_REQUIRED


@pytest.mark.usefixtures("quick")
async def test_polls_do_not_count_as_rounds(rooms: House) -> None:
    call, request = await opened(rooms)
    while await times_called(rooms) < 15:
        pass
    await rooms.call("it", "complete", {"elicitation_id": "e1", "notify": False})
    done = await rooms.ended(call)
    assert (done.state, done.round) == (CallState.DONE, 1)
    assert (done.result or {})["structuredContent"] == {"link": {"action": "accept"}}
    completed = await now(rooms, request)
    assert (completed.state, completed.reason_code) == (RequestState.COMPLETED, ReasonCode.SERVER_CONTINUED)


@pytest.mark.usefixtures("patient")
async def test_finishing_a_link_polls_the_server_at_once(rooms: House) -> None:
    call, request = await opened(rooms)
    await said(rooms, request, ReasonCode.SERVER_STILL_WAITS)
    await rooms.services.inbox.links.finished("local", request.id)
    waiting = await said(rooms, request, ReasonCode.SERVER_NOT_SATISFIED)
    assert waiting.state is RequestState.WAITING
    await rooms.ended(await rooms.call("it", "complete", {"elicitation_id": "e1", "notify": False}))
    await rooms.services.inbox.links.finished("local", request.id)
    assert (await rooms.ended(call)).state is CallState.DONE
    assert (await now(rooms, request)).state is RequestState.COMPLETED


@pytest.mark.usefixtures("patient")
async def test_giving_up_a_link_sends_cancel(rooms: House) -> None:
    call, request = await opened(rooms)
    await said(rooms, request, ReasonCode.SERVER_STILL_WAITS)
    await rooms.services.inbox.links.give_up("local", request.id)
    done = await rooms.ended(call)
    assert (done.result or {})["structuredContent"] == {"link": {"action": "cancel"}}
    given_up = await now(rooms, request)
    assert (given_up.state, given_up.reason_code) == (RequestState.CANCELLED, ReasonCode.PERSON_GAVE_UP)


@pytest.mark.usefixtures("patient")
async def test_another_request_beside_an_opened_link_is_a_new_card(rooms: House) -> None:
    call, request = await opened(rooms, also="And your name?")
    [form] = await rooms.pending_requests(call)
    assert (form.params["message"], form.round) == ("And your name?", 2)
    assert (await now(rooms, request)).state is RequestState.WAITING
    await rooms.ended(await rooms.call("it", "complete", {"elicitation_id": "e1", "notify": False}))
    await rooms.answer(form, Action.ACCEPT, {"name": "Ada"})
    done = await rooms.ended(call)
    assert (done.result or {})["structuredContent"] == {
        "link": {"action": "accept"},
        "also": {"action": "accept", "content": {"name": "Ada"}},
    }
    assert (await now(rooms, request)).reason_code is ReasonCode.SERVER_CONTINUED


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    "changed",
    [
        {"key": "payment", "message": "CONFIRM: pay 5,000 EUR"},
        {"message": "CONFIRM: pay 5,000 EUR"},
        {"key": "payment"},
    ],
    ids=["key-and-message", "message", "key"],
)
@pytest.mark.slow
async def test_an_opened_link_in_a_changed_request_is_a_new_card(rooms: House, changed: Json) -> None:
    swapped = {"url": URL, "key": "link", "message": "Read our terms."} | changed
    call = await rooms.call("it", "swap_url", swapped)
    [terms] = await rooms.pending_requests(call)
    await rooms.answer(terms, Action.ACCEPT)
    await rooms.settled(terms)
    [second] = await rooms.pending_requests(call)
    assert (second.id != terms.id, second.round, second.params["message"]) == (True, 2, swapped["message"])
    assert (await now(rooms, terms)).state is RequestState.COMPLETED
    await rooms.answer(second, Action.DECLINE)
    done = await rooms.ended(call)
    assert (done.result or {})["structuredContent"] == {swapped["key"]: {"action": "decline"}}


@pytest.mark.usefixtures("patient")
async def test_cancelling_the_call_ends_the_wait(rooms: House) -> None:
    call, request = await opened(rooms)
    await said(rooms, request, ReasonCode.SERVER_STILL_WAITS)
    await rooms.services.calls.cancel(await rooms.services.store.of("local").calls.get(call.id))
    cancelled = await now(rooms, request)
    assert (cancelled.state, cancelled.reason_code) == (RequestState.CANCELLED, ReasonCode.CALL_CANCELLED)


async def test_a_call_that_waits_for_a_link_resumes_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_polling, "POLL_PAUSES", NEVER)
    servers = [config("it", stdio("asker", "--state-key", "a key of at least thirty-two bytes"), Era.ROUNDS)]
    async with house(tmp_path, servers) as rooms:
        await rooms.connected("it")
        call, request = await opened(rooms)
        await said(rooms, request, ReasonCode.SERVER_STILL_WAITS)
    async with house(tmp_path, servers) as rooms:
        assert (await now(rooms, request)).state is RequestState.WAITING
        await rooms.connected("it")
        await rooms.ended(await rooms.call("it", "complete", {"elicitation_id": "e1", "notify": False}))
        await rooms.services.inbox.links.finished("local", request.id)
        assert (await rooms.ended(call)).state is CallState.DONE


@pytest.mark.usefixtures("quick")
async def test_a_server_that_works_after_the_link_is_shown_as_running(
    rooms: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    call, request = await opened(rooms)
    sent, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(*args: Any, **options: Any) -> Json:
        # The server delays its answer until it has something to say.
        sent.set()
        await go_on.wait()
        return await send_call(*args, **options)

    monkeypatch.setattr(protocol, "send_call", slowly)
    await sent.wait()
    await rooms.services.inbox.links.finished("local", request.id)

    async def look() -> bool:
        return (await rooms.services.store.of("local").calls.get(call.id)).state is CallState.RUNNING

    await rooms.until(look)
    go_on.set()
    assert (await said(rooms, request, ReasonCode.SERVER_NOT_SATISFIED)).state is RequestState.WAITING
