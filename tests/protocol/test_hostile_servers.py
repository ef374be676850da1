"""Servers that break the protocol, by accident or on purpose: each gets an answer, and the person a sentence."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp.types import PARSE_ERROR

from tests.house import House, config, house
from tests.mcp_servers import running, stdio
from tests.mcp_servers.raw import RESULTS
from webclient.domain.errors import InvalidAnswerError
from webclient.domain.model import (
    Action,
    Call,
    CallError,
    CallState,
    Era,
    InputRequest,
    Reason,
    ReasonCode,
    RequestState,
)
from webclient.domain.reasons import message
from webclient.protocol.session.connection_faults import connection_fault

MISMATCH = {"field": "stations[0].degrees", "rule": 'type: ["number"]'}
"""The mistakes in `broken-structure`."""

pytestmark = pytest.mark.anyio

INVALID_PARAMS = -32602


@asynccontextmanager
async def asking(folder: Path, case: str, **limits: int) -> AsyncIterator[tuple[House, Call]]:
    """Connect a raw server that plays the case, and call its tool."""
    async with house(folder, [config("raw", stdio("raw", case))], **limits) as rooms:
        await rooms.connected("raw")
        yield rooms, await rooms.call("raw", "ask")


async def _requests(rooms: House, call: Call, count: int = 1) -> list[InputRequest]:
    async def look() -> list[InputRequest] | None:
        found = await rooms.services.store.of("local").requests.find(call_id=call.id)
        return found if len(found) >= count else None

    return await rooms.until(look)


@pytest.mark.parametrize(
    "case", ["null-schema", "empty-schema", "schema-without-properties", "no-message", "unknown-mode", "url-missing"]
)
async def test_a_malformed_question_is_refused_with_an_error_and_shown(tmp_path: Path, case: str) -> None:
    async with asking(tmp_path, case) as (rooms, call):
        [request] = await _requests(rooms, call)
        assert request.state is RequestState.REFUSED
        assert request.reason_code is ReasonCode.MALFORMED
        done = await rooms.ended(call)
        assert _replies(done.result)[0]["error"]["code"] == INVALID_PARAMS


@pytest.mark.parametrize("case", ["nested-schema", "unknown-type", "property-not-a-schema", "no-fields"])
async def test_a_form_with_invalid_fields_can_be_answered_without_them(tmp_path: Path, case: str) -> None:
    async with asking(tmp_path, case) as (rooms, call):
        [request] = await rooms.pending_requests(call)
        await rooms.answer(request, Action.ACCEPT, {})
        done = await rooms.ended(call)
        assert _replies(done.result)[0]["result"] == {"action": "accept", "content": {}}


async def test_questions_with_the_same_id_are_two_questions(tmp_path: Path) -> None:
    async with asking(tmp_path, "duplicate-ids") as (rooms, call):
        requests = await rooms.pending_requests(call, 2)
        for request in requests:
            await rooms.answer(request, Action.ACCEPT, {"name": request.params["message"]})
        done = await rooms.ended(call)
        names = {reply["result"]["content"]["name"] for reply in _replies(done.result)}
        assert names == {"First", "Second"}


@pytest.mark.parametrize("case", ["javascript-url", "garbage-url"])
async def test_a_link_that_is_not_a_web_page_can_only_be_declined(tmp_path: Path, case: str) -> None:
    async with asking(tmp_path, case) as (rooms, call):
        [request] = await rooms.pending_requests(call)
        with pytest.raises(InvalidAnswerError):
            await rooms.answer(request, Action.ACCEPT)
        await rooms.answer(request, Action.DECLINE)
        assert _replies((await rooms.ended(call)).result)[0]["result"] == {"action": "decline"}


async def test_a_message_of_megabytes_arrives_whole(tmp_path: Path) -> None:
    async with asking(tmp_path, "huge-message", max_question_bytes=3_000_000) as (rooms, call):
        [request] = await rooms.pending_requests(call)
        assert len(request.params["message"]) == 2_000_000
        await rooms.answer(request, Action.CANCEL)
        await rooms.ended(call)


NOISE = (
    "unknown-method",
    "unknown-notification",
    "not-json-rpc",
    "unknown-reply",
    "completion-without-id",
    "completion-with-odd-id",
)


@pytest.mark.parametrize("case", NOISE)
async def test_noise_does_not_end_the_call(tmp_path: Path, case: str) -> None:
    async with asking(tmp_path, case) as (rooms, call):
        assert (await rooms.ended(call)).state is CallState.DONE


@pytest.mark.parametrize("case", sorted(RESULTS))
async def test_every_odd_result_ends_its_call_with_a_sentence(tmp_path: Path, case: str) -> None:
    async with asking(tmp_path, case) as (rooms, call):
        ended = await rooms.ended(call)
        assert ended.state is CallState.DONE or (ended.error and message(ended.error))


async def test_a_2026_07_28_result_without_result_type_is_complete(tmp_path: Path) -> None:
    async with asking(tmp_path, "no-result-type") as (rooms, call):
        assert (await rooms.ended(call)).state is CallState.DONE


async def test_a_result_that_breaks_its_schema_is_kept_with_a_note(tmp_path: Path) -> None:
    """MCP 2025-11-25, Tools: clients SHOULD validate structured results against the output schema."""
    async with house(tmp_path, [config("raw", stdio("raw", "broken-structure"))]) as rooms:
        await rooms.connected("raw")
        done = await rooms.ended(await rooms.call("raw", "ask"))
        assert (done.state, (done.result or {})["structuredContent"]) == (
            CallState.DONE,
            {"stations": [{"degrees": "warm"}]},
        )
        assert done.error == CallError(reason=Reason.of(ReasonCode.RESULT_MISMATCH_AT, **MISMATCH))


async def test_json_that_is_not_mcp_is_said_in_one_sentence(tmp_path: Path) -> None:
    arguments = ["200", "application/json", "other"]
    async with (
        running("statuses", era=Era.PUSH, arguments=arguments) as server,
        house(tmp_path, [config("odd", {"type": "http", "url": server.address})]) as rooms,
    ):
        await rooms.connected("odd")
        ended = await rooms.ended(await rooms.call("odd", "ask"))
        assert ended.state is CallState.FAILED
        assert ended.reason_code is ReasonCode.RESPONSE_NOT_MCP
        # The same while connecting is the same error of the SDK's.
        error = MCPError(PARSE_ERROR, "Failed to parse JSON response: 11 validation errors")
        fault = connection_fault(error, await rooms.server("odd"))
        assert fault.reason == Reason.of(ReasonCode.NOT_AN_MCP_MESSAGE, where=server.address)
        assert "validation" not in message(fault)


def _replies(result: Any) -> Any:
    return json.loads(result["content"][0]["text"])
