"""From a server's configuration to the SDK's transport for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from mcp.client import Transport, sse
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import sse_within_origin

from webclient.model import Json
from webclient.protocol.http import http_client
from webclient.protocol.stderr import StderrTail
from webclient.protocol.stdout import Skipped, messages_only
from webclient.protocol.transport_state import TransportState

# Events are counted by our client. The SDK's own limit of 1 MiB would end a call, or all of HTTP+SSE, for one message.
sse.sse_within_origin = partial(sse_within_origin, max_event_size=None)  # type: ignore[attr-defined]


@asynccontextmanager
async def open_transport(
    transport: Json, words: StderrTail, skipped: Skipped, wire: TransportState
) -> AsyncIterator[Transport]:
    """Give a fresh SDK transport (transports are single use) for a server's `transport` with its secrets.

    `words` takes what a child writes to standard error, `skipped` what it writes to standard output besides messages;
    `wire` is told what happens below the session.
    """
    match transport["type"]:
        case "stdio":
            wire.piped = True
            yield messages_only(stdio_client(_parameters(transport), errlog=words.open()), skipped, wire.pace)
        case "sse":
            factory = partial(http_client, wire=wire, one_stream=True)
            yield sse.sse_client(transport["url"], headers=transport.get("headers"), httpx_client_factory=factory)
        case _:
            async with http_client(transport.get("headers"), wire=wire) as client:
                yield streamable_http_client(transport["url"], http_client=client, max_sse_event_size=None)


def _parameters(transport: Json) -> StdioServerParameters:
    return StdioServerParameters(
        command=transport["command"],
        args=transport.get("args") or [],
        env=transport.get("env"),
        cwd=transport.get("cwd"),
        # One wrong byte in a log line would end the stream.
        encoding_error_handler="replace",
    )
