"""Opens the SDK's transport for the configuration of a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from mcp.client import Transport, sse
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from webclient.domain.model import Json
from webclient.protocol.endpoint import Endpoint
from webclient.protocol.transports.bearer import Bearer
from webclient.protocol.transports.http import http_client
from webclient.protocol.transports.stderr import StderrTail
from webclient.protocol.transports.stdout_messages import SkippedLines, messages_only
from webclient.protocol.transports.transport_state import TransportState


@asynccontextmanager
async def open_transport(
    endpoint: Endpoint, stderr: StderrTail, skipped: SkippedLines, transport_state: TransportState, bearer: Bearer
) -> AsyncIterator[Transport]:
    """Yield a new transport of the SDK for the server at `endpoint`.

    `stderr` reads the standard error of a child, `skipped` counts the lines on its standard output that are not
    messages; `transport_state` records the events below the session, `bearer` is the user's sign-in.
    """
    transport = endpoint.transport
    client_of = partial(
        http_client,
        transport_state=transport_state,
        bearer=bearer,
        networks=endpoint.networks,
        ca_file=endpoint.ca_file,
    )
    match transport["type"]:
        case "stdio":
            transport_state.piped = True
            yield messages_only(
                stdio_client(_parameters(transport), errlog=stderr.open()), skipped, transport_state.throttle
            )
        case "sse":
            factory = partial(client_of, one_stream=True)
            yield sse.sse_client(transport["url"], headers=transport.get("headers"), httpx_client_factory=factory)
        case _:
            async with client_of(transport.get("headers")) as client:
                yield streamable_http_client(transport["url"], http_client=client, max_sse_event_size=None)


def _parameters(transport: Json) -> StdioServerParameters:
    return StdioServerParameters(
        command=transport["command"],
        args=transport.get("args") or [],
        env=transport.get("env"),
        cwd=transport.get("cwd"),
        # With the default, one invalid byte in a log line would close the stream.
        encoding_error_handler="replace",
    )
