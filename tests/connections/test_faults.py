"""Faults, injected for real: processes that are killed or paused, lines that are cut, stalled or refused."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest
from mcp.client import ClientSession

from tests.house import House, config, house
from tests.servers import STATE_KEY, running, stdio
from tests.servers.proxy import Proxy, proxied
from webclient.connections import http, rounds
from webclient.model import (
    Action,
    Call,
    CallState,
    Delivery,
    Era,
    InputRequest,
    RequestState,
    ServerState,
    ServerStatus,
)

pytestmark = pytest.mark.anyio

BEAT = 1.0
"""Seconds between two beats here; the limits are parts of it."""

both_eras = pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])


@asynccontextmanager
async def at_the_end_of_a_line(
    folder: Path, era: Era, *options: str, transport: Literal["http", "sse"] = "http"
) -> AsyncIterator[tuple[House, Proxy]]:
    """Connect the asking server through a proxy."""
    async with (
        running(transport=transport, arguments=["--state-key", STATE_KEY, *options]) as server,
        proxied(server.address) as (proxy, address),
        house(folder, [config("it", {"type": transport, "url": address}, era)], beat_seconds=BEAT) as rooms,
    ):
        await rooms.connected("it")
        yield rooms, proxy


async def _silent(rooms: House) -> ServerStatus:
    server = await rooms.server("it")

    async def look() -> ServerStatus | None:
        status = rooms.core.connections.status(server.id)
        return status if status.quiet_since else None

    return await rooms.until(look)


async def _heard_again(rooms: House) -> None:
    server = await rooms.server("it")

    async def look() -> bool:
        status = rooms.core.connections.status(server.id)
        return status.state is ServerState.CONNECTED and status.quiet_since is None

    await rooms.until(look)


async def _delivery(rooms: House, request: InputRequest, *wanted: Delivery) -> InputRequest:
    async def look() -> InputRequest | None:
        newest = await rooms.core.store.requests.get("local", request.id)
        return newest if newest.delivery in wanted else None

    return await rooms.until(look)


async def _works(rooms: House) -> None:
    assert (await rooms.ended(await rooms.call("it", "structured"))).state is CallState.DONE


async def _until_it_works(rooms: House) -> None:
    await rooms.status("it", ServerState.CONNECTED)
    await _works(rooms)


@both_eras
async def test_an_idle_server_that_is_killed_is_noticed_and_connected_anew_when_it_is_back(
    tmp_path: Path, era: Era
) -> None:
    async with (
        running() as first,
        house(tmp_path, [config("it", {"type": "http", "url": first.address}, era)], beat_seconds=BEAT) as rooms,
    ):
        await rooms.connected("it")
        first.kill()
        lost = await rooms.status("it", ServerState.RECONNECTING)
        assert lost.error
        async with running(port=first.port):
            await _until_it_works(rooms)


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_an_idle_server_that_was_restarted_unseen_is_connected_anew(tmp_path: Path, transport: str) -> None:
    """The proxy keeps the line up, so that only the lost session tells."""
    async with running(transport=transport, era=Era.PUSH) as first, proxied(first.address) as (proxy, address):  # type: ignore[arg-type]
        servers = [config("it", {"type": transport, "url": address}, Era.PUSH)]
        async with house(tmp_path, servers, beat_seconds=BEAT) as rooms:
            before = rooms.core.connections.connected(await rooms.connected("it")).session
            first.kill()
            async with running(transport=transport, era=Era.PUSH) as second:  # type: ignore[arg-type]
                proxy.server_port = second.port
                await _connected_anew(rooms, before)
                await _works(rooms)


async def _connected_anew(rooms: House, before: ClientSession) -> None:
    held = rooms.core.connections._held[(await rooms.server("it")).id]

    async def look() -> bool:
        return held.status.state is ServerState.CONNECTED and held.session is not before

    await rooms.until(look)


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        ("404", "application/json", "stranger"),
        ("404", "text/html", "page"),
        ("400", "text/plain", "no-session"),
    ],
)
async def test_a_server_that_forgot_the_session_is_connected_anew_in_whatever_words_it_says_so(
    tmp_path: Path, status: str, kind: str, words: str
) -> None:
    async with (
        running("statuses", era=Era.PUSH, arguments=["--session", status, kind, words]) as server,
        house(tmp_path, [config("it", {"type": "http", "url": server.address}, Era.PUSH)]) as rooms,
    ):
        before = rooms.core.connections.connected(await rooms.connected("it")).session
        assert (await rooms.ended(await rooms.call("it", "ask"))).state is CallState.INTERRUPTED
        await _connected_anew(rooms, before)
        assert (await rooms.ended(await rooms.call("it", "ask"))).state is CallState.DONE


@both_eras
async def test_a_paused_server_is_shown_as_silent_and_as_heard_again(tmp_path: Path, era: Era) -> None:
    async with (
        running(arguments=["--state-key", STATE_KEY]) as server,
        house(tmp_path, [config("it", {"type": "http", "url": server.address}, era)], beat_seconds=BEAT) as rooms,
    ):
        await rooms.connected("it")
        call = await rooms.call("it", "sleep_until_cancelled", {"name": "x"})
        os.kill(server.pid, signal.SIGSTOP)
        await _silent(rooms)
        os.kill(server.pid, signal.SIGCONT)
        await _heard_again(rooms)
        assert not (await rooms.core.store.calls.get("local", call.id)).state.ended
        await rooms.core.calls.cancel(call)


@both_eras
async def test_an_idle_server_that_stays_paused_is_given_up_and_connected_anew_when_it_goes_on(
    tmp_path: Path, era: Era
) -> None:
    async with (
        running() as server,
        house(tmp_path, [config("it", {"type": "http", "url": server.address}, era)], beat_seconds=BEAT) as rooms,
    ):
        await rooms.connected("it")
        os.kill(server.pid, signal.SIGSTOP)
        lost = await rooms.status("it", ServerState.RECONNECTING)
        assert "stopped answering" in (lost.error or {})["message"]
        os.kill(server.pid, signal.SIGCONT)
        await _until_it_works(rooms)


@both_eras
async def test_a_child_that_hangs_is_replaced(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), era)], beat_seconds=BEAT) as rooms:
        await rooms.connected("it")
        await rooms.ended(await rooms.call("it", "pause"))
        await rooms.status("it", ServerState.RECONNECTING)
        await _until_it_works(rooms)


async def test_a_server_that_is_busy_for_a_call_is_shown_as_silent_and_keeps_its_call(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)], beat_seconds=0.3) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "block", {"seconds": 3})
        await _silent(rooms)
        assert (await rooms.ended(call)).state is CallState.DONE
        await _heard_again(rooms)


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_one_lost_post_is_not_the_loss_of_the_session(tmp_path: Path, transport: Literal["http", "sse"]) -> None:
    async with at_the_end_of_a_line(tmp_path, Era.PUSH, transport=transport) as (rooms, proxy):
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.asked(call)
        proxy.deny(b"structured")
        assert (await rooms.ended(await rooms.call("it", "structured"))).state is CallState.INTERRUPTED
        assert (await rooms.core.store.requests.get("local", request.id)).pending
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        assert (await rooms.ended(call)).state is CallState.DONE
        await _delivery(rooms, request, Delivery.DELIVERED)


@both_eras
@pytest.mark.parametrize("action", list(Action))
async def test_an_answer_is_delivered_when_the_server_took_it(tmp_path: Path, era: Era, action: Action) -> None:
    async with at_the_end_of_a_line(tmp_path, era) as (rooms, _):
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.asked(call)
        assert request.delivery is None
        answered = await rooms.answer(request, action, {"name": "Ada"} if action is Action.ACCEPT else None)
        assert answered.delivery is Delivery.SENDING
        await _delivery(rooms, request, Delivery.DELIVERED)
        await rooms.ended(call)


async def test_an_answer_that_a_broken_line_swallowed_is_sent_again(tmp_path: Path) -> None:
    async with at_the_end_of_a_line(tmp_path, Era.PUSH) as (rooms, proxy):
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.asked(call)
        proxy.deny(b'"action"')
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        await proxy.has_denied(1)
        proxy.deny(b"")
        await _delivery(rooms, request, Delivery.DELIVERED)
        done = await rooms.ended(call)
        assert (done.result or {})["structuredContent"]["content"] == {"name": "Ada"}


@pytest.mark.parametrize("action", list(Action))
async def test_an_answer_that_never_arrives_is_shown_as_such_and_kept(
    tmp_path: Path, action: Action, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "ANSWER_PAUSES", (0.01, 0.01))
    async with at_the_end_of_a_line(tmp_path, Era.PUSH) as (rooms, proxy):
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.asked(call)
        proxy.deny(b'"action"')
        content = {"name": "Ada"} if action is Action.ACCEPT else None
        answered = await rooms.answer(request, action, content)
        failed = await _delivery(rooms, request, Delivery.FAILED)
        assert (failed.state, failed.content) == (answered.state, content)


async def test_an_answer_of_a_round_that_never_arrives_is_shown_as_such_and_kept(tmp_path: Path) -> None:
    async with at_the_end_of_a_line(tmp_path, Era.ROUNDS) as (rooms, proxy):
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.asked(call)
        proxy.deny(b"inputResponses")
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        failed = await _delivery(rooms, request, Delivery.FAILED)
        assert (failed.state, failed.content) == (RequestState.ACCEPTED, {"name": "Ada"})
        assert (await rooms.ended(call)).state is CallState.INTERRUPTED


async def test_half_a_round_that_was_answered_did_not_arrive_when_its_call_ends(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.ROUNDS)]) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_many", {"n": 2})
        [answered, _] = await rooms.asked(call, 2)
        await rooms.answer(answered, Action.ACCEPT, {"name": "Ada"})
        await rooms.core.calls.cancel(await rooms.core.store.calls.get("local", call.id))
        await _delivery(rooms, answered, Delivery.FAILED)


@pytest.mark.parametrize("wakes", [True, False])
async def test_an_answer_to_a_child_is_delivered_when_it_is_read_and_not_when_it_lies_in_the_pipe(
    tmp_path: Path, wakes: bool
) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)], beat_seconds=BEAT) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.asked(call)
        child = _newest_child()
        os.kill(child, signal.SIGSTOP)
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        await _silent(rooms)
        os.kill(child, signal.SIGCONT if wakes else signal.SIGKILL)
        told = await _delivery(rooms, request, Delivery.DELIVERED, Delivery.FAILED)
        assert (told.delivery, told.content) == (Delivery.DELIVERED if wakes else Delivery.FAILED, {"name": "Ada"})
        assert (await rooms.ended(call)).state is (CallState.DONE if wakes else CallState.INTERRUPTED)


@both_eras
async def test_a_cut_line_interrupts_its_calls_and_is_made_anew(tmp_path: Path, era: Era) -> None:
    async with at_the_end_of_a_line(tmp_path, era) as (rooms, proxy):
        call = await rooms.call("it", "sleep_until_cancelled", {"name": "x"})
        await _running(rooms, call)
        proxy.cut()
        assert (await rooms.ended(call)).state is CallState.INTERRUPTED
        await _until_it_works(rooms)


@both_eras
async def test_a_result_that_is_cut_in_the_middle_interrupts_its_call_and_is_no_nonsense(
    tmp_path: Path, era: Era
) -> None:
    """The SDK would say of half a JSON document that the server sent something malformed."""
    async with at_the_end_of_a_line(tmp_path, era, "--json") as (rooms, proxy):
        proxy.tear(b'"degrees"')
        cut = await rooms.ended(await rooms.call("it", "structured"))
        assert cut.state is CallState.INTERRUPTED
        assert (cut.error or {})["message"] == "The connection to the server was lost before the call ended."
        proxy.tear(b"")
        await _until_it_works(rooms)


async def test_a_response_that_is_cut_while_a_server_waits_for_a_link_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "POLL_PAUSES", (0.01,))
    async with at_the_end_of_a_line(tmp_path, Era.ROUNDS, "--json") as (rooms, proxy):
        call = await rooms.call("it", "await_url", {"url": "https://example.com/", "elicitation_id": "e1"})
        [request] = await rooms.asked(call)
        proxy.tear(b'"inputRequests"')
        await rooms.answer(request, Action.ACCEPT)
        await proxy.has_denied(2)
        proxy.tear(b"")
        assert not (await rooms.core.store.calls.get("local", call.id)).state.ended
        await rooms.call("it", "complete", {"elicitation_id": "e1", "notify": False})
        assert (await rooms.ended(call)).state is CallState.DONE


async def test_a_cut_line_interrupts_a_pushed_question_and_says_why(tmp_path: Path) -> None:
    async with at_the_end_of_a_line(tmp_path, Era.PUSH) as (rooms, proxy):
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.asked(call)
        proxy.cut()
        settled = await rooms.settled(request)
        assert settled.state is RequestState.INTERRUPTED
        assert settled.reason == "The connection to the server was lost before this was answered."
        assert (await rooms.ended(call)).state is CallState.INTERRUPTED


async def test_the_stream_on_which_a_server_speaks_unasked_is_opened_again(tmp_path: Path) -> None:
    """The SDK gives up after two attempts, and what the server asks outside of calls would be lost without a word."""
    async with at_the_end_of_a_line(tmp_path, Era.PUSH) as (rooms, proxy):
        listening = b"GET /mcp"
        proxy.deny(listening)
        proxy.cut()
        await proxy.has_denied(4)
        opened = proxy.expect(listening)
        proxy.deny(b"")
        await opened.wait()
        await _works(rooms)
        call = await rooms.call("it", "ask_unasked")
        await rooms.answer(await rooms.asked_by("it"), Action.DECLINE)
        assert (await rooms.ended(call)).state is CallState.DONE


@both_eras
async def test_a_line_that_is_stalled_is_given_up_when_it_is_idle(tmp_path: Path, era: Era) -> None:
    async with at_the_end_of_a_line(tmp_path, era) as (rooms, proxy):
        proxy.stall()
        await rooms.status("it", ServerState.RECONNECTING)
        proxy.flow()
        await _until_it_works(rooms)


@both_eras
async def test_a_refused_port_is_tried_again_until_it_is_back(tmp_path: Path, era: Era) -> None:
    async with at_the_end_of_a_line(tmp_path, era) as (rooms, proxy):
        await proxy.refuse()
        proxy.cut()
        lost = await rooms.status("it", ServerState.RECONNECTING)
        assert "Nothing answers at" in (lost.error or {})["message"]
        await proxy.accept()
        await _until_it_works(rooms)


def _newest_child() -> int:
    """Return the process that this one started last."""
    return int(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()[-1])


async def _running(rooms: House, call: Call) -> None:
    """Wait until the server has begun with the call: it answers what was sent afterwards."""
    await _works(rooms)
    assert not (await rooms.core.store.calls.get("local", call.id)).state.ended
