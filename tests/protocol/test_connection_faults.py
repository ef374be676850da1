"""Why a connection failed, by the error that the SDK, the HTTP library or the system raises."""

from __future__ import annotations

import httpx2
from mcp import MCPError
from mcp.types import CONNECTION_CLOSED, PARSE_ERROR

from tests.tables import each_row
from webclient.domain.model import Era, ReasonCode, Server
from webclient.protocol.messages.limits import TooLargeError
from webclient.protocol.messages.sdk_errors import own_error
from webclient.protocol.messages.server_error import Trouble
from webclient.protocol.session.connection_faults import (
    AmbiguousEraError,
    EraError,
    NotReadyError,
    SilenceError,
    connection_fault,
    learned_from_error,
)
from webclient.protocol.transports.http_statuses import HttpRefusal

HTTP = Server(user_id="ada", label="travel", transport={"type": "http", "url": "http://localhost:7/mcp"})
STDIO = Server(user_id="ada", label="travel", transport={"type": "stdio", "command": "npx", "args": ["-y", "travel"]})


@each_row(
    ("error", "server", "code"),
    [
        (MCPError(CONNECTION_CLOSED, "Connection closed"), STDIO, ReasonCode.PROCESS_ENDED),
        (MCPError(CONNECTION_CLOSED, "The licence has expired"), STDIO, ReasonCode.CONNECTION_REFUSED),
        (MCPError(PARSE_ERROR, "Failed to parse JSON response: ..."), HTTP, ReasonCode.NOT_AN_MCP_MESSAGE),
        (FileNotFoundError(2, "No such file", "npx"), STDIO, ReasonCode.COMMAND_NOT_FOUND),
        (PermissionError(13, "Permission denied", "npx"), STDIO, ReasonCode.COMMAND_FAILED),
        (NotReadyError(120), STDIO, ReasonCode.PROCESS_NOT_READY),
        (NotReadyError(120), HTTP, ReasonCode.CONNECT_TIMEOUT),
        (SilenceError(), HTTP, ReasonCode.STOPPED_ANSWERING),
        (httpx2.ConnectError("refused"), HTTP, ReasonCode.UNREACHABLE),
        (httpx2.ConnectTimeout("slow"), HTTP, ReasonCode.CONNECT_TIMEOUT),
        (EraError(Era.PUSH, Era.ROUNDS), HTTP, ReasonCode.ERA_MISMATCH),
        (TooLargeError("max_greeting_bytes", 7), HTTP, ReasonCode.MESSAGE_TOO_LARGE),
        (RuntimeError("?"), HTTP, ReasonCode.CONNECTION_FAILED),
    ],
)
def test_each_error_has_its_reason(error: Exception, server: Server, code: ReasonCode) -> None:
    for raised in (error, ExceptionGroup("of a task group", [ExceptionGroup("and another", [error])])):
        assert connection_fault(raised, server, stderr_text="the last words").reason.code is code


def test_secrets_of_the_transport_are_masked_in_every_text() -> None:
    fault = connection_fault(MCPError(-1, "token s3same is wrong"), HTTP, hidden=["s3same"])
    assert "s3same" not in str(fault)
    refusal = HttpRefusal(status=307, location="http://localhost/s3same")
    refused = connection_fault(MCPError(-1, "s3same"), HTTP, hidden=["s3same"], refusal=refusal)
    assert "s3same" not in str(refused)


def test_an_http_error_while_listing_has_its_own_reason() -> None:
    error = own_error(Trouble.HTTP_ERROR, "upstream is down", status=502)
    fault = connection_fault(MCPError(error.code, error.message, error.data), HTTP)
    assert (fault.reason.code, fault.reason.params["status"]) == (ReasonCode.HTTP_UNEXPECTED, 502)
    assert (fault.http_status, fault.said) == (502, "upstream is down")


def test_a_failed_attempt_reveals_the_era() -> None:
    assert learned_from_error(EraError(Era.PUSH, Era.ROUNDS)) == {"lacks": [Era.ROUNDS]}
    assert learned_from_error(ExceptionGroup("", [AmbiguousEraError()])) == {"speaks": [Era.ROUNDS]}
    assert learned_from_error(OSError()) == {}
