"""A result over stdio that is longer than the limit: its ends have the id of its request."""

from __future__ import annotations

import json

import pytest
from mcp import MCPError
from mcp.types import JSONRPCError

from webclient.protocol.messages.limits import TooLargeError
from webclient.protocol.messages.sdk_errors import server_error
from webclient.protocol.messages.server_error import Trouble
from webclient.protocol.transports.stdout_lines import LongLine

ERROR = TooLargeError("max_message_bytes", 1000)
REST = "x" * 5000


def answer(line: str, pieces: int = 7) -> object:
    long = LongLine(ERROR, line[:20].encode(), 1000)
    for start in range(20, len(line), pieces):
        long.feed(line[start : start + pieces].encode())
    return json.loads(long.error_line())


@pytest.mark.parametrize("request_id", [7, "call-7"])
@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"text":"REST"}]}}',
        '{"id": ID, "jsonrpc": "2.0", "result": {"text": "REST"}}',
        '{"result":{"content":[{"text":"REST"}]},"jsonrpc":"2.0","id":ID}',
        '{"jsonrpc":"2.0","result":{"text":"REST"},"id":ID}\r',
    ],
)
def test_the_answer_to_its_request_says_that_it_was_too_large(line: str, request_id: int | str) -> None:
    error_line = answer(line.replace("ID", json.dumps(request_id)).replace("REST", REST))
    assert isinstance(error_line, dict)
    assert error_line["id"] == request_id
    error = server_error(MCPError.from_jsonrpc_error(JSONRPCError.model_validate(error_line)))
    assert (error.trouble, error.details) == (Trouble.TOO_LARGE, {"setting": "max_message_bytes", "most": 1000})


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"REST"}}',
        '{"method":"elicitation/create","params":{"message":"REST"},"jsonrpc":"2.0","id":7}',
        '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"REST"}}',
        '{"result":{"text":"REST, \\"id\\":7"}}',
        '{"result":{"text":"REST"},"id":[7]}',
        "REST",
    ],
)
def test_a_long_line_without_a_result_is_an_error(line: str) -> None:
    with pytest.raises(TooLargeError):
        answer(line.replace("REST", REST))


def test_a_line_without_end_ends_the_connection() -> None:
    long = LongLine(ERROR, b'{"jsonrpc":"2.0","id":7,"result":', 1000)
    for _piece in range(8):
        long.feed(b"x" * 1000)
    with pytest.raises(TooLargeError):
        long.feed(b"x")
