"""Sampling requests that no SDK would send, and those to a client that has not declared sampling."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.house import House, config, house
from tests.mcp_servers import stdio
from webclient.domain.model import Call, CallState, Json, Mode, ReasonCode, RequestState, ServerState

pytestmark = pytest.mark.anyio

INVALID_PARAMS = -32602
UNKNOWN_METHOD = -32601


async def _requested(rooms: House) -> tuple[Call, list[Json]]:
    """Run the tool of the raw server; return the call and the replies to its requests."""
    ended = await rooms.ended(await rooms.call("raw", "ask"))
    replies = json.loads((ended.result or {})["content"][0]["text"]) if ended.result else []
    return ended, replies


async def _rows(rooms: House, call: Call) -> list[tuple[RequestState, ReasonCode | None]]:
    found = await rooms.services.store.of("local").requests.find(call_id=call.id)
    return [(each.state, each.reason_code) for each in found]


async def test_requests_against_the_rules_get_errors_and_are_shown(tmp_path: Path) -> None:
    """S7, S10. Error Handling: -32602, with words of the specification where it has some; nothing is silent."""
    async with house(tmp_path, [config("raw", stdio("raw", "sampling-against-rules"))]) as rooms:
        await rooms.connected("raw")
        call, replies = await _requested(rooms)
        errors = {reply["id"]: reply["error"] for reply in replies}
        assert {error["code"] for error in errors.values()} == {INVALID_PARAMS}
        assert errors["mixed"]["message"] == "Tool results mixed with other content"
        assert {errors[each]["message"] for each in ("missing", "last")} == {"Tool result missing in request"}
        rows = await _rows(rooms, call)
        assert {state for state, _code in rows} == {RequestState.REFUSED}
        assert {code for _state, code in rows} <= {
            ReasonCode.SAMPLING_RESULTS_MIXED,
            ReasonCode.SAMPLING_RESULT_MISSING,
            ReasonCode.SAMPLING_NO_TOKENS,
            ReasonCode.MALFORMED,
        }
        assert ReasonCode.MALFORMED in {code for _state, code in rows}, "what the SDK refuses is shown as well"


@pytest.mark.parametrize("case", ["sampling", "sampling-round"])
async def test_undeclared_sampling_is_refused(tmp_path: Path, case: str) -> None:
    """S2. Servers by hand ask clients that have declared nothing; no message is written for them."""
    async with house(tmp_path, [config("raw", stdio("raw", case))]) as rooms:
        server = await rooms.connected("raw")
        await rooms.services.servers.change(replace(server, modes=(Mode.FORM, Mode.URL)))
        await rooms.status("raw", ServerState.CONNECTED)
        call, replies = await _requested(rooms)
        assert await _rows(rooms, call) == [(RequestState.REFUSED, ReasonCode.SAMPLING_OFF)]
        if case == "sampling":
            assert [reply["error"]["code"] for reply in replies] == [UNKNOWN_METHOD]
        else:
            assert (call.state, call.reason_code) == (CallState.FAILED, ReasonCode.SAMPLING_OFF)


async def test_a_round_against_the_rules_fails_its_call(tmp_path: Path) -> None:
    """S7, S9. 2026-07-28 has no errors for what it requires: the call fails, and the person sees why."""
    async with house(tmp_path, [config("raw", stdio("raw", "sampling-round-mixed"))]) as rooms:
        await rooms.connected("raw")
        call, _replies = await _requested(rooms)
        assert (call.state, call.reason_code) == (CallState.FAILED, ReasonCode.SAMPLING_RESULTS_MIXED)
        assert await _rows(rooms, call) == [(RequestState.REFUSED, ReasonCode.SAMPLING_RESULTS_MIXED)]
