"""Sends a request and returns the server's result exactly as it came; the SDK's models drop keys they do not know."""

from __future__ import annotations

from typing import Any

from mcp.client import ClientSession
from mcp.types import Request
from pydantic import TypeAdapter

from webclient.model import Json

_AS_IT_CAME: TypeAdapter[Json] = TypeAdapter(dict[str, Any])


async def send(session: ClientSession, request: Request[Any, Any], **options: Any) -> Json:
    """Return the result of `request`, checked by the SDK against the protocol and otherwise untouched.

    `options` are those of `ClientSession.send_request`. Raises MCPError, ValidationError.
    """
    # The SDK types its results as models, but takes any adapter.
    return await session.send_request(request, _AS_IT_CAME, **options)  # type: ignore[type-var]
