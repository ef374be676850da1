"""The HTTP client of a connection: one for each, all sharing one TLS context, and none with a read timeout for calls.

The TLS context is nearly all of a client's memory (854 kB of it). A read timeout would end a call while a person
thinks, because nothing needs to travel then. Under the SDK's own client one failed POST ends the session, and with it
all that is pending there; under this one it is the loss of that POST only, and answers are tried again.
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from functools import cache, partial
from http import HTTPStatus
from itertools import chain, repeat
from ssl import SSLContext
from typing import Any

import anyio
import httpx2
from mcp.types import INVALID_REQUEST, ErrorData

from webclient.model import Json
from webclient.protocol.decoding import ACCEPTED, bound
from webclient.protocol.explain import SESSION_LOST, too_large
from webclient.protocol.http_bodies import (
    SESSION,
    error_in,
    is_events,
    json_response,
    message_in,
    unsent,
    whole,
    with_readable_error,
    without_body,
)
from webclient.protocol.http_statuses import refusal_in
from webclient.protocol.limits import TooLargeError
from webclient.protocol.raw_request import REFUSE
from webclient.protocol.socket_reads import read_at_pace
from webclient.protocol.transport_state import TransportState
from webclient.protocol.watched_stream import WatchedStream

TIMEOUT = httpx2.Timeout(30, read=None)
"""Seconds for connecting, sending and getting a free connection; none for reading."""

ANSWER_PAUSES = (0.25, 0.5, 1, 2)
"""Seconds before an answer that did not arrive is sent again; the server knows it by its id, so twice is once."""

LISTEN_PAUSES = (0.25, 0.5, 1, 2, 5, 10)
"""Seconds before the stream on which the server speaks unasked is opened again; the last repeats."""

GOODBYE = 2
"""Seconds that a server has to take note of the end of a session."""

_KEEP_ALIVE = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)] + [
    (socket.IPPROTO_TCP, getattr(socket, name), value)
    for name, value in (("TCP_KEEPIDLE", 15), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3))
    if hasattr(socket, name)
]
"""A peer that is gone is noticed after half a minute; one that is there and slow answers by its kernel."""

_UNAVAILABLE = (502, 503, 504)
_SHORT = ("ping", "server/discover")


@cache
def _tls() -> SSLContext:
    return httpx2.create_ssl_context()


def http_client(
    headers: dict[str, Any] | None = None,
    timeout: httpx2.Timeout | None = None,  # noqa: ARG001  (the SDK's factory signature; ours is fixed)
    auth: httpx2.Auth | None = None,
    *,
    wire: TransportState,
    one_stream: bool = False,
) -> SteadyClient:
    """Return a client for one connection. Fits the SDK's `McpHttpClientFactory`.

    `one_stream`: everything comes on one stream (HTTP+SSE), and the SDK sends nothing more after one failed POST.
    """
    return SteadyClient(wire, one_stream, headers=headers, timeout=TIMEOUT, auth=auth, verify=_tls())


class SteadyClient(httpx2.AsyncClient):
    """Sends each MCP message in the way that loses the least, and tells `wire` what became of it."""

    def __init__(self, wire: TransportState, one_stream: bool, **options: Any) -> None:
        super().__init__(**options, event_hooks={"response": [partial(bound, wire)]})
        self.headers["accept-encoding"] = ACCEPTED
        self._wire = wire
        self._one_stream = one_stream

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request; once the session stands, what cannot be sent gives an error response."""
        request.extensions["trace"] = self._connected
        message = message_in(request)
        if request.method == "DELETE":
            return await self._shortly(request, GOODBYE, **options)
        if request.method == "GET" and SESSION in request.headers:
            return await self._listen(request, **options)
        if "id" in message and "method" not in message:
            return await self._answer(request, message, **options)
        if not self._wire.established or not message:
            return await self._open(request, **options)
        return await self._ask(request, message, **options)

    async def _ask(self, request: httpx2.Request, message: Json, **options: Any) -> httpx2.Response:
        """Send a request or notification; requests are never sent twice by themselves."""
        try:
            if "id" not in message or message["method"] in _SHORT:
                sent = await self._shortly(request, self._wire.patience, **options)
            else:
                sent = await self._open(request, **options)
            response = await with_readable_error(await self._whole(sent, message), self._wire.patience)
        except httpx2.TransportError as error:
            self._wire.failed(error)
            response = unsent(request, message, error)
        return self._over_one_stream(response) if self._one_stream and response.is_error else response

    async def _whole(self, response: httpx2.Response, message: Json) -> httpx2.Response:
        if self._one_stream and response.is_success:
            return await without_body(response)
        try:
            return await whole(response)
        except TooLargeError as error:
            return json_response(response, too_large(error), message_id=message.get("id"))

    def _over_one_stream(self, response: httpx2.Response) -> httpx2.Response:
        """Return what is said to the SDK, which sends nothing more after an error status, of a message that failed."""
        refuse = REFUSE.get()
        if refuse and response.status_code == HTTPStatus.NOT_FOUND:
            refuse(ErrorData(code=INVALID_REQUEST, message=SESSION_LOST))
            self._wire.forget()
            return response
        if refuse is None:
            self._wire.lost()
            return response
        refuse(error_in(response))
        return httpx2.Response(202, request=response.request)

    async def _answer(self, request: httpx2.Request, message: Json, **options: Any) -> httpx2.Response:
        response = await self._sent_answer(request, **options)
        if response and response.is_redirect:
            return response
        arrived = response is not None and response.is_success
        if not arrived:
            self._wire.failed()
        await self._wire.arrived(message["id"], arrived=arrived)
        # The session goes on whatever became of it; only an error status would end one over HTTP+SSE.
        return await without_body(response) if response and arrived else httpx2.Response(202, request=request)

    async def _sent_answer(self, request: httpx2.Request, **options: Any) -> httpx2.Response | None:
        for pause in (*ANSWER_PAUSES, None):
            response = await self._tried(self._shortly, request, self._wire.patience, **options)
            if pause is None or response:
                return response
            await anyio.sleep(pause)
        return None

    async def _listen(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Open the stream on which the server speaks unasked; the SDK would give up after two attempts."""
        pauses = chain(LISTEN_PAUSES, repeat(LISTEN_PAUSES[-1]))
        while not (response := await self._tried(self._open, request, **options)):
            self._wire.failed()
            await anyio.sleep(next(pauses))
        return response

    async def _tried(
        self, way: Callable[..., Awaitable[httpx2.Response]], request: httpx2.Request, *more: Any, **options: Any
    ) -> httpx2.Response | None:
        """Send in that way; None where nobody took it, and it may be sent again."""
        try:
            response = await way(request, *more, **options)
        except httpx2.TransportError:
            return None
        if response.status_code not in _UNAVAILABLE:
            return response
        await response.aclose()
        return None

    async def _shortly(self, request: httpx2.Request, seconds: float, **options: Any) -> httpx2.Response:
        request.extensions["timeout"] = httpx2.Timeout(seconds).as_dict()
        return self._heard(await super().send(request, **options))

    async def _open(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        self._wire.streams += 1
        try:
            response = self._heard(await super().send(request, **options))
        except BaseException:
            self._wire.streams -= 1
            raise
        if not self._wire.established:
            self._wire.refusal = refusal_in(response)
        if isinstance(response.stream, httpx2.AsyncByteStream) and not response.is_closed:
            unasked = request.method == "GET"
            response.stream = WatchedStream(response.stream, self._wire, unasked=unasked, events=is_events(response))
        else:
            self._wire.streams -= 1
        return response

    async def _connected(self, event: str, info: Json) -> None:
        """Have the kernel ask after a peer that says nothing, which ends the stream; and read at the server's pace."""
        if event == "connection.connect_tcp.complete":
            wire = info["return_value"].get_extra_info("socket")
            for level, option, value in _KEEP_ALIVE:
                wire.setsockopt(level, option, value)
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            read_at_pace(info["return_value"], self._wire.pace)

    def _heard(self, response: httpx2.Response) -> httpx2.Response:
        # What a proxy says while it does not reach the server is no sign of life.
        if response.status_code not in _UNAVAILABLE:
            self._wire.heard()
        return response
