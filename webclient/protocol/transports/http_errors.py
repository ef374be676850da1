"""HTTP error responses, as the SDK can read them: each with a JSON-RPC error, the server's or one of ours.

The SDK reads a JSON-RPC error from an error response only if the body is exactly that, as `application/json`. Servers
and proxies send it as other types and without the rest of JSON-RPC, or send text. Their explanation is what a person
can act upon, so it must not be lost behind "500"; and a response that was cut off must not look like malformed JSON.
"""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus

import httpx2
from mcp.types import CONNECTION_CLOSED, INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, ErrorData

from webclient.domain.model import Json
from webclient.protocol.messages.limits import TooLargeError
from webclient.protocol.messages.sdk_errors import own_error
from webclient.protocol.messages.server_error import Trouble
from webclient.protocol.transports.http_bodies import is_event_stream
from webclient.protocol.transports.session_keeping import SESSION

NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
"""The errors after which the server certainly has nothing of the request."""

_LONGEST_TEXT = 1200
"""Characters that are kept of an explanation in plain text."""


async def read_json(response: httpx2.Response) -> httpx2.Response:
    """Return a response after all of it has come, if it is JSON. Raises TransportError if it was cut off."""
    if response.headers.get("content-type", "").lower().startswith("application/json") and not response.is_error:
        await _read(response)
    return response


async def with_json_rpc_error(response: httpx2.Response, seconds: float) -> httpx2.Response:
    """Return an error response with a JSON-RPC error; other responses stay as they are.

    The body has `seconds` to come. Raises TransportError if it was cut off.
    """
    if not response.is_error:
        return response
    try:
        async with asyncio.timeout(seconds):
            body = b"" if is_event_stream(response) else await _read(response)
    except (TimeoutError, httpx2.StreamError, httpx2.DecodingError):
        body = b""
    except TooLargeError as error:
        return error_response(response, _http_error(response, setting=error.name, most=error.most))
    finally:
        await response.aclose()
    if _is_session_unknown(response, body):
        return error_response(response, session_unknown())
    return error_response(response, _json_rpc_error(body) or _http_error(response, _plain_text(response, body)))


def error_response(response: httpx2.Response, error: Json | ErrorData, *, message_id: object = None) -> httpx2.Response:
    """Return a response like `response` with `error`, for the request with that id."""
    error = error.model_dump(exclude_none=True) if isinstance(error, ErrorData) else error
    body = {"jsonrpc": "2.0", "id": message_id, "error": error}
    return httpx2.Response(response.status_code, request=response.request, json=body)


def unsent_response(request: httpx2.Request, message: Json, error: Exception) -> httpx2.Response:
    """Return an error response for a request that `error` kept from being sent or answered."""
    not_sent = isinstance(error, NOT_SENT)
    trouble = Trouble.NOT_SENT if not_sent else Trouble.CLOSED
    own = own_error(trouble, str(error) or type(error).__name__, code=CONNECTION_CLOSED)
    return error_response(httpx2.Response(502, request=request), own, message_id=message.get("id"))


def error_in(response: httpx2.Response) -> ErrorData:
    """Return the JSON-RPC error in a response that `with_json_rpc_error` or `unsent_response` returned."""
    return ErrorData.model_validate(json.loads(response.content)["error"])


def session_unknown() -> ErrorData:
    """Return the error for a request in a session that the server does not know."""
    return own_error(Trouble.SESSION_UNKNOWN, "Session terminated", code=INVALID_REQUEST)


def sign_in_response(request: httpx2.Request, message: Json, status: int) -> httpx2.Response:
    """Return the error response for a request that needs a sign-in first."""
    own = own_error(Trouble.SIGN_IN, "The server wants a sign-in.", code=INVALID_REQUEST)
    return error_response(httpx2.Response(status, request=request), own, message_id=message.get("id"))


def _http_error(response: httpx2.Response, text: str = "", **details: object) -> ErrorData:
    """Return the error for a status without a JSON-RPC error; its message is the server's text."""
    code = METHOD_NOT_FOUND if response.status_code == HTTPStatus.NOT_FOUND else INTERNAL_ERROR
    return own_error(Trouble.HTTP_ERROR, text, code=code, status=response.status_code, **details)


async def _read(response: httpx2.Response) -> bytes:
    try:
        return await response.aread()
    except BaseException:
        # The caller gets no response that it could close.
        await response.aclose()
        raise


def _is_session_unknown(response: httpx2.Response, body: bytes) -> bool:
    """Return whether the server no longer knows the session of the request.

    It MUST answer 404 then (MCP 2025-11-25, Transports, Session Management). Servers that keep their sessions in memory
    often answer 400 instead, with one of these messages.
    """
    if SESSION not in response.request.headers:
        return False
    messages = (b"no valid session id", b"server not initialized")
    return response.status_code == HTTPStatus.NOT_FOUND or (
        response.status_code == HTTPStatus.BAD_REQUEST and any(each in body.lower() for each in messages)
    )


def _json_rpc_error(body: bytes) -> Json | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    error = found.get("error") if isinstance(found, dict) else None
    if not isinstance(error, dict) or type(error.get("code")) is not int:
        return None
    return {**error, "message": str(error.get("message", ""))}


def _plain_text(response: httpx2.Response, body: bytes) -> str:
    """Return the explanation of the server, if it is not a page for browsers."""
    content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_text = content_type in ("", "text/plain") or content_type.endswith("json")
    return body.decode(errors="replace").strip()[:_LONGEST_TEXT] if is_text else ""
