"""Faults, injected for real: processes that are killed or paused, lines that are cut, stalled or refused."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Literal

import pytest

from tests.house import House, config, house
from tests.line import BEAT, at_the_end_of_a_line, both_eras, delivered, newest_child, silent, until_it_works, works
from tests.mcp_servers import STATE_KEY, running, stdio
from tests.mcp_servers.proxy import proxied
from webclient.calls import link_polling
from webclient.domain.model import (
    Action,
    Call,
    CallState,
    Delivery,
    Era,
    ReasonCode,
    RequestState,
    ServerState,
    ServerStatus,
)
from webclient.protocol.session.session import Session
from webclient.web.pages.calls.call_timeline import away

pytestmark = pytest.mark.anyio


async def _heard_again(rooms: House) -> None:
    server = await rooms.server("it")

    async def look() -> bool:
        status = rooms.services.connections.status(server.key)
        return status.state is ServerState.CONNECTED and status.quiet_since is None

    await rooms.until(look)


@both_eras
async def test_an_idle_server_reconnects_after_it_was_killed(tmp_path: Path, era: Era) -> None:
    """MCP 2025-11-25, Ping: implementations SHOULD periodically issue pings to detect connection health."""
    async with (
        running() as first,
        house(tmp_path, [config("it", {"type": "http", "url": first.address}, era)], beat_seconds=BEAT) as rooms,
    ):
        await rooms.connected("it")
        first.kill()
        lost = await rooms.status("it", ServerState.RECONNECTING)
        assert lost.error
        async with running(port=first.port):
            await until_it_works(rooms)


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_an_idle_server_reconnects_after_an_unseen_restart(tmp_path: Path, transport: str) -> None:
    """The proxy keeps the connection open, so that only the lost session shows it."""
    async with running(transport=transport, era=Era.PUSH) as first, proxied(first.address) as (proxy, address):  # type: ignore[arg-type]
        servers = [config("it", {"type": transport, "url": address}, Era.PUSH)]
        async with house(tmp_path, servers, beat_seconds=BEAT) as rooms:
            before = rooms.services.connections.connected(await rooms.connected("it")).session
            first.kill()
            async with running(transport=transport, era=Era.PUSH) as second:  # type: ignore[arg-type]
                proxy.server_port = second.port
                await _reconnected(rooms, before)
                await works(rooms)


async def _reconnected(rooms: House, before: Session) -> None:
    connection = rooms.services.connections._connections[(await rooms.server("it")).key]

    async def look() -> bool:
        return connection.status.state is ServerState.CONNECTED and connection.session is not before

    await rooms.until(look)


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        ("404", "application/json", "stranger"),
        ("404", "text/html", "page"),
        ("400", "text/plain", "no-session"),
    ],
)
async def test_a_call_in_an_unknown_session_is_sent_in_a_new_one(
    tmp_path: Path, status: str, kind: str, words: str
) -> None:
    async with (
        running("statuses", era=Era.PUSH, arguments=["--session", status, kind, words]) as server,
        house(tmp_path, [config("it", {"type": "http", "url": server.address}, Era.PUSH)]) as rooms,
    ):
        before = rooms.services.connections.connected(await rooms.connected("it")).session
        assert (await rooms.ended(await rooms.call("it", "ask"))).state is CallState.DONE
        assert rooms.services.connections.connected(await rooms.server("it")).session is not before


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_calls_right_after_a_restart_run_once_each(tmp_path: Path, transport: Literal["http", "sse"]) -> None:
    """The proxy keeps the connection open, so that only the status 404 shows it; nothing was sent meanwhile."""
    async with (
        running(transport=transport, era=Era.PUSH) as first,
        proxied(first.address) as (proxy, address),
        house(tmp_path, [config("it", {"type": transport, "url": address}, Era.PUSH)]) as rooms,
    ):
        await rooms.connected("it")
        first.kill()
        async with running(transport=transport, era=Era.PUSH) as second:
            proxy.server_port = second.port
            calls = [await rooms.call("it", "structured") for _ in range(3)]
            assert [(await rooms.ended(call)).state for call in calls] == [CallState.DONE] * 3


async def test_an_unknown_session_is_shown_until_a_call_is_sent_again(tmp_path: Path) -> None:
    async with (
        running("statuses", era=Era.PUSH, arguments=["--session", "404", "text/html", "page"]) as server,
        house(tmp_path, [config("it", {"type": "http", "url": server.address}, Era.PUSH)]) as rooms,
    ):
        server_key = (await rooms.connected("it")).key
        call = await rooms.call("it", "ask")

        async def look() -> ServerStatus | None:
            status = rooms.services.connections.status(server_key)
            return status if status.state is not ServerState.CONNECTED else None

        status = await rooms.until(look)
        assert status.state is ServerState.RECONNECTING
        assert status.reason_code is ReasonCode.SESSION_UNKNOWN
        waiting = await rooms.services.store.of("local").calls.get(call.id)
        assert waiting.state is CallState.RUNNING
        assert away(waiting, [], status)
        assert (await rooms.ended(call)).state is CallState.DONE
        assert rooms.services.connections.status(server_key).error is None


@both_eras
async def test_a_paused_server_is_shown_as_silent_and_as_heard_again(tmp_path: Path, era: Era) -> None:
    async with (
        running(arguments=["--state-key", STATE_KEY]) as server,
        house(tmp_path, [config("it", {"type": "http", "url": server.address}, era)], beat_seconds=BEAT) as rooms,
    ):
        await rooms.connected("it")
        call = await rooms.call("it", "sleep_until_cancelled", {"name": "x"})
        os.kill(server.pid, signal.SIGSTOP)
        await silent(rooms)
        os.kill(server.pid, signal.SIGCONT)
        await _heard_again(rooms)
        assert not (await rooms.services.store.of("local").calls.get(call.id)).state.ended
        await rooms.services.calls.cancel(call)


@both_eras
async def test_a_paused_idle_server_is_given_up_and_reconnects_later(tmp_path: Path, era: Era) -> None:
    async with (
        running() as server,
        house(tmp_path, [config("it", {"type": "http", "url": server.address}, era)], beat_seconds=BEAT) as rooms,
    ):
        await rooms.connected("it")
        os.kill(server.pid, signal.SIGSTOP)
        lost = await rooms.status("it", ServerState.RECONNECTING)
        assert lost.reason_code is ReasonCode.STOPPED_ANSWERING
        os.kill(server.pid, signal.SIGCONT)
        await until_it_works(rooms)


@both_eras
async def test_a_child_that_hangs_is_replaced(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, [config("it", stdio("asker", forked=False), era)], beat_seconds=BEAT) as rooms:
        await rooms.connected("it")
        os.kill(newest_child(), signal.SIGSTOP)
        await rooms.status("it", ServerState.RECONNECTING)
        await until_it_works(rooms)


async def test_a_silent_server_that_works_for_a_call_keeps_it(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)], beat_seconds=0.3) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "block", {"seconds": 3})
        await silent(rooms)
        assert (await rooms.ended(call)).state is CallState.DONE
        await _heard_again(rooms)


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_one_lost_post_is_not_the_loss_of_the_session(tmp_path: Path, transport: Literal["http", "sse"]) -> None:
    async with at_the_end_of_a_line(tmp_path, Era.PUSH, transport=transport) as (rooms, proxy):
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        proxy.deny(b"structured")
        assert (await rooms.ended(await rooms.call("it", "structured"))).state is CallState.INTERRUPTED
        assert (await rooms.services.store.of("local").requests.get(request.id)).pending
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        assert (await rooms.ended(call)).state is CallState.DONE
        await delivered(rooms, request, Delivery.DELIVERED)


async def test_an_sse_server_keeps_its_session_after_a_lost_ping(tmp_path: Path) -> None:
    async with at_the_end_of_a_line(tmp_path, Era.PUSH, transport="sse") as (rooms, proxy):
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        proxy.deny(b'"ping"')
        rooms.services.connections.connected(await rooms.server("it")).probe()
        await proxy.has_denied(1)
        proxy.deny(b"")
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        assert (await rooms.ended(call)).state is CallState.DONE
        await _heard_again(rooms)


@both_eras
async def test_a_cut_line_interrupts_its_calls_and_reconnects(tmp_path: Path, era: Era) -> None:
    async with at_the_end_of_a_line(tmp_path, era) as (rooms, proxy):
        call = await rooms.call("it", "sleep_until_cancelled", {"name": "x"})
        await _running(rooms, call)
        proxy.cut()
        assert (await rooms.ended(call)).state is CallState.INTERRUPTED
        await until_it_works(rooms)


@both_eras
async def test_a_result_cut_in_the_middle_interrupts_its_call(tmp_path: Path, era: Era) -> None:
    """The SDK would say of half a JSON document that the server sent something malformed."""
    async with at_the_end_of_a_line(tmp_path, era, "--json") as (rooms, proxy):
        proxy.tear(b'"degrees"')
        cut = await rooms.ended(await rooms.call("it", "structured"))
        assert cut.state is CallState.INTERRUPTED
        assert cut.reason_code is ReasonCode.CONNECTION_LOST
        proxy.tear(b"")
        await until_it_works(rooms)


async def test_a_cut_response_about_a_waiting_link_is_requested_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_polling, "POLL_PAUSES", (0.01,))
    async with at_the_end_of_a_line(tmp_path, Era.ROUNDS, "--json") as (rooms, proxy):
        call = await rooms.call("it", "await_url", {"url": "https://example.com/", "elicitation_id": "e1"})
        [request] = await rooms.pending_requests(call)
        proxy.tear(b'"inputRequests"')
        await rooms.answer(request, Action.ACCEPT)
        await proxy.has_denied(2)
        proxy.tear(b"")
        assert not (await rooms.services.store.of("local").calls.get(call.id)).state.ended
        await rooms.call("it", "complete", {"elicitation_id": "e1", "notify": False})
        assert (await rooms.ended(call)).state is CallState.DONE


async def test_a_cut_line_interrupts_a_pushed_question_and_says_why(tmp_path: Path) -> None:
    async with at_the_end_of_a_line(tmp_path, Era.PUSH) as (rooms, proxy):
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        proxy.cut()
        settled = await rooms.settled(request)
        assert settled.state is RequestState.INTERRUPTED
        assert settled.reason_code is ReasonCode.CONNECTION_LOST
        assert (await rooms.ended(call)).state is CallState.INTERRUPTED


async def test_the_stream_for_unasked_messages_is_opened_again(tmp_path: Path) -> None:
    """The SDK gives up after two attempts, and what the server asks outside of calls would be lost without a word."""
    async with at_the_end_of_a_line(tmp_path, Era.PUSH) as (rooms, proxy):
        listening = b"GET /mcp"
        proxy.deny(listening)
        proxy.cut()
        await proxy.has_denied(4)
        opened = proxy.expect(listening)
        proxy.deny(b"")
        await opened.wait()
        await works(rooms)
        call = await rooms.call("it", "ask_outside_call")
        await rooms.answer(await rooms.request_from("it"), Action.DECLINE)
        assert (await rooms.ended(call)).state is CallState.DONE


@both_eras
async def test_a_line_that_is_stalled_is_given_up_when_it_is_idle(tmp_path: Path, era: Era) -> None:
    async with at_the_end_of_a_line(tmp_path, era) as (rooms, proxy):
        proxy.stall()
        await rooms.status("it", ServerState.RECONNECTING)
        proxy.flow()
        await until_it_works(rooms)


@both_eras
async def test_a_refused_port_is_tried_again_until_it_is_back(tmp_path: Path, era: Era) -> None:
    async with at_the_end_of_a_line(tmp_path, era) as (rooms, proxy):
        await proxy.refuse()
        proxy.cut()

        async def is_unreachable() -> bool | None:
            # Before the first attempt the reason is still that the session was lost.
            return (
                await rooms.status("it", ServerState.RECONNECTING)
            ).reason_code is ReasonCode.NOTHING_LISTENS or None

        await rooms.until(is_unreachable)
        await proxy.accept()
        await until_it_works(rooms)


async def _running(rooms: House, call: Call) -> None:
    """Wait until the server has begun with the call: it answers what was sent afterwards."""
    await works(rooms)
    assert not (await rooms.services.store.of("local").calls.get(call.id)).state.ended
