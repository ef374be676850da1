"""Errors of servers are distinguished from errors of ours, also when a server imitates ours."""

from __future__ import annotations

import json

import pytest
from mcp import MCPError
from mcp.types import CONNECTION_CLOSED, INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, ErrorData

from tests.tables import each_row
from webclient.domain.model import Json
from webclient.protocol.messages.limits import TooLargeError
from webclient.protocol.messages.sdk_errors import http_status, own_error, server_error, too_large
from webclient.protocol.messages.server_error import ServerError, Trouble


def raised(error: ErrorData) -> MCPError:
    """Return the error as the SDK raises it, after its way through JSON."""
    sent = ErrorData.model_validate(json.loads(error.model_dump_json()))
    return MCPError(sent.code, sent.message, sent.data)


def read(code: int, message: str, data: object = None) -> ServerError:
    return server_error(raised(ErrorData(code=code, message=message, data=data)))


@each_row("trouble", Trouble)
def test_an_error_of_ours_keeps_its_trouble_and_details(trouble: Trouble) -> None:
    error = server_error(raised(own_error(trouble, "why", status=502)))
    assert (error.trouble, error.details, error.message, error.data) == (trouble, {"status": 502}, "why", None)


def test_a_result_over_the_limit_names_the_setting() -> None:
    error = server_error(raised(too_large(TooLargeError("max_message_bytes", 7))))
    assert (error.trouble, error.details) == (Trouble.TOO_LARGE, {"setting": "max_message_bytes", "most": 7})
    assert not error.unanswered


@pytest.mark.parametrize(
    "data",
    [
        {"reason": "too_large"},
        {"reason": "not_sent"},
        {"mcp-webclient": "TOO_LARGE"},
        {"mcp-webclient/0123456789abcdef": "NOT_SENT"},
        ["NOT_SENT"],
    ],
)
def test_a_server_cannot_imitate_an_error_of_ours(data: Json) -> None:
    error = read(INTERNAL_ERROR, "no", data)
    assert (error.trouble, error.data, error.details) == (None, data, {})
    assert error.as_json == {"code": INTERNAL_ERROR, "message": "no", "data": data}
    assert http_status(raised(ErrorData(code=INTERNAL_ERROR, message="no", data={"status": 404}))) is None


@each_row(
    ("code", "message", "trouble"),
    [
        (CONNECTION_CLOSED, "Connection closed", Trouble.CLOSED),
        (CONNECTION_CLOSED, "SSE stream ended without a response", Trouble.CLOSED),
        (CONNECTION_CLOSED, "The rate limit is exceeded", None),
        (INTERNAL_ERROR, "Connection closed", None),
        (INVALID_REQUEST, "Session not found", Trouble.SESSION_UNKNOWN),
        (INVALID_REQUEST, "Session terminated", Trouble.SESSION_UNKNOWN),
        (INVALID_REQUEST, "The requestState has expired", Trouble.STATE_UNKNOWN),
        (PARSE_ERROR, "Failed to parse JSON response: 11 validation errors", Trouble.NOT_MCP),
        (PARSE_ERROR, "Parse error", None),
    ],
)
def test_the_trouble_is_read_from_code_and_message(code: int, message: str, trouble: Trouble | None) -> None:
    """JSON-RPC 2.0, 5.1: -32000, with which the SDK reports a lost connection, is free for servers to use."""
    assert read(code, message).trouble is trouble


NOT_RUN = {Trouble.SESSION_UNKNOWN, Trouble.NOT_SENT, Trouble.HEADERS_REFUSED, Trouble.SIGN_IN}


def test_only_unprocessed_requests_may_be_sent_again() -> None:
    found = {trouble: ServerError(0, "", trouble=trouble) for trouble in Trouble}
    assert {each for each, error in found.items() if error.not_run} == NOT_RUN
    assert {each for each, error in found.items() if error.unanswered} == {
        Trouble.SESSION_UNKNOWN,
        Trouble.NOT_SENT,
        Trouble.CLOSED,
        Trouble.NOT_RESUMED,
    }
