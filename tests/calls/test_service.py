"""Calls are started, cancelled and started again, and end as their servers say."""

from __future__ import annotations

from typing import Any

import pytest

from tests.house import ALL_SERVERS, ROUND_SERVERS, House
from webclient.calls import running
from webclient.calls.rounds import MAX_UNANSWERED_ROUNDS
from webclient.domain.errors import ConflictError
from webclient.domain.model import Action, CallState, Era, ReasonCode, RequestState

pytestmark = pytest.mark.anyio

every_server = pytest.mark.parametrize("server", ALL_SERVERS)
round_servers = pytest.mark.parametrize("server", ROUND_SERVERS)


async def test_a_call_is_cancelled_between_any_two_rounds(shared: House) -> None:
    call = await shared.call("http-rounds", "ask_forever")
    for _round in range(MAX_UNANSWERED_ROUNDS + 1):
        [request] = await shared.pending_requests(call)
        await shared.answer(request, Action.DECLINE)
        await shared.settled(request)
    [request] = await shared.pending_requests(call)
    await shared.services.calls.cancel(await shared.services.store.of("local").calls.get(call.id))
    assert (await shared.ended(call)).state is CallState.CANCELLED
    assert (await shared.settled(request)).state is RequestState.CANCELLED


@round_servers
async def test_a_server_that_can_only_push_gets_a_way_out(shared: House, server: str) -> None:
    failed = await shared.ended(await shared.call(server, "push_only"))
    assert failed.state is CallState.FAILED
    assert failed.error
    assert failed.error.reconnect_with is Era.PUSH


@every_server
async def test_a_cancelled_call_cancels_its_questions(shared: House, server: str) -> None:
    call = await shared.call(server, "ask_form")
    [request] = await shared.pending_requests(call)
    cancelled = await shared.services.calls.cancel(await shared.services.store.of("local").calls.get(call.id))
    assert cancelled.state is CallState.CANCELLED
    settled = await shared.settled(request)
    assert (settled.state, settled.reason_code) == (RequestState.CANCELLED, ReasonCode.CALL_CANCELLED)
    with pytest.raises(ConflictError, match="has ended"):
        await shared.services.calls.cancel(cancelled)


async def test_questions_end_with_a_call_also_before_its_task_does(
    shared: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "STOP_TIMEOUT", 0)
    call = await shared.call("http-push", "ask_form")
    [request] = await shared.pending_requests(call)
    store = shared.services.store.of("local")
    await shared.services.calls.cancel(await store.calls.get(call.id))
    settled = await store.requests.get(request.id)
    assert (settled.state, settled.reason_code) == (RequestState.CANCELLED, ReasonCode.CALL_CANCELLED)


@every_server
async def test_the_server_learns_of_a_cancelled_call(shared: House, server: str) -> None:
    name = f"cancelled-{server}"
    call = await shared.call(server, "sleep_until_cancelled", {"name": name})

    async def started() -> bool:
        look = await shared.ended(await shared.call(server, "was_cancelled", {"name": name}))
        return _structured(look.result) is not None

    assert await started()
    await shared.services.calls.cancel(call)
    looked_up = await shared.ended(await shared.call(server, "was_cancelled", {"name": name}))
    assert looked_up.state is CallState.DONE


@every_server
async def test_a_tool_error_is_a_result(shared: House, server: str) -> None:
    done = await shared.ended(await shared.call(server, "fail", {"message": "It rains."}))
    assert done.state is CallState.DONE
    assert done.result
    assert done.result["isError"] is True
    assert "It rains." in done.result["content"][0]["text"]


@every_server
async def test_a_call_can_be_started_again(shared: House, server: str) -> None:
    call = await shared.call(server, "ask_form", {"message": "again?"})
    [request] = await shared.pending_requests(call)
    await shared.answer(request, Action.DECLINE)
    again = await shared.services.calls.retry(await shared.ended(call))
    [request] = await shared.pending_requests(again)
    assert (again.id != call.id, request.params["message"]) == (True, "again?")
    await shared.answer(request, Action.DECLINE)
    await shared.ended(again)


def _structured(result: Any) -> Any:
    return result["structuredContent"]
