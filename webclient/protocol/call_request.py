"""The MCP request that makes a call, or makes it again with what was answered."""

from __future__ import annotations

from typing import Any

from mcp.types import (
    CallToolRequest,
    CallToolRequestParams,
    GetPromptRequest,
    GetPromptRequestParams,
    ReadResourceRequest,
    ReadResourceRequestParams,
    Request,
)

from webclient.model import Call, CallKind, Json


def call_request(call: Call, answers: Json | None = None, state: str | None = None) -> Request[Any, Any]:
    """Return the request that makes `call`, with the answers of a round and its `requestState`."""
    again: dict[str, Any] = {"input_responses": answers, "request_state": state}
    match call.kind:
        case CallKind.TOOL:
            return CallToolRequest(params=CallToolRequestParams(name=call.name, arguments=call.arguments, **again))
        case CallKind.PROMPT:
            return GetPromptRequest(params=GetPromptRequestParams(name=call.name, arguments=call.arguments, **again))
        case CallKind.RESOURCE:
            return ReadResourceRequest(params=ReadResourceRequestParams(uri=call.name, **again))
