"""Sends a request, and makes our errors of those of the SDK: the server's error, or that its result is malformed."""

from __future__ import annotations

import asyncio
from typing import Any

from mcp import MCPError
from mcp.client import ClientSession
from mcp.types import CONNECTION_CLOSED, Request
from pydantic import BaseModel, ValidationError

from webclient.domain.model import Json
from webclient.protocol.messages.raw_request import send
from webclient.protocol.messages.sdk_errors import server_error
from webclient.protocol.messages.server_error import MalformedResultError, ServerError, Trouble

PATIENCE = 30.0
"""Seconds that a server has for a request which every server answers at once."""


async def checked_result(client: ClientSession, request: Request[Any, Any], **options: Any) -> Json:
    """Send a request, and return its result as it came.

    `options` are those of `ClientSession.send_request`. Raises ServerError for a JSON-RPC error, or if no answer comes,
    and MalformedResultError.
    """
    try:
        return await send(client, request, **options)
    except MCPError as error:
        raise server_error(error) from error
    except ValidationError as error:
        raise _malformed(error) from error


async def prompt_result(client: ClientSession, request: Request[Any, Any]) -> Json:
    """Send a request that every server answers at once; otherwise as `checked_result`."""
    try:
        async with asyncio.timeout(PATIENCE):
            return await checked_result(client, request)
    except TimeoutError as error:
        message = f"The server did not answer {request.method}"
        raise ServerError(CONNECTION_CLOSED, message, trouble=Trouble.CLOSED) from error


def check_shape(model: type[BaseModel], value: Json) -> None:
    """Raise MalformedResultError unless a value that came has the shape of the model."""
    try:
        model.model_validate(value, by_name=False)
    except ValidationError as error:
        raise _malformed(error) from error


def _malformed(error: ValidationError) -> MalformedResultError:
    first = error.errors()[0]
    where = ".".join(str(step) for step in first["loc"])
    return MalformedResultError(f"{where}: {first['msg']}" if where else first["msg"])
