"""Calls whose server wants a sign-in in the middle: it alone waits, and is sent again when the user has signed in."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from tests.house import config, house
from tests.mcp_servers import running
from tests.mcp_servers.proxy import proxied
from tests.mcp_servers.token_proxy import TokenProxy, token_proxy
from tests.protected import ANOTHER, TOKEN, core, protected, waiting
from tests.sign_in import SignInByHand
from webclient.calls import AskFirst, Judgement
from webclient.domain.model import (
    LOCAL_USER,
    Action,
    Call,
    CallState,
    Delivery,
    Era,
    Json,
    ReasonCode,
    ServerState,
    Then,
)
from webclient.protocol.wire_log import LogFilter

pytestmark = pytest.mark.anyio

every_transport = pytest.mark.parametrize(
    ("transport", "era"), [("http", Era.ROUNDS), ("http", Era.PUSH), ("sse", Era.ROUNDS), ("sse", Era.PUSH)]
)
Transport = Literal["http", "sse"]


def only_calls(proxy: TokenProxy) -> None:
    """Protect calls of tools alone."""
    proxy.free = lambda _verb, message: message.get("method") != "tools/call"


def only_large_calls(proxy: TokenProxy) -> None:
    """Want more scope for one tool."""
    proxy.lacks_scope = lambda message: (message.get("params") or {}).get("name") == "structured"


@every_transport
async def test_a_call_with_a_valid_token_costs_no_extra_request(tmp_path: Path, transport: Transport, era: Era) -> None:
    async with protected(tmp_path, transport=transport, era=era, token=TOKEN) as here:
        await here.rooms.connected("it")
        assert (await here.rooms.ended(await here.rooms.call("it", "structured"))).state is CallState.DONE
        assert here.proxy.sent("tools/call") == 1
        assert here.proxy.refused == 0
        assert {each.token for each in here.proxy.seen} == {TOKEN}


@every_transport
async def test_a_call_waits_until_the_user_has_signed_in(tmp_path: Path, transport: Transport, era: Era) -> None:
    async with protected(tmp_path, transport=transport, era=era, prepare=only_calls) as here:
        server = await here.rooms.connected("it")
        call = await here.rooms.call("it", "structured")
        assert (await here.waiting(call)).checkpoint == {"version": 1, "kind": "unsent", "as_task": False}
        assert here.rooms.services.connections.status(server.key).state is ServerState.CONNECTED
        here.sign_in.sign_in(TOKEN)
        done = await here.rooms.ended(call)
        assert (done.state, done.checkpoint) == (CallState.DONE, None)
        assert (here.proxy.sent("tools/call", 401), here.proxy.sent("tools/call")) == (1, 1)


@pytest.mark.parametrize("then", [Then.RUN, Then.ASK, Then.REFUSE])
async def test_an_approved_call_is_judged_again_after_a_sign_in(tmp_path: Path, then: Then) -> None:
    """Hours may have passed: a rule that refuses it by then stops it, and one that was changed asks again."""
    judged = [Judgement(Then.ASK, "first"), Judgement(then, "second")]

    async def judge(_call: Call, _tool: Json, _arguments: Json) -> Judgement:
        return judged.pop(0) if len(judged) > 1 else judged[0]

    async with protected(tmp_path, prepare=only_calls) as here:
        server = await here.rooms.connected("it")
        await here.rooms.services.connections.know_tools(server)
        here.rooms.services.calls.judged_by(judge)
        tool = here.rooms.services.connections.reachable(server).catalog.tool("structured") or {}
        call = await here.rooms.call("it", "structured", ask_first=AskFirst(tool=tool, rule="first"))
        [request] = await here.rooms.pending_requests(call)
        await here.rooms.answer(request, Action.ACCEPT)
        await here.waiting(call)
        here.sign_in.sign_in(TOKEN)
        if then is Then.ASK:
            [again] = await here.rooms.pending_requests(call)
            assert (again.id != request.id, again.reason_code) == (True, ReasonCode.RULE_CHANGED)
            assert here.proxy.sent("tools/call") == 0
            await here.rooms.answer(again, Action.ACCEPT)
        done = await here.rooms.ended(call)
        assert done.state is (CallState.CANCELLED if then is Then.REFUSE else CallState.DONE)
        assert here.proxy.sent("tools/call") == (0 if then is Then.REFUSE else 1)


async def test_a_call_outlives_a_restart_during_its_sign_in(tmp_path: Path) -> None:
    """The server refused the call unread twice, for two reasons: each may be mended once."""
    async with protected(tmp_path, era=Era.PUSH, prepare=only_calls) as here, running() as restarted:
        await here.rooms.connected("it")
        call = await here.rooms.call("it", "structured")
        await here.waiting(call)
        here.proxy.lead_to(restarted.address)
        here.sign_in.sign_in(TOKEN)
        assert (await here.rooms.ended(call)).state is CallState.DONE


async def test_a_call_outlives_a_restart_during_each_sign_in(tmp_path: Path) -> None:
    async with (
        protected(tmp_path, era=Era.PUSH, prepare=only_calls) as here,
        running() as second,
        running() as third,
    ):
        await here.rooms.connected("it")
        call = await here.rooms.call("it", "structured")
        await here.waiting(call)
        here.proxy.lead_to(second.address)
        here.sign_in.sign_in(TOKEN)
        # The second server does not know the session. Before the call comes in a new one, the token is over.
        await here.proxy.until(lambda: here.proxy.sent("tools/call") == 1)
        here.proxy.tokens = {ANOTHER}
        await here.waiting(call)
        here.proxy.lead_to(third.address)
        here.sign_in.sign_in(ANOTHER)
        assert (await here.rooms.ended(call)).state is CallState.DONE


async def test_a_call_outlives_a_server_away_as_its_sign_in_ends(tmp_path: Path) -> None:
    async with running() as server, token_proxy(server.address) as proxy, proxied(proxy.address) as (line, address):
        only_calls(proxy)
        proxy.tokens = {TOKEN}
        sign_in = SignInByHand()
        async with house(tmp_path, [config("it", {"type": "http", "url": address}, Era.ROUNDS)], sign_in=sign_in) as on:
            await on.connected("it")
            call = await on.call("it", "structured")
            await waiting(sign_in, on, call)
            await line.refuse()
            line.cut()
            sign_in.sign_in(TOKEN)
            await on.status("it", ServerState.RECONNECTING)
            await line.accept()
            assert (await on.ended(call)).state is CallState.DONE
            assert proxy.sent("tools/call") == 1


async def test_a_call_goes_on_unnoticed_with_a_renewed_token(tmp_path: Path) -> None:
    async with protected(tmp_path, token=TOKEN, renewed=[ANOTHER]) as here:
        await here.rooms.connected("it")
        here.proxy.tokens = {ANOTHER}
        assert (await here.rooms.ended(await here.rooms.call("it", "structured"))).state is CallState.DONE
        assert not here.sign_in.wanted.is_set()


@pytest.mark.parametrize("era", [Era.ROUNDS, Era.PUSH])
async def test_a_denied_sign_in_fails_its_call_beside_a_slow_one(tmp_path: Path, era: Era) -> None:
    async with protected(tmp_path, era=era, token=TOKEN, prepare=only_large_calls) as here:
        server = await here.rooms.connected("it")
        slow = await here.rooms.call("it", "ask_form")
        [request] = await here.rooms.pending_requests(slow)
        call = await here.rooms.call("it", "structured")
        await here.waiting(call)
        assert [each.status for each in here.sign_in.refusals] == [403]
        here.sign_in.deny()
        failed = await here.rooms.ended(call)
        assert (failed.state, failed.reason_code) == (CallState.FAILED, ReasonCode.SIGN_IN_REQUIRED)
        assert here.rooms.services.connections.status(server.key).state is ServerState.CONNECTED
        await here.rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
        assert (await here.rooms.ended(slow)).state is CallState.DONE


async def test_a_step_up_sends_the_call_with_the_larger_token(tmp_path: Path) -> None:
    async with protected(tmp_path, token=TOKEN, prepare=only_large_calls) as here:
        await here.rooms.connected("it")
        call = await here.rooms.call("it", "structured")
        await here.waiting(call)
        here.proxy.larger = {ANOTHER}
        here.sign_in.sign_in(ANOTHER)
        assert (await here.rooms.ended(call)).state is CallState.DONE


async def test_a_call_that_waits_for_a_sign_in_is_cancelled_at_once(tmp_path: Path) -> None:
    async with protected(tmp_path, prepare=only_calls) as here:
        await here.rooms.connected("it")
        call = await here.rooms.call("it", "structured")
        cancelled = await here.rooms.services.calls.cancel(await here.waiting(call))
        assert cancelled.state is CallState.CANCELLED
        here.sign_in.sign_in(TOKEN)
        again = await here.rooms.call("it", "structured")
        assert (await here.rooms.ended(again)).state is CallState.DONE
        assert here.proxy.sent("tools/call") == 1, "only the second"


async def test_a_token_that_is_never_accepted_fails_the_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webclient.calls.driver.MAX_RESENT", 2)
    async with protected(tmp_path, prepare=only_calls) as here:
        await here.rooms.connected("it")
        call = await here.rooms.call("it", "structured")
        for number in range(3):
            await here.sign_in.wanted.wait()
            here.sign_in.sign_in(f"wrong-token-{number}")
        failed = await here.rooms.ended(call)
        assert (failed.state, failed.reason_code) == (CallState.FAILED, ReasonCode.SIGN_IN_REQUIRED)


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_an_answer_is_kept_until_the_user_has_signed_in(tmp_path: Path, transport: Transport) -> None:
    """2025-11-25: the server waits for the answer, and other messages go on."""
    async with protected(tmp_path, era=Era.PUSH, transport=transport, token=TOKEN) as here:
        await here.rooms.connected("it")
        call = await here.rooms.call("it", "ask_form")
        [request] = await here.rooms.pending_requests(call)
        here.proxy.tokens = set()
        await here.rooms.answer(request, Action.ACCEPT, {"name": "typed before"})
        await here.sign_in.wanted.wait()
        here.proxy.free = lambda _verb, message: message.get("method") == "tools/call"
        assert (await here.rooms.ended(await here.rooms.call("it", "structured"))).state is CallState.DONE
        here.proxy.tokens = {ANOTHER}
        here.sign_in.sign_in(ANOTHER)
        done = await here.rooms.ended(call)
        assert done.result
        assert done.result["structuredContent"]["content"] == {"name": "typed before"}
        settled = await here.rooms.services.store.of(LOCAL_USER).requests.get(request.id)
        assert settled.delivery is Delivery.DELIVERED


async def test_an_answer_without_a_sign_in_is_shown_as_failed(tmp_path: Path) -> None:
    async with protected(tmp_path, era=Era.PUSH, token=TOKEN) as here:
        await here.rooms.connected("it")
        [request] = await here.rooms.pending_requests(await here.rooms.call("it", "ask_form"))
        here.proxy.tokens = set()
        await here.rooms.answer(request, Action.DECLINE)
        await here.sign_in.wanted.wait()
        here.sign_in.deny()

        async def failed() -> bool:
            newest = await here.rooms.services.store.of(LOCAL_USER).requests.get(request.id)
            return newest.delivery is Delivery.FAILED

        await here.rooms.until(failed)


async def test_the_answers_of_a_round_are_kept_for_the_sign_in(tmp_path: Path) -> None:
    async with protected(tmp_path, era=Era.ROUNDS, token=TOKEN) as here:
        await here.rooms.connected("it")
        call = await here.rooms.call("it", "ask_form")
        [request] = await here.rooms.pending_requests(call)
        here.proxy.tokens = {ANOTHER}
        await here.rooms.answer(request, Action.ACCEPT, {"name": "typed before"})
        await here.waiting(call)
        here.sign_in.sign_in(ANOTHER)
        done = await here.rooms.ended(call)
        assert done.result
        assert done.result["structuredContent"]["content"] == {"name": "typed before"}


def _answered(result: Json | None) -> object:
    assert result
    return result["structuredContent"].get("content")


@pytest.mark.parametrize("tool", ["structured", "ask_form"])
async def test_a_call_waits_for_a_sign_in_also_after_a_restart(tmp_path: Path, tool: str) -> None:
    async with running() as server, token_proxy(server.address) as proxy:
        proxy.tokens = {TOKEN}
        only_calls(proxy)
        first = SignInByHand(TOKEN if tool == "ask_form" else None)
        async with core(tmp_path, proxy, first, Era.ROUNDS) as rooms:
            await rooms.connected("it")
            call = await rooms.call("it", tool)
            if tool == "ask_form":
                [request] = await rooms.pending_requests(call)
                proxy.tokens = {ANOTHER}
                await rooms.answer(request, Action.ACCEPT, {"name": "typed before"})
            await waiting(first, rooms, call)
        second = SignInByHand()
        async with core(tmp_path, proxy, second, Era.ROUNDS) as rooms:
            await second.wanted.wait()
            proxy.tokens = {ANOTHER}
            second.sign_in(ANOTHER)
            done = await rooms.ended(call)
            assert done.state is CallState.DONE, done
            if tool == "ask_form":
                assert _answered(done.result) == {"name": "typed before"}
            assert proxy.sent("tools/call") == (2 if tool == "ask_form" else 1)


async def test_a_call_to_a_server_that_wants_a_sign_in_waits(tmp_path: Path) -> None:
    async with running() as server, token_proxy(server.address) as proxy:
        proxy.tokens = {TOKEN}
        first, second = SignInByHand(), SignInByHand()
        async with core(tmp_path, proxy, first) as rooms:
            await first.wanted.wait()
            key = (await rooms.server("it")).key

            async def waits() -> bool:
                return await rooms.services.connections.waits_for_sign_in(key)

            await rooms.until(waits)
            call = await rooms.call("it", "structured")

            async def waiting() -> bool:
                return (await rooms.services.store.of(LOCAL_USER).calls.get(call.id)).state == "input_required"

            await rooms.until(waiting)
        async with core(tmp_path, proxy, second) as rooms:
            await second.wanted.wait()
            second.sign_in(TOKEN)
            assert (await rooms.ended(call)).state is CallState.DONE


@every_transport
async def test_the_wire_log_never_contains_the_token(tmp_path: Path, transport: Transport, era: Era) -> None:
    """Not even if the server repeats it."""
    async with protected(tmp_path, transport=transport, era=era, token=TOKEN) as here:
        server = await here.rooms.connected("it")
        await here.rooms.ended(await here.rooms.call("it", "fail", {"message": f"You sent {TOKEN}."}))
        entries = [each async for each in here.rooms.services.log_reader.all(server.key, LogFilter())]
        assert any("You sent" in repr(each) for each in entries)
        assert TOKEN not in repr(entries)
