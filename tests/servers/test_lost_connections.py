"""Calls that wait for a person need no connection: they survive its loss, and resume with the next one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house import House, config, house
from tests.mcp_servers import STATE_KEY, running, stdio
from webclient.calls.checkpoint import Checkpoint
from webclient.calls.running import RunningCall, RunningCalls
from webclient.domain.model import (
    Action,
    Call,
    CallState,
    Delivery,
    Era,
    InputRequest,
    Json,
    ReasonCode,
    RequestState,
    ServerState,
)
from webclient.store import Store

pytestmark = pytest.mark.anyio

KEY = ("--state-key", STATE_KEY)
URL = "https://example.com/sign-in"


async def waiting(rooms: House, tool: str = "ask_rounds", arguments: Json | None = None) -> tuple[Call, InputRequest]:
    """Have the server ask during a call, and return both once the call waits."""
    await rooms.connected("it")
    call = await rooms.call("it", tool, arguments or {"n": 1})
    [request] = await rooms.pending_requests(call)

    await in_state(rooms, call, CallState.INPUT_REQUIRED)
    return call, request


async def in_state(rooms: House, call: Call, state: CallState) -> None:
    async def look() -> bool:
        return (await now(rooms, call)).state is state

    await rooms.until(look)


async def now(rooms: House, call: Call) -> Call:
    return await rooms.services.store.of("local").calls.get(call.id)


async def lost_and_back(rooms: House) -> None:
    """Have the server crash, and wait until it was started again."""
    server = await rooms.connected("it")
    before = rooms.services.connections.connected(server).session
    await rooms.call("it", "crash")

    async def look() -> bool:
        up = rooms.services.connections.status(server.key).state is ServerState.CONNECTED
        return up and rooms.services.connections.connected(server).session is not before

    await rooms.until(look)


async def test_a_2026_07_28_request_survives_the_child_that_sent_it(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker", *KEY), Era.ROUNDS)]) as rooms:
        call, request = await waiting(rooms)
        await lost_and_back(rooms)
        assert (await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})).state is RequestState.ACCEPTED
        done = await rooms.ended(call)
        assert done.state is CallState.DONE, done.error
        assert "Ada" in str(done.result)


async def test_a_session_lost_just_before_an_answer_keeps_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = RunningCall.save_checkpoint

    async def slowly(running: RunningCall, checkpoint: Checkpoint | None) -> None:
        if checkpoint is None:
            monkeypatch.undo()
            await lost_and_back(rooms)
        await save(running, checkpoint)

    async with house(tmp_path, [config("it", stdio("asker", *KEY), Era.ROUNDS)]) as rooms:
        call, request = await waiting(rooms)
        monkeypatch.setattr(RunningCall, "save_checkpoint", slowly)
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        done = await rooms.ended(call)
        assert done.state is CallState.DONE, done.error
        assert "Ada" in str(done.result)


async def test_a_restarted_server_without_its_state_fails_the_call(tmp_path: Path) -> None:
    # Without a key, the server seals its state with a new one at each start.
    async with house(tmp_path, [config("it", stdio("asker"), Era.ROUNDS)]) as rooms:
        call, request = await waiting(rooms)
        await lost_and_back(rooms)
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        failed = await rooms.ended(call)
        assert failed.reason_code is ReasonCode.REQUEST_STATE_REJECTED


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_required_links_survive_the_child_that_needs_them(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), era)]) as rooms:
        call, request = await waiting(rooms, "need_url", {"url": URL})
        await lost_and_back(rooms)
        await rooms.answer(request, Action.ACCEPT)
        await rooms.ended(await rooms.call("it", "complete", {}))
        await rooms.services.inbox.links.finished("local", request.id)
        done = await rooms.ended(call)
        assert done.state is CallState.DONE, done.error


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_an_answer_given_while_the_server_restarts_is_sent(tmp_path: Path, era: Era) -> None:
    """Over HTTP a 2025-11-25 session may not even know that its server was away."""
    async with (
        running(arguments=KEY) as first,
        house(tmp_path, [config("it", {"type": "http", "url": first.address}, era)]) as rooms,
    ):
        call, request = await waiting(rooms, "need_url", {"url": URL})
        first.kill()
        async with running(port=first.port, arguments=KEY):
            await rooms.answer(request, Action.ACCEPT)
            await rooms.services.inbox.links.finished("local", request.id)
            [again] = await rooms.pending_requests(call)
            assert (again.round, again.params["url"]) == (2, URL)
            await rooms.services.calls.cancel(await now(rooms, call))


@pytest.mark.parametrize(
    ("era", "tool"), [(Era.PUSH, "need_url"), (Era.ROUNDS, "need_url"), (Era.ROUNDS, "ask_rounds")]
)
async def test_an_answer_given_while_the_server_is_away_is_sent_later(tmp_path: Path, era: Era, tool: str) -> None:
    async with (
        running(arguments=KEY) as first,
        house(tmp_path, [config("it", {"type": "http", "url": first.address}, era)]) as rooms,
    ):
        call, request = await waiting(rooms, tool, {"n": 1} if tool == "ask_rounds" else {"url": URL})
        first.kill()
        if tool == "ask_rounds":
            await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        else:
            await rooms.answer(request, Action.ACCEPT)
            await rooms.services.inbox.links.finished("local", request.id)
        await rooms.status("it", ServerState.RECONNECTING)
        assert not (await now(rooms, call)).state.ended
        async with running(port=first.port, arguments=KEY):
            if tool == "ask_rounds":
                done = await rooms.ended(call)
                assert done.state is CallState.DONE, done.error
            else:
                [again] = await rooms.pending_requests(call)
                assert again.round == 2
                await rooms.services.calls.cancel(await now(rooms, call))


@pytest.mark.parametrize("tool", ["ask_rounds", "need_url"])
async def test_disconnecting_interrupts_a_waiting_call_with_a_reason(tmp_path: Path, tool: str) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.ROUNDS)]) as rooms:
        call, request = await waiting(rooms, tool, {"n": 1} if tool == "ask_rounds" else {"url": URL})
        await rooms.services.connections.disconnect(await rooms.server("it"))
        settled = await rooms.settled(request)
        assert settled.state is RequestState.INTERRUPTED
        assert settled.reason_code is ReasonCode.SERVER_DISCONNECTED
        assert (await rooms.ended(call)).state is CallState.INTERRUPTED


async def test_disconnecting_an_absent_server_interrupts_its_calls(tmp_path: Path) -> None:
    async with (
        running(arguments=KEY) as first,
        house(tmp_path, [config("it", {"type": "http", "url": first.address}, Era.ROUNDS)]) as rooms,
    ):
        call, request = await waiting(rooms)
        sleeper = await rooms.call("it", "sleep_until_cancelled", {"name": "x"})
        first.kill()
        await rooms.ended(sleeper)
        await rooms.status("it", ServerState.RECONNECTING)
        assert not (await now(rooms, call)).state.ended
        await rooms.services.connections.disconnect(await rooms.server("it"))
        assert (await rooms.settled(request)).state is RequestState.INTERRUPTED
        assert (await rooms.ended(call)).state is CallState.INTERRUPTED


async def test_a_server_absent_at_start_is_retried_until_it_is_back(tmp_path: Path) -> None:
    async with running(arguments=KEY) as first:
        servers = [config("it", {"type": "http", "url": first.address}, Era.ROUNDS)]
        async with house(tmp_path, servers) as rooms:
            call, request = await waiting(rooms)
    async with house(tmp_path, servers) as rooms:
        away = await rooms.status("it", ServerState.RECONNECTING)
        assert away.reason_code is ReasonCode.NOTHING_LISTENS
        assert (await rooms.services.store.of("local").requests.get(request.id)).pending
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        async with running(port=first.port, arguments=KEY):
            done = await rooms.ended(call)
            assert done.state is CallState.DONE, done.error
            assert "Ada" in str(done.result)


async def test_an_answer_unsent_at_a_stop_is_delivered_afterwards(tmp_path: Path) -> None:
    async with running(arguments=KEY) as first:
        servers = [config("it", {"type": "http", "url": first.address}, Era.ROUNDS)]
        async with house(tmp_path, servers) as rooms:
            call, request = await waiting(rooms)
    async with house(tmp_path, servers) as rooms:
        await rooms.status("it", ServerState.RECONNECTING)
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        await in_state(rooms, call, CallState.RUNNING)
    async with running(port=first.port, arguments=KEY), house(tmp_path, servers) as rooms:
        assert (await rooms.ended(call)).state is CallState.DONE
        answered = await rooms.services.store.of("local").requests.get(request.id)
        assert answered.delivery is Delivery.DELIVERED


async def test_an_absent_server_is_not_retried_once_no_call_waits(tmp_path: Path) -> None:
    async with running(arguments=KEY) as first:
        servers = [config("it", {"type": "http", "url": first.address}, Era.ROUNDS)]
        async with house(tmp_path, servers) as rooms:
            call, request = await waiting(rooms)
    async with house(tmp_path, servers) as rooms:
        await rooms.status("it", ServerState.RECONNECTING)
        await rooms.services.calls.cancel(await now(rooms, call))
        assert (await rooms.settled(request)).state is RequestState.CANCELLED
        await rooms.status("it", ServerState.ERROR)


async def test_a_resumed_call_can_be_resumed_again_by_the_next_process(tmp_path: Path) -> None:
    servers = [config("it", stdio("asker", *KEY), Era.ROUNDS)]
    async with house(tmp_path, servers) as rooms:
        call, request = await waiting(rooms)
    for _time in range(2):
        async with house(tmp_path, servers) as rooms:
            await rooms.connected("it")
            assert not (await now(rooms, call)).state.ended
    async with house(tmp_path, servers) as rooms:
        await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        assert (await rooms.ended(call)).state is CallState.DONE


async def test_a_call_still_ending_at_shutdown_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    servers = [config("it", stdio("asker", *KEY), Era.ROUNDS)]
    async with house(tmp_path, servers) as rooms:
        call, _request = await waiting(rooms)
        # The call has not ended yet when its connection has.
        monkeypatch.setattr(RunningCalls, "remove", lambda *_call: None)
    monkeypatch.undo()
    async with house(tmp_path, servers) as rooms:
        assert (await now(rooms, call)).state is CallState.INPUT_REQUIRED


async def test_a_call_answered_as_the_program_was_killed_is_resumed(tmp_path: Path) -> None:
    servers = [config("it", stdio("asker", *KEY), Era.ROUNDS)]
    async with house(tmp_path, servers) as rooms:
        call, request = await waiting(rooms)
    store = Store(tmp_path)
    # The first write of an answer, and the last one of a process that was killed right then.
    await store.of("local").requests.settle(request.id, to=RequestState.ACCEPTED, content={"name": "Ada"})
    await store.close()
    async with house(tmp_path, servers) as rooms:
        assert (await now(rooms, call)).state is not CallState.INPUT_REQUIRED
        done = await rooms.ended(call)
        assert "Ada" in str(done.result), done.error
