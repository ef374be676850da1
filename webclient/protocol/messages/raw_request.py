"""Sends a request and returns the raw result; the SDK's models drop keys that they do not know."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, TypeVar

import anyio
from mcp import MCPError
from mcp.client import ClientSession
from mcp.types import ErrorData, Request
from pydantic import TypeAdapter

from webclient.domain.model import Json

T = TypeVar("T")

FAIL_REQUEST: ContextVar[Callable[[ErrorData], None] | None] = ContextVar("fail_request", default=None)
"""Fails the request in whose context this code runs, for transports that cannot report the failure themselves. The SDK
carries the context of the sender to the place where a message is posted."""

_AS_IT_CAME: TypeAdapter[Json] = TypeAdapter(dict[str, Any])


async def send(session: ClientSession, request: Request[Any, Any], **options: Any) -> Json:
    """Send `request`, and return its result as it came, after the SDK has validated it.

    `options` are those of `ClientSession.send_request`. Raises MCPError, ValidationError.
    """
    # The SDK types its results as models, but takes any adapter.
    return await failing(session.send_request(request, _AS_IT_CAME, **options))  # type: ignore[type-var]


async def failing(response: Awaitable[T]) -> T:
    """Await a response of the SDK, which the transport may fail. Raises MCPError."""
    errors: list[ErrorData] = []
    with anyio.CancelScope() as waiting:

        def fail(error: ErrorData) -> None:
            errors.append(error)
            waiting.cancel()

        before = FAIL_REQUEST.set(fail)
        try:
            return await response
        except MCPError:
            # Our error says more than the SDK's, which is that its stream has ended.
            if not errors:
                raise
        finally:
            FAIL_REQUEST.reset(before)
    raise MCPError(errors[0].code, errors[0].message, errors[0].data)
