"""The bridge of `mcp-webclient stdio`: MCP on standard input and output, passed as it is to an address of the gateway.

Only the HTTP headers are made here, from what the messages say of themselves. Sessions stay on the HTTP side.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import anyio
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp.types import (
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)
from mcp_types import PROTOCOL_VERSION_META_KEY

from webclient.protocol.transports.bridge_http import BridgeHTTP

_NOT_MCP = "This line is not a message of MCP, which is JSON-RPC 2.0 in one line of UTF-8."


async def bridge(url: str, token: str, *, ca_file: Path | None, say: Callable[[str], None]) -> None:
    """Pass messages between standard input and output and `url` until the input ends; `say` gets what goes wrong."""
    async with (
        stdio_server() as (agent_in, agent_out),
        agent_out,
        BridgeHTTP(token, ca_file=ca_file, say=say) as http,
        streamable_http_client(url, http_client=http, max_sse_event_size=None) as (inbox_in, inbox_out),
        anyio.create_task_group() as tasks,
    ):
        messages = _Messages()

        async def pass_back() -> None:
            async for message in inbox_in:
                if isinstance(message, SessionMessage) and messages.is_wanted(message.message):
                    await agent_out.send(message)

        tasks.start_soon(pass_back)
        async for message in _passable(agent_in, agent_out.send):
            await inbox_out.send(SessionMessage(message, messages.noted(message)))
        tasks.cancel_scope.cancel()


async def _passable(
    lines: AsyncIterator[SessionMessage | Exception], answer: Callable[[SessionMessage], object]
) -> AsyncIterator[JSONRPCMessage]:
    async for line in lines:
        if isinstance(line, SessionMessage):
            yield line.message
        else:
            error = ErrorData(code=PARSE_ERROR, message=_NOT_MCP)
            await answer(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=error)))  # type: ignore[misc]


class _Messages:
    """The headers of the messages, and the requests whose responses are not wanted any more."""

    def __init__(self) -> None:
        self._version: str | None = None
        self._handshake: RequestId | None = None
        self._cancelled: set[RequestId] = set()

    def noted(self, message: JSONRPCMessage) -> ClientMessageMetadata:
        """Note a message of the agent; return its HTTP headers."""
        if isinstance(message, JSONRPCRequest):
            self._cancelled.discard(message.id)
            if message.method == "initialize":
                self._handshake, self._version = message.id, None
        if isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            cancelled = (message.params or {}).get("requestId")
            if isinstance(cancelled, int | str):
                self._cancelled.add(cancelled)
        return ClientMessageMetadata(headers=self._headers(message))

    def is_wanted(self, message: JSONRPCMessage) -> bool:
        """Return whether the agent wants this message: not the response to a request that it has cancelled."""
        if not isinstance(message, JSONRPCResponse | JSONRPCError):
            return True
        if isinstance(message, JSONRPCResponse) and message.id == self._handshake:
            self._version = str(message.result.get("protocolVersion"))
        if message.id not in self._cancelled:
            return True
        self._cancelled.discard(message.id)
        return False

    def _headers(self, message: JSONRPCMessage) -> dict[str, str]:
        params = message.params if isinstance(message, JSONRPCRequest | JSONRPCNotification) else None
        meta = (params or {}).get("_meta")
        version = meta.get(PROTOCOL_VERSION_META_KEY) if isinstance(meta, dict) else None
        if not isinstance(version, str) or not isinstance(message, JSONRPCRequest):
            return {MCP_PROTOCOL_VERSION_HEADER: self._version} if self._version else {}
        headers = {MCP_PROTOCOL_VERSION_HEADER: version, MCP_METHOD_HEADER: message.method}
        name = (params or {}).get(NAME_BEARING_METHODS.get(message.method, ""))
        return headers | ({MCP_NAME_HEADER: encode_header_value(name)} if isinstance(name, str) else {})
