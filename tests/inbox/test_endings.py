"""A server stops waiting for an answer: because its own time limit ran out, or for a reason that it gives."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.house import House, config, house
from tests.mcp_servers import ROOT, stdio
from webclient.domain.model import (
    Action,
    Call,
    CallError,
    CallState,
    Era,
    InputRequest,
    Json,
    Reason,
    ReasonCode,
    RequestState,
    ServerRequest,
)
from webclient.inbox.endings import gave_up, is_time_limit, withdrawal_of
from webclient.web.http.filters import shown

pytestmark = pytest.mark.anyio

LIMIT = 900
"""Milliseconds that the server waits."""

IMPATIENT: Json = {
    "type": "stdio",
    "command": "node",
    "args": ["tests/mcp_servers/impatient.mjs"],
    "env": None,
    "cwd": str(ROOT),
}


@pytest.fixture(scope="module")
async def rooms(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:  # noqa: ARG001
    servers = [config("travel", IMPATIENT), config("python", stdio("asker"), Era.PUSH)]
    async with house(tmp_path_factory.mktemp("withdrawal"), servers) as rooms:
        await rooms.connected("travel")
        await rooms.connected("python")
        yield rooms


async def put(rooms: House, call: Call) -> InputRequest:
    """Return the first request of the call, even if it was withdrawn already."""

    async def look() -> InputRequest | None:
        return next(iter(await rooms.services.inbox.of_call(call)), None)

    return await rooms.until(look)


async def test_the_time_limit_of_a_typescript_server_is_named(rooms: House) -> None:
    call = await rooms.call("travel", "ask", {"timeout": LIMIT})
    request = await put(rooms, call)
    await rooms.services.store.of("local").drafts.save(request.id, {"f0": ["half typed"]})
    settled = await rooms.settled(request)
    assert settled.state is RequestState.WITHDRAWN
    assert settled.reason
    assert (settled.reason_code, settled.reason.params["label"]) == (ReasonCode.SERVER_TIME_LIMIT, "travel")
    assert float(settled.reason.params["duration"]) >= LIMIT / 1000
    ended = await rooms.ended(call)
    assert (ended.state, ended.error) == (CallState.DONE, CallError(reason=settled.reason, gave_up=True))
    assert (ended.result or {})["isError"]
    assert ended.can_start_over
    again = await rooms.services.calls.retry(ended)
    request = await put(rooms, again)
    draft = (await rooms.services.store.of("local").drafts.find([request.id]))[request.id]
    assert (draft.texts["f0"], draft.prefilled) == (["half typed"], True)
    await rooms.settled(request)


async def test_the_time_limit_of_a_python_server_is_named(rooms: House) -> None:
    call = await rooms.call("python", "ask_with_limit", {"seconds": LIMIT / 1000})
    settled = await rooms.settled(await put(rooms, call))
    assert settled.reason_code is ReasonCode.SERVER_TIME_LIMIT
    assert (await rooms.ended(call)).can_start_over


async def test_a_server_that_asks_again_did_not_give_up_the_call(rooms: House) -> None:
    call = await rooms.call("travel", "ask", {"timeout": LIMIT, "then": "ask"})
    first = await put(rooms, call)
    assert (await rooms.settled(first)).reason_code is ReasonCode.SERVER_TIME_LIMIT
    [second] = await rooms.pending_requests(call)
    await rooms.answer(second, Action.ACCEPT, {"name": "Ada"})
    ended = await rooms.ended(call)
    assert (ended.error, ended.can_start_over) == (None, False)


async def test_the_reason_of_a_server_that_withdraws_is_quoted(rooms: House) -> None:
    call = await rooms.call("travel", "ask", {"timeout": 500, "then": "withdraw"})
    settled = await rooms.settled(await put(rooms, call))
    assert settled.state is RequestState.WITHDRAWN
    assert settled.reason == Reason.of(ReasonCode.WITHDRAWN_BECAUSE, why="The flight is gone.")
    assert not (await rooms.ended(call)).can_start_over


def server_request(**values: Any) -> ServerRequest:
    return ServerRequest(method="elicitation/create", params={}, **values)


@pytest.mark.parametrize(
    "words",
    [
        "McpError: MCP error -32001: Request timed out",
        "timed out after 5.0s",
        "Timed out after 5s waiting for 'elicitation/create'",
        "context deadline exceeded",
        "Timeout",
    ],
)
def test_a_time_limit_is_recognised_in_the_words_of_the_sdks(words: str) -> None:
    assert is_time_limit(words)


@pytest.mark.parametrize("words", ["", "caller cancelled", "The flight is gone.", "No time for this", "-320011"])
def test_other_words_are_not_a_time_limit(words: str) -> None:
    assert not is_time_limit(words)


def test_a_time_limit_names_the_seconds_waited() -> None:
    for seconds in (60.2, 0.6, 300):
        request = server_request(withdrawn="timed out", came_at=0.5, ended_at=seconds + 0.5)
        assert gave_up(request, "travel") == Reason.of(ReasonCode.SERVER_TIME_LIMIT, label="travel", duration=seconds)
        assert withdrawal_of(request, "travel") == (RequestState.WITHDRAWN, gave_up(request, "travel"))


def test_a_hostile_reason_is_cut_and_made_visible() -> None:
    ending = withdrawal_of(server_request(withdrawn="\u202e" + "x" * 100_000), "travel")
    assert ending
    assert len(str(ending[1].params["why"])) < 300
    assert "\u202e" not in shown(ending[1])


def test_a_request_that_was_not_withdrawn_has_no_ending() -> None:
    assert withdrawal_of(server_request(), "travel") is None
