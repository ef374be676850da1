"""JSON-RPC errors inside HTTP error responses, in the one form in which the SDK reads them.

It takes them as `application/json` and whole; a server or a proxy may send them as anything else, and without the rest
of JSON-RPC. What an error says is what a person can act upon, so it must not get lost behind "500".
"""

from __future__ import annotations

import asyncio
import json

import httpx2

from webclient.model import Json


async def with_readable_error(response: httpx2.Response, seconds: float) -> httpx2.Response:
    """Return an HTTP error response as the SDK reads it, if there is a JSON-RPC error in it; it has so long to come."""
    if not response.is_error or "event-stream" in response.headers.get("content-type", ""):
        return response
    try:
        async with asyncio.timeout(seconds):
            error = _error_in(await response.aread())
    except (TimeoutError, httpx2.TransportError, httpx2.StreamError, httpx2.DecodingError):
        return response
    if error is None:
        return response
    body = {"jsonrpc": "2.0", "id": None, "error": error}
    return httpx2.Response(response.status_code, request=response.request, json=body)


def _error_in(body: bytes) -> Json | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    error = found.get("error") if isinstance(found, dict) else None
    if not isinstance(error, dict) or type(error.get("code")) is not int:
        return None
    return {**error, "message": str(error.get("message", ""))}
