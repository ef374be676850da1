"""A question that nobody answers in time is answered `cancel`, in both eras, also when its time ran out meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.house import config, house
from tests.mcp_servers import STATE_KEY, stdio
from webclient.model import Action, CallState, Era, RequestState

pytestmark = pytest.mark.anyio

MOMENT = {"deadline_push": 0.2, "deadline_rounds": 0.2}


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_a_server_that_waited_long_enough_gets_a_cancel_and_its_call_goes_on(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), era)], **MOMENT) as rooms:
        await rooms.connected("it")
        done = await rooms.ended(await rooms.call("it", "ask_form"))
        result: Any = done.result
        assert (done.state, result["structuredContent"]) == (CallState.DONE, {"action": "cancel"})
        [expired] = await rooms.services.store.of("local").requests.find(call_id=done.id)
        assert expired.state is RequestState.EXPIRED


async def test_by_default_nothing_runs_out_in_2026_07_28_and_an_hour_is_left_in_2025_11_25(tmp_path: Path) -> None:
    servers = [config("push", stdio("asker"), Era.PUSH), config("rounds", stdio("asker"), Era.ROUNDS)]
    async with house(tmp_path, servers) as rooms:
        lengths = []
        for server in servers:
            await rooms.connected(server.name)
            [request] = await rooms.asked(await rooms.call(server.name, "ask_form"))
            lengths.append(request.expires_at and (request.expires_at - request.created_at).total_seconds())
        assert lengths == [3600, None]


async def test_the_round_of_a_held_call_that_ran_out_while_the_program_was_down_is_cancelled_at_the_start(
    tmp_path: Path,
) -> None:
    servers = [config("it", stdio("asker", "--state-key", STATE_KEY), Era.ROUNDS)]
    async with house(tmp_path, servers, deadline_rounds=3600) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.asked(call)
        assert request.expires_at is not None
        await rooms.services.store.of("local").requests.extend(request.id, request.created_at)
    async with house(tmp_path, servers, deadline_rounds=3600) as rooms:
        done = await rooms.ended(call)
        result: Any = done.result
        assert (done.state, result["structuredContent"]) == (CallState.DONE, {"action": "cancel"})
        assert (await rooms.services.store.of("local").requests.get(request.id)).state is RequestState.EXPIRED


async def test_a_server_that_asks_again_what_was_declined_is_known(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)]) as rooms:
        await rooms.connected("it")
        for times in (0, 1, 2):
            call = await rooms.call("it", "ask_form")
            [request] = await rooms.asked(call)
            declines = await rooms.services.store.of("local").requests.declines([request])
            assert declines.get(request.id, 0) == times
            await rooms.answer(request, Action.DECLINE)
            await rooms.ended(call)
