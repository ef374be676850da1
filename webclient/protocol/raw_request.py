"""Sends a request and returns the server's result exactly as it came; the SDK's models drop keys they do not know."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import anyio
from mcp import MCPError
from mcp.client import ClientSession
from mcp.types import ErrorData, Request
from pydantic import TypeAdapter

from webclient.model import Json

REFUSE: ContextVar[Callable[[ErrorData], None] | None] = ContextVar("refuse", default=None)
"""Ends the request in whose context this code runs with an error, where the transport has no way to say so. The SDK
carries the sender's context to where a message is posted."""

_AS_IT_CAME: TypeAdapter[Json] = TypeAdapter(dict[str, Any])


async def send(session: ClientSession, request: Request[Any, Any], **options: Any) -> Json:
    """Return the result of `request`, checked by the SDK against the protocol and otherwise untouched.

    `options` are those of `ClientSession.send_request`. Raises MCPError, ValidationError.
    """
    refused: list[ErrorData] = []
    with anyio.CancelScope() as waiting:

        def refuse(error: ErrorData) -> None:
            refused.append(error)
            waiting.cancel()

        before = REFUSE.set(refuse)
        try:
            # The SDK types its results as models, but takes any adapter.
            return await session.send_request(request, _AS_IT_CAME, **options)  # type: ignore[type-var]
        except MCPError:
            # What the SDK says once its stream has ended says less.
            if not refused:
                raise
        finally:
            REFUSE.reset(before)
    raise MCPError(refused[0].code, refused[0].message, refused[0].data)
