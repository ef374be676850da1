"""The bodies of HTTP responses, in the one form in which the SDK reads them: JSON whole, and errors as JSON-RPC.

Of JSON that was cut it says that it is malformed, as if the server had sent it so. JSON-RPC errors inside HTTP error
responses it takes as `application/json` and whole; a server or a proxy may send them as anything else, and without the
rest of JSON-RPC. What an error says is what a person can act upon, so it must not get lost behind "500".
"""

from __future__ import annotations

import asyncio
import json

import httpx2
from mcp.types import CONNECTION_CLOSED, INTERNAL_ERROR, INVALID_REQUEST, ErrorData

from webclient.model import Json
from webclient.protocol.explain import NOT_SENT, SESSION_LOST
from webclient.protocol.limits import TooLargeError

SESSION = "mcp-session-id"
"""The header that names the session of a request."""


def is_events(response: httpx2.Response) -> bool:
    """Whether the body is a stream of server-sent events, of which each is whole by itself."""
    return "event-stream" in response.headers.get("content-type", "").lower()


def message_in(request: httpx2.Request) -> Json:
    """Return the JSON-RPC message that a request carries; an empty one if it carries none."""
    if request.method != "POST":
        return {}
    message = json.loads(request.content)
    return message if isinstance(message, dict) else {}


async def whole(response: httpx2.Response) -> httpx2.Response:
    """Return a response once all of it has come, if it is JSON. Raises TransportError where it was cut."""
    if response.headers.get("content-type", "").lower().startswith("application/json") and not response.is_error:
        await _read(response)
    return response


async def with_readable_error(response: httpx2.Response, seconds: float) -> httpx2.Response:
    """Return an HTTP error response as the SDK reads it, if there is a JSON-RPC error in it; it has so long to come.

    Raises TransportError where it was cut.
    """
    if not response.is_error or is_events(response):
        return response
    try:
        async with asyncio.timeout(seconds):
            said = await _read(response)
    except (TimeoutError, httpx2.StreamError, httpx2.DecodingError):
        return response
    except TooLargeError as large:
        return json_response(response, {"code": INTERNAL_ERROR, "message": f"HTTP {response.status_code}. {large}"})
    error = {"code": INVALID_REQUEST, "message": SESSION_LOST} if _is_forgotten(response, said) else _error_in(said)
    if error is None:
        return response
    return json_response(response, error)


def json_response(response: httpx2.Response, error: Json | ErrorData, *, message_id: object = None) -> httpx2.Response:
    """Return a response like `response` that says `error`, to the request of that id, as the SDK reads it."""
    error = error.model_dump(exclude_none=True) if isinstance(error, ErrorData) else error
    body = {"jsonrpc": "2.0", "id": message_id, "error": error}
    return httpx2.Response(response.status_code, request=response.request, json=body)


def unsent(request: httpx2.Request, message: Json, error: Exception) -> httpx2.Response:
    """Return what is said to the SDK of a request that `error` kept from being sent or answered."""
    told: Json = {"code": CONNECTION_CLOSED, "message": str(error) or type(error).__name__}
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout):
        told["data"] = NOT_SENT
    return json_response(httpx2.Response(502, request=request), told, message_id=message.get("id"))


async def without_body(response: httpx2.Response) -> httpx2.Response:
    """Return the status and nothing else, where nothing else is of interest: a body may have no end."""
    await response.aclose()
    return httpx2.Response(response.status_code, request=response.request)


def error_in(response: httpx2.Response) -> ErrorData:
    """Return the JSON-RPC error in an HTTP error response that has come whole, or one that says its status."""
    error = _error_in(response.content) or {"code": INTERNAL_ERROR, "message": f"HTTP {response.status_code}"}
    return ErrorData(code=error["code"], message=error["message"], data=error.get("data"))


async def _read(response: httpx2.Response) -> bytes:
    try:
        return await response.aread()
    except BaseException:
        # Who asked for the response never gets it, so nobody else closes it.
        await response.aclose()
        raise


def _is_forgotten(response: httpx2.Response, said: bytes) -> bool:
    """Whether the server no longer knows the session that the request was sent in.

    It must answer 404 then, whatever else it says (MCP 2025-11-25, Transports, Session Management). Servers that keep
    their sessions in memory often say 400 instead, in one of these words.
    """
    if SESSION not in response.request.headers:
        return False
    words = (b"no valid session id", b"server not initialized")
    return response.status_code == 404 or (response.status_code == 400 and any(each in said.lower() for each in words))


def _error_in(body: bytes) -> Json | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    error = found.get("error") if isinstance(found, dict) else None
    if not isinstance(error, dict) or type(error.get("code")) is not int:
        return None
    return {**error, "message": str(error.get("message", ""))}
