"""HTTP error responses become JSON-RPC errors, with the server's text apart from ours."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
import httpx2
import pytest
from mcp import MCPError
from mcp.types import INTERNAL_ERROR, METHOD_NOT_FOUND

from webclient.protocol.messages.limits import TooLargeError
from webclient.protocol.messages.sdk_errors import server_error
from webclient.protocol.messages.server_error import ServerError, Trouble
from webclient.protocol.transports.http_errors import error_in, read_json, unsent_response, with_json_rpc_error
from webclient.protocol.transports.session_keeping import SESSION

pytestmark = pytest.mark.anyio

SECONDS = 30.0


def response(
    status: int, kind: str, body: bytes | AsyncIterator[bytes] = b"", *, session: bool = False
) -> httpx2.Response:
    """Return a response to a POST."""
    request = httpx2.Request("POST", "http://localhost/mcp", headers={SESSION: "s1"} if session else {})
    return httpx2.Response(status, headers={"content-type": kind}, content=body, request=request)


async def read(found: httpx2.Response, seconds: float = SECONDS) -> ServerError:
    error = error_in(await with_json_rpc_error(found, seconds))
    return server_error(MCPError(error.code, error.message, error.data))


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("text/plain; charset=utf-8", b"upstream is down\n", "upstream is down"),
        ("application/json", b'{"detail": "No tenant"}', '{"detail": "No tenant"}'),
        ("application/problem+json", b'{"title": "Gone"}', '{"title": "Gone"}'),
        ("application/json", b'{"error": {"code": "x"}}', '{"error": {"code": "x"}}'),
        ("text/plain", b"x" * 5000, "x" * 1200),
        ("text/plain", b"\xff!", "\N{REPLACEMENT CHARACTER}!"),
        ("text/html", b"<h1>It broke.</h1>", ""),
        ("image/png", b"\x89PNG", ""),
        ("text/event-stream", b"data: {}\n\n", ""),
        ("", b"", ""),
    ],
)
async def test_a_status_without_json_rpc_keeps_the_servers_text(kind: str, body: bytes, text: str) -> None:
    error = await read(response(502, kind, body))
    assert (error.trouble, error.details, error.message) == (Trouble.HTTP_ERROR, {"status": 502}, text)
    assert not error.not_run, "a proxy may have passed the request on"


async def test_a_json_rpc_error_of_any_type_is_the_servers() -> None:
    for kind in ("application/json", "application/problem+json", "text/plain", ""):
        error = await read(response(500, kind, b'{"error": {"code": -32042, "message": "Sign in", "data": [1]}}'))
        assert (error.trouble, error.code, error.message, error.data) == (None, -32042, "Sign in", [1])


async def test_a_large_error_is_not_in_the_servers_words() -> None:
    async def body() -> AsyncIterator[bytes]:
        yield b"It is "
        raise TooLargeError("max_error_bytes", 7)

    error = await read(response(500, "text/plain", body()))
    assert (error.trouble, error.message) == (Trouble.HTTP_ERROR, "")
    assert error.details == {"status": 500, "setting": "max_error_bytes", "most": 7}


async def test_an_error_that_does_not_come_in_time_keeps_its_status() -> None:
    async def body() -> AsyncIterator[bytes]:
        yield b"It is "
        await anyio.sleep_forever()

    error = await read(response(500, "text/plain", body()), seconds=0.01)
    assert (error.trouble, error.details, error.message) == (Trouble.HTTP_ERROR, {"status": 500}, "")


@pytest.mark.parametrize(
    ("status", "body", "session", "trouble"),
    [
        (404, b"<h1>Not Found</h1>", True, Trouble.SESSION_UNKNOWN),
        (404, b'{"error": {"code": -32004, "message": "Who are you?"}}', True, Trouble.SESSION_UNKNOWN),
        (400, b"Bad Request: No valid session ID provided", True, Trouble.SESSION_UNKNOWN),
        (400, b"Bad Request: Server not initialized", True, Trouble.SESSION_UNKNOWN),
        (400, b"Bad Request", True, Trouble.HTTP_ERROR),
        (404, b"<h1>Not Found</h1>", False, Trouble.HTTP_ERROR),
    ],
)
async def test_404_in_a_session_means_that_it_is_unknown(
    status: int, body: bytes, session: bool, trouble: Trouble
) -> None:
    """MCP 2025-11-25, Transports, Session Management: it MUST be answered 404, and the client MUST start a new one."""
    assert (await read(response(status, "text/html", body, session=session))).trouble is trouble


async def test_404_without_a_session_is_an_unknown_method() -> None:
    """MCP 2026-07-28: an endpoint that does not know a method may answer 404; a subscription is not tried again."""
    assert (await read(response(404, "text/html"))).code == METHOD_NOT_FOUND
    assert (await read(response(403, "text/html"))).code == INTERNAL_ERROR


async def test_a_success_and_a_redirect_stay_as_they_are() -> None:
    for status in (200, 202, 307):
        given = response(status, "application/json", b"{}")
        assert await with_json_rpc_error(given, SECONDS) is given


async def test_a_json_result_that_is_cut_off_is_a_lost_connection() -> None:
    async def body() -> AsyncIterator[bytes]:
        yield b'{"jsonrpc": '
        raise httpx2.RemoteProtocolError("peer closed connection")

    with pytest.raises(httpx2.TransportError):
        await read_json(response(200, "application/json", body()))


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (httpx2.ConnectError("refused"), Trouble.NOT_SENT),
        (httpx2.ConnectTimeout(""), Trouble.NOT_SENT),
        (httpx2.PoolTimeout(""), Trouble.NOT_SENT),
        (httpx2.WriteError("broken pipe"), Trouble.CLOSED),
        (httpx2.ReadError(""), Trouble.CLOSED),
    ],
)
def test_a_request_without_a_connection_was_not_sent(error: Exception, trouble: Trouble) -> None:
    made = error_in(unsent_response(httpx2.Request("POST", "http://localhost/mcp"), {"id": 7}, error))
    assert server_error(MCPError(made.code, made.message, made.data)).trouble is trouble
    assert made.message
