"""Sends a call, for the first time or again with the answers of a round."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from mcp import MCPError
from mcp.types import (
    CONNECTION_CLOSED,
    CallToolRequest,
    CallToolRequestParams,
    GetPromptRequest,
    GetPromptRequestParams,
    ReadResourceRequest,
    ReadResourceRequestParams,
    Request,
)
from pydantic import ValidationError

from webclient.model import CallKind, Json
from webclient.protocol.explain import NOT_SENT
from webclient.protocol.raw_request import send
from webclient.protocol.server_error import MalformedResultError, ServerError, Trouble, server_error
from webclient.protocol.session import Session

OnProgress = Callable[[float, float | None, str | None], Awaitable[None]]
"""Takes `progress`, `total` and `message` of a step that the server reports."""


async def send_call(
    session: Session,
    kind: CallKind,
    name: str,
    arguments: Json | None = None,
    *,
    answers: Json | None = None,
    state: str | None = None,
    on_progress: OnProgress | None = None,
) -> Json:
    """Send a call, with the answers of a round and its `requestState`, and return the result as it came.

    Raises ServerError for a JSON-RPC error, or if no answer comes, and MalformedResultError.
    """
    request = _request(kind, name, arguments, {"input_responses": answers, "request_state": state})
    if session.client is None:
        raise ServerError(CONNECTION_CLOSED, "The session has ended", NOT_SENT, Trouble.NOT_SENT)
    try:
        return await send(session.client, request, progress_callback=on_progress)
    except MCPError as error:
        raise server_error(error) from error
    except ValidationError as error:
        raise MalformedResultError(_first(error)) from error


def _request(kind: CallKind, name: str, arguments: Json | None, reply: dict[str, Any]) -> Request[Any, Any]:
    match kind:
        case CallKind.TOOL:
            return CallToolRequest(params=CallToolRequestParams(name=name, arguments=arguments, **reply))
        case CallKind.PROMPT:
            return GetPromptRequest(params=GetPromptRequestParams(name=name, arguments=arguments, **reply))
        case CallKind.RESOURCE:
            return ReadResourceRequest(params=ReadResourceRequestParams(uri=name, **reply))


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(step) for step in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]
