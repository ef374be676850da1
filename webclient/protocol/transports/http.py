"""The HTTP client of a connection: one for each, all with one TLS context, and without a read timeout for calls.

The TLS context is nearly all of a client's memory (854 kB). A read timeout would end a call while a person thinks,
because nothing needs to be transmitted then. Under the SDK's own client one failed POST ends the session with all that
is pending; under this one only that POST is lost, and answers are sent again. What needs a sign-in does not wait for it
here: the SDK sends one message after the other.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import httpx2
from mcp.types import CONNECTION_CLOSED, RequestId
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from webclient.domain.errors import SignInFailedError
from webclient.domain.model import Delivery, Json
from webclient.network import LOOP_HEADER, GuardedTransport, Network, onward_header, tls_context
from webclient.protocol.messages.limits import TooLargeError
from webclient.protocol.messages.message_texts import POSTED
from webclient.protocol.messages.raw_request import FAIL_REQUEST
from webclient.protocol.messages.sdk_errors import own_error, too_large
from webclient.protocol.messages.server_error import Trouble
from webclient.protocol.transports.bearer import Bearer, SignInWantedError, may_ask
from webclient.protocol.transports.http_bodies import (
    ACCEPTED,
    WatchedStream,
    event_stream,
    is_event_stream,
    measure_body,
)
from webclient.protocol.transports.http_errors import (
    NOT_SENT,
    error_in,
    error_response,
    read_json,
    session_unknown,
    sign_in_response,
    unsent_response,
    with_json_rpc_error,
)
from webclient.protocol.transports.http_statuses import is_temporary, refusal_in
from webclient.protocol.transports.read_throttle import set_up_connection
from webclient.protocol.transports.resumption import ResumedStream, UnresumedStream
from webclient.protocol.transports.session_keeping import SESSION
from webclient.protocol.transports.transport_state import TransportState

TIMEOUT = httpx2.Timeout(30, read=None)
"""Seconds for connecting, sending and getting a free connection; none for reading."""

LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=2)
"""Idle connections of one client, and the seconds for which one is used again.

All connections are as many as calls: each waits on one of its own, and an answer must not wait for the end of a call.

Many servers close one after five seconds (uvicorn, Node.js). A call that crosses with that would be lost: whether the
server has run it is unknown, so it is not sent again (RFC 9112, section 9.3.1).
"""

ANSWER_PAUSES = (0.25, 0.5, 1, 2)
"""Seconds before an answer that did not arrive is sent again; its id makes it count once."""

LISTEN_PAUSES = (0.25, 0.5, 1, 2, 5, 10)
"""Seconds before the stream for requests outside of calls is opened again; the last repeats."""

RESUME_PAUSES = (0.25, 0.5, 1, 2, 5, 10, 10, 10)
"""Seconds before the stream of a call is resumed again; by their end it is known whether the server still runs."""

DELETE_TIMEOUT = 2
"""Seconds that a server has to confirm the end of a session."""

_UNAVAILABLE = (502, 503, 504)  # of a proxy that does not reach the server

VERSION = "mcp-protocol-version"
"""The header that names the protocol version of a request."""

_SHORT = ("ping", "server/discover")
"""Methods that every server answers at once."""


def http_client(
    headers: dict[str, Any] | None = None,
    timeout: httpx2.Timeout | None = None,  # noqa: ARG001  (the SDK's factory signature; ours is fixed)
    auth: httpx2.Auth | None = None,
    *,
    transport_state: TransportState,
    one_stream: bool = False,
    bearer: Bearer | None = None,
    networks: Sequence[Network] | None = None,
    ca_file: Path | None = None,
) -> McpHttpClient:
    """Return a client for one connection. Fits the SDK's `McpHttpClientFactory`.

    `one_stream`: all responses come on one stream (HTTP+SSE), and the SDK sends nothing more after one failed POST.
    `bearer` is the user's sign-in. Given `networks`, it connects to these and the internet alone. `ca_file`
    is that of the settings.
    """
    tls = tls_context(ca_file)
    options: dict[str, Any] = {"headers": headers, "auth": auth, "timeout": TIMEOUT, "limits": LIMITS, "verify": tls}
    options["transport"] = None if networks is None else GuardedTransport(tls, LIMITS, networks)
    return McpHttpClient(transport_state, one_stream, bearer or Bearer(), **options)


class McpHttpClient(httpx2.AsyncClient):
    """Sends each MCP message in the way that loses the least, and reports its fate to `transport_state`."""

    def __init__(self, transport_state: TransportState, one_stream: bool, bearer: Bearer, **options: Any) -> None:
        hooks: list[Callable[..., Any]] = [partial(measure_body, transport_state), transport_state.keeping.note]
        super().__init__(**options, event_hooks={"response": hooks})
        self.headers["accept-encoding"] = ACCEPTED
        self._transport_state = transport_state
        self._one_stream = one_stream
        self._bearer = bearer
        self._on_trace = partial(set_up_connection, transport_state.throttle)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request; in an established session, failures become error responses.

        Raises SignInWantedError if there is no session before the user has signed in, and ends the attempt.
        """
        request.extensions["trace"] = self._on_trace
        request.headers[LOOP_HEADER] = onward_header()
        message = await _posted_message(request)
        if made_here := self._transport_state.keeping.response_to(request, message):
            return made_here
        try:
            return await self._send(request, message, **options)
        except SignInWantedError as wanted:
            # An error response would be taken for a sign of the other era.
            self._transport_state.want_sign_in(wanted.status)
            await anyio.lowlevel.checkpoint()
            raise

    async def _send(self, request: httpx2.Request, message: Json, **options: Any) -> httpx2.Response:
        if message and (posted := POSTED.get()):
            posted(request.content)
        request.headers.update(self._transport_state.param_headers.of(message))
        if request.method == "DELETE":
            return await self._send_briefly(request, DELETE_TIMEOUT, **options)
        if request.method == "GET" and SESSION in request.headers:
            return await self._listen(request, **options)
        if "id" in message and "method" not in message:
            return await self._send_answer(request, message, **options)
        if not self._transport_state.established or not message:
            return self._continued(request, await self._open(request, may_ask=True, **options))
        return await self._send_message(request, message, **options)

    async def _send_message(self, request: httpx2.Request, message: Json, **options: Any) -> httpx2.Response:
        """Send a request or notification, once."""
        try:
            asks = may_ask(message)
            if "id" not in message or message["method"] in _SHORT:
                sent = await self._send_briefly(request, self._transport_state.patience, may_ask=asks, **options)
            else:
                sent = self._continued(request, await self._open(request, may_ask=asks, **options))
            response = await with_json_rpc_error(await self._whole(sent, message), self._transport_state.patience)
        except httpx2.TransportError as error:
            self._transport_state.failed(error)
            response = unsent_response(request, message, error)
        except SignInWantedError as wanted:
            if "id" not in message:
                raise
            response = sign_in_response(request, message, wanted.status)
        return self._for_one_stream(response) if self._one_stream and response.is_error else response

    async def _whole(self, response: httpx2.Response, message: Json) -> httpx2.Response:
        if self._one_stream and response.is_success:
            return await _without_body(response)
        try:
            return await read_json(response)
        except TooLargeError as error:
            return error_response(response, too_large(error), message_id=message.get("id"))

    def _for_one_stream(self, response: httpx2.Response) -> httpx2.Response:
        """Fail the request that got this error response; return a success, because the SDK would stop sending."""
        is_unknown = response.status_code == HTTPStatus.NOT_FOUND
        if fail_request := FAIL_REQUEST.get():
            fail_request(session_unknown() if is_unknown else error_in(response))
        if is_unknown:
            self._transport_state.lose_session()
        return httpx2.Response(202, request=response.request)

    async def _send_answer(self, request: httpx2.Request, message: Json, **options: Any) -> httpx2.Response:
        try:
            response = await self._try_answer(request, message, **options)
        except SignInWantedError:
            # The SDK sends nothing else meanwhile, so the answer waits by itself.
            self._bearer.keep(
                partial(self._try_answer, request, message, **options), partial(self._answer_ended, message)
            )
            return httpx2.Response(202, request=request)
        if response and response.is_redirect:
            return response
        arrived = await self._answer_ended(message, response)
        # The session continues in either case; an error status would end it over HTTP+SSE.
        return httpx2.Response(response.status_code if response and arrived else 202, request=request)

    async def _answer_ended(self, message: Json, response: httpx2.Response | None) -> bool:
        """Report how far the answer got, and return whether it arrived."""
        arrived = response is not None and response.is_success
        if not arrived:
            self._transport_state.failed()
        await self._transport_state.answer_ended(message["id"], Delivery.DELIVERED if arrived else None)
        if response:
            # A body that is not needed may be endless.
            await response.aclose()
        return arrived

    async def _try_answer(self, request: httpx2.Request, message: Json, **options: Any) -> httpx2.Response | None:
        for pause in (*ANSWER_PAUSES, None):
            if self._transport_state.abandoned:
                break
            response = await self._try(self._send_noted, request, message["id"], **options)
            if pause is None or response:
                return response
            await anyio.sleep(pause)
        return None

    async def _send_noted(self, request: httpx2.Request, message_id: RequestId, **options: Any) -> httpx2.Response:
        """Send an answer, and note whether the server may have it although no response came."""
        known = self._transport_state.answer_leaves(message_id)
        # What is refused this time, or did not get there, may have arrived an earlier time.
        try:
            response = await self._send_briefly(request, self._transport_state.patience, may_ask=True, **options)
        except (*NOT_SENT, SignInWantedError):
            self._transport_state.answer_leaves(message_id, known)
            raise
        if response.is_client_error:
            self._transport_state.answer_leaves(message_id, known)
        return response

    async def _listen(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Open the stream for requests outside of calls; whenever it ends, it is opened again."""
        response = await self._open_listening(request, **options)
        if body := event_stream(response):
            response.stream = ResumedStream(body, partial(self._listen_again, request), always=True)
        return response

    async def _listen_again(self, request: httpx2.Request, last_id: str) -> httpx2.AsyncByteStream | None:
        response = await self._open_listening(self._following(request, last_id), stream=True)
        if body := event_stream(response):
            return body
        await response.aclose()
        return None

    async def _open_listening(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send the request until the server answers it; the SDK would give up after two attempts."""
        pauses = chain(LISTEN_PAUSES, repeat(LISTEN_PAUSES[-1]))
        while not (response := await self._try(self._open, request, **options)) or self._is_refused_for_now(response):
            if response:
                await response.aclose()
            else:
                self._transport_state.failed()
            await anyio.sleep(next(pauses))
        return response

    def _is_refused_for_now(self, response: httpx2.Response) -> bool:
        return is_temporary(response) or self._bearer.refuses(response)

    def _continued(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        """Return the response to a POST; its event stream is resumed, in the protocol versions that have that."""
        body = event_stream(response)
        if self._one_stream or body is None or response.is_closed:
            return response
        if request.headers.get(VERSION) in MODERN_PROTOCOL_VERSIONS:
            response.stream = UnresumedStream(body)
        else:
            response.stream = ResumedStream(body, partial(self._resume, request))
        return response

    async def _resume(self, request: httpx2.Request, last_id: str) -> httpx2.AsyncByteStream:
        """Open the stream that continues the response to `request`. Raises SSEError, which the SDK takes as its end."""
        status = None
        for pause in (0, *RESUME_PAUSES):
            await anyio.sleep(pause)
            if response := await self._try_to_resume(self._following(request, last_id)):
                if body := event_stream(response):
                    return body
                await response.aclose()
                status = response.status_code
                break
            self._transport_state.failed()
        error = own_error(Trouble.NOT_RESUMED, "The stream was not resumed", code=CONNECTION_CLOSED, status=status)
        if fail_request := FAIL_REQUEST.get():
            fail_request(error)
        raise httpx2.SSEError(error.message)

    async def _try_to_resume(self, request: httpx2.Request) -> httpx2.Response | None:
        resume = partial(self._try, self._open, request, may_ask=True, stream=True)
        try:
            return await resume()
        except SignInWantedError as wanted:
            # The server works on; its messages are there also after the sign-in.
            with suppress(SignInFailedError):
                return await self._bearer.after_sign_in(resume)
            return httpx2.Response(wanted.status, request=request)

    def _following(self, request: httpx2.Request, last_id: str) -> httpx2.Request:
        """Return the request for what follows the event `last_id` on the stream that `request` opened."""
        same = {name: request.headers[name] for name in (SESSION, VERSION) if name in request.headers}
        headers = {**same, "accept": "text/event-stream"} | ({"last-event-id": last_id} if last_id else {})
        following = self.build_request("GET", request.url, headers=headers)
        following.extensions["trace"] = self._on_trace
        return following

    async def _try(
        self, send: Callable[..., Awaitable[httpx2.Response]], request: httpx2.Request, *more: Any, **options: Any
    ) -> httpx2.Response | None:
        """Call `send`; return None if the server did not get the request, so that it may be sent again."""
        try:
            response = await send(request, *more, **options)
        except httpx2.TransportError:
            return None
        if response.status_code not in _UNAVAILABLE:
            return response
        await response.aclose()
        return None

    async def _send_briefly(
        self, request: httpx2.Request, seconds: float, *, may_ask: bool = False, **options: Any
    ) -> httpx2.Response:
        request.extensions["timeout"] = httpx2.Timeout(seconds).as_dict()
        return await self._send_with_token(request, may_ask=may_ask, **options)

    async def _send_with_token(self, request: httpx2.Request, *, may_ask: bool, **options: Any) -> httpx2.Response:
        return await self._bearer.send(request, partial(self._send_once, **options), may_ask=may_ask)

    async def _send_once(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        response = await super().send(request, **options)
        if response.status_code not in _UNAVAILABLE:  # those are not a sign of life
            self._transport_state.heard()
        return response

    async def _open(self, request: httpx2.Request, *, may_ask: bool = False, **options: Any) -> httpx2.Response:
        """Send a request whose response may be a stream, and watch that."""
        self._transport_state.streams += 1
        try:
            response = await self._send_with_token(request, may_ask=may_ask, **options)
        except BaseException:
            self._transport_state.streams -= 1
            raise
        if not self._transport_state.established:
            self._transport_state.refusal = refusal_in(response)
        if isinstance(response.stream, httpx2.AsyncByteStream) and not response.is_closed:
            events = is_event_stream(response)
            response.stream = WatchedStream(response.stream, self._transport_state, events=events)
        else:
            self._transport_state.streams -= 1
        return response


async def _posted_message(request: httpx2.Request) -> Json:
    """Return the JSON-RPC message in a request, or an empty one."""
    if request.method != "POST":
        return {}
    # The SDK follows a redirect, as from /mcp to /mcp/, with a request whose body was not read yet.
    message = json.loads(await request.aread())
    return message if isinstance(message, dict) else {}


async def _without_body(response: httpx2.Response) -> httpx2.Response:
    """Return the status alone; a body that is not needed may be endless."""
    await response.aclose()
    return httpx2.Response(response.status_code, request=response.request)
