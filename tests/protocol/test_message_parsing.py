"""Messages that the SDK's parser refuses: what can be read is read, and no call waits for a response that came."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.house import House, config, house
from tests.mcp_servers import command, started, stdio
from webclient.domain.model import CallState, Json, ReasonCode
from webclient.protocol.messages.message_parsing import parsed_message, parsed_or_failed
from webclient.protocol.messages.message_texts import take_text

TRANSPORTS = ("stdio", "json", "events", "sse")


@asynccontextmanager
async def connected(folder: Path, transport: str, result: str) -> AsyncIterator[House]:
    """Connect to a server whose tool returns this result, over the transport."""
    if transport == "stdio":
        async with _house(folder, stdio("broken", result)) as rooms:
            yield rooms
        return
    kind = "sse" if transport == "sse" else "http"
    async with (
        started(command("broken", "--transport", transport, result), announce="Listening") as server,
        _house(folder, {"type": kind, "url": server.address}) as rooms,
    ):
        yield rooms


@asynccontextmanager
async def _house(folder: Path, transport: Json) -> AsyncIterator[House]:
    async with house(folder, [config("broken", transport)]) as rooms:
        await rooms.connected("broken")
        yield rooms


@pytest.mark.anyio
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_half_of_an_emoji_in_a_result_is_replaced(tmp_path: Path, transport: str) -> None:
    async with connected(tmp_path, transport, r'{"content": [{"type": "text", "text": "cut \ud83d"}]}') as rooms:
        done = await rooms.ended(await rooms.call("broken", "ask"))
        assert done.state is CallState.DONE
        assert (done.result or {})["content"][0]["text"] == "cut \ufffd"


@pytest.mark.anyio
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_response_that_is_not_valid_ends_its_call(tmp_path: Path, transport: str) -> None:
    async with connected(tmp_path, transport, '"text"') as rooms:
        ended = await rooms.ended(await rooms.call("broken", "ask"))
        assert (ended.state, ended.reason_code) == (CallState.FAILED, ReasonCode.RESPONSE_NOT_MCP)


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (r"\ud800", "\ufffd"),
        (r"\uDFFF\uD83D", "\ufffd\ufffd"),
        (r"\ud83d\ud83d\ude00", "\ufffd\U0001f600"),
        (r"\ud83d \\ud83d \\\ud83d \n\"", '\ufffd \\ud83d \\\ufffd \n"'),
        ("\\ud83d \u00e9", "\ufffd \u00e9"),
    ],
)
def test_only_halves_of_pairs_are_replaced(sent: str, read: str) -> None:
    text = f'{{"jsonrpc": "2.0", "id": 1, "result": {{"{sent}": ["{sent}"]}}}}'
    for each in (text, text.encode()):
        message = parsed_message(each, by_name=False)
        assert message.model_dump()["result"] == {read: [read]}
        # The wire log shows what came.
        assert take_text(message) == each


@pytest.mark.parametrize(
    "outcome", ['"result": []', '"result": "a"', '"error": "no"', '"hello": 1', r'"error": "\ud800"']
)
def test_an_invalid_response_fails_the_request_with_its_id(outcome: str) -> None:
    for request_id in (7, "a"):
        text = f'{{"jsonrpc": "2.0", "id": {request_id!r}, {outcome}}}'.replace("'", '"')
        message = parsed_or_failed(text, by_name=False)
        assert message.model_dump()["id"] == request_id
        assert take_text(message) == text


@pytest.mark.parametrize(
    "line",
    [
        "Listening on stdio",
        '{"level": "info", "id": 1, "result": 7}',
        '{"jsonrpc": "2.0", "id": true, "result": 7}',
        '{"jsonrpc": "2.0", "result": 7}',
        '{"jsonrpc": "2.0", "id": 1, "method": 7}',
        '{"jsonrpc": "2.0", "id": 1, "result": ' + "[" * 5000,
        "[1]",
        b"\xff",
    ],
)
def test_other_lines_fail_no_request(line: str | bytes) -> None:
    with pytest.raises(ValidationError):
        parsed_or_failed(line, by_name=False)
