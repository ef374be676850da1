"""Deadlines in whole calls: an expired request is answered `cancel`, in both eras and after a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.house import config, house
from tests.mcp_servers import STATE_KEY, stdio
from webclient.domain.model import Action, CallState, Era, RequestState

pytestmark = pytest.mark.anyio

MOMENT = {"deadline_push": 0.2, "deadline_rounds": 0.2}


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_an_expired_request_cancels_and_its_call_continues(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), era)], **MOMENT) as rooms:
        await rooms.connected("it")
        done = await rooms.ended(await rooms.call("it", "ask_form"))
        result: Any = done.result
        assert (done.state, result["structuredContent"]) == (CallState.DONE, {"action": "cancel"})
        [expired] = await rooms.services.store.of("local").requests.find(call_id=done.id)
        assert expired.state is RequestState.EXPIRED


async def test_the_default_is_an_hour_for_pushes_and_none_for_rounds(tmp_path: Path) -> None:
    servers = [config("push", stdio("asker"), Era.PUSH), config("rounds", stdio("asker"), Era.ROUNDS)]
    async with house(tmp_path, servers) as rooms:
        lengths = []
        for server in servers:
            await rooms.connected(server.name)
            [request] = await rooms.pending_requests(await rooms.call(server.name, "ask_form"))
            lengths.append(request.expires_at and (request.expires_at - request.created_at).total_seconds())
        assert lengths == [3600, None]


async def test_a_round_that_expired_while_stopped_is_cancelled(
    tmp_path: Path,
) -> None:
    servers = [config("it", stdio("asker", "--state-key", STATE_KEY), Era.ROUNDS)]
    async with house(tmp_path, servers, deadline_rounds=3600) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        assert request.expires_at is not None
        await rooms.services.store.of("local").requests.extend(request.id, request.created_at)
    async with house(tmp_path, servers, deadline_rounds=3600) as rooms:
        done = await rooms.ended(call)
        result: Any = done.result
        assert (done.state, result["structuredContent"]) == (CallState.DONE, {"action": "cancel"})
        assert (await rooms.services.store.of("local").requests.get(request.id)).state is RequestState.EXPIRED


async def test_earlier_declines_of_the_same_request_are_counted(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)]) as rooms:
        await rooms.connected("it")
        for times in (0, 1, 2):
            call = await rooms.call("it", "ask_form")
            [request] = await rooms.pending_requests(call)
            rows = await rooms.services.store.of("local").changes.around_cards([], [request])
            assert rows.declines.get(request.id, 0) == times
            await rooms.answer(request, Action.DECLINE)
            await rooms.ended(call)
