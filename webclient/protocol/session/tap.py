"""A wrapper around every transport of the SDK that sees each message on its way, for what the SDK does not report.

The exact parameters of a request and its call (the SDK drops unknown keys, and relates a request to no call), the end
of the stream (the SDK has no hook for it), and the requests that the SDK refuses by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextvars import Context, ContextVar
from dataclasses import replace
from functools import partial
from time import monotonic
from types import TracebackType
from typing import Any

import anyio
from mcp.client import Transport
from mcp.shared.message import SessionMessage
from mcp.shared.subscriptions import LISTEN_STREAM_METHODS, SUBSCRIPTION_ID_META_KEY
from mcp.types import (
    CONNECTION_CLOSED,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)
from mcp.types.version import LATEST_HANDSHAKE_VERSION

from webclient.domain.model import CURRENT_TRACE, Delivery, Json, Reason, ReasonCode, Server, ServerRequest, with_trace
from webclient.protocol.messages.capabilities import announced
from webclient.protocol.messages.message_texts import POSTED, PrintedMessage, take_text
from webclient.protocol.messages.responses import Responses
from webclient.protocol.messages.task_calls import tell_id, with_task_ids
from webclient.protocol.messages.task_shapes import TASK_NOTICES, name_task, related_task
from webclient.protocol.session.hosted_tasks import TASK_METHODS, HostedTasks
from webclient.protocol.session.message_recorder import MessageRecorder, OnMessage
from webclient.protocol.session.open_requests import OpenRequest, OpenRequests
from webclient.protocol.session.session_events import CALL
from webclient.protocol.transports.resumption import RESUMED
from webclient.protocol.transports.session_keeping import RESULT
from webclient.protocol.transports.transport_state import TransportState
from webclient.protocol.transports.wrapped_stream import IncomingMessages, WrappedStream
from webclient.protocol.wire_log import WireMessage

DRAIN_PAUSE = 0.002
"""Seconds between two looks whether a pipe has taken an answer."""

_CURRENT: ContextVar[OpenRequest | None] = ContextVar("request", default=None)


def current_request() -> ServerRequest:
    """Return the server's request, inside the SDK's callback that handles it."""
    current = _CURRENT.get()
    if current is None:
        raise RuntimeError("current_request() outside of a server's request")
    current.handled = True
    return current.request


class Tap:
    """A transport around `transport`, which reports to `transport_state` and to its callbacks.

    `closed` says whether the server's side of the stream has ended; `unsent` counts the responses that the transport
    has not taken yet. `server` gives the server as it is configured now, which decides what is announced to it.
    """

    def __init__(
        self,
        transport: Transport,
        transport_state: TransportState,
        *,
        on_refused: Callable[[ServerRequest, str], None],
        on_withdrawn: Callable[[ServerRequest], None],
        on_delivered: Callable[[ServerRequest, Delivery], Coroutine[Any, Any, None]],
        on_logged: Callable[[str | None, Json], None],
        on_message: OnMessage,
        on_text: Callable[[WireMessage, str | bytes], None],
        on_task: Callable[[Json], None],
        on_notice: Callable[[str | None, str, Json], None],
        server: Callable[[], Server],
        hosted_tasks: HostedTasks,
    ) -> None:
        self.closed = False
        self.unsent = 0
        self.transport_state = transport_state
        self._transport = transport
        self._on_refused = on_refused
        self._on_withdrawn = on_withdrawn
        self._on_delivered = on_delivered
        self._on_logged = on_logged
        self._on_text = on_text
        self._on_task = on_task
        self._on_notice = on_notice
        self._recorder = MessageRecorder(on_message)
        self._server = server
        self.hosted_tasks = hosted_tasks
        self._outgoing: OutgoingStream | None = None
        self._open = OpenRequests()
        self._responses = Responses(self._greeted, over_http=lambda: not transport_state.piped)

    async def __aenter__(self) -> tuple[IncomingStream, OutgoingStream]:
        read, write = await self._transport.__aenter__()
        self._outgoing = OutgoingStream(write, self)
        return IncomingStream(read, self), self._outgoing

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._transport.__aexit__(kind, error, trace)

    def reopen(self, request: ServerRequest) -> None:
        """Note a request that came on an earlier connection of this session; `respond` answers it."""
        self._open.add(request.wire_id or 0, request).handled = True

    def ask_again(self, request: ServerRequest) -> None:
        """Answer a request about a task that came on an earlier connection of this session."""
        self.reopen(request)
        self._answer_about_task(request, Context())

    async def respond(self, request: ServerRequest, result: Json | ErrorData) -> None:
        """Answer a request that was reopened."""
        if isinstance(result, ErrorData):
            await self.send(JSONRPCError(jsonrpc="2.0", id=request.wire_id, error=result))
        else:
            await self.send(JSONRPCResponse(jsonrpc="2.0", id=request.wire_id or 0, result=result))

    async def send(self, message: JSONRPCMessage) -> None:
        """Send a message that is not the SDK's."""
        if self._outgoing:
            await self._outgoing.send(SessionMessage(message))

    async def abandon(self) -> None:
        """Report every answer that was not sent as not delivered, and answer nothing more."""
        unsent = [each for each in self._open.requests if each.wants_delivery and not each.outlives_session]
        # Before the first pause: an answer that came meanwhile would arrive, and be reported as not delivered.
        self.transport_state.closing = True
        for request in unsent:
            request.wants_delivery = False
        await self.hosted_tasks.close()
        for request in unsent:
            await self._on_delivered(request, Delivery.FAILED)

    def ended(self) -> None:
        """Report, once, that the stream has ended."""
        if not self.closed:
            self.closed = True
            self.transport_state.lost()

    def incoming(self, item: SessionMessage | Exception, context: Context | None) -> Context | None:
        """Inspect a message from the server; return the context in which the SDK handles it."""
        if self.transport_state.piped:
            self.transport_state.heard()
        message = item.message if isinstance(item, SessionMessage) else None
        match message:
            case JSONRPCRequest():
                return self._requested(message, context)
            case JSONRPCNotification():
                self._notified(message, context)
            case JSONRPCError():
                self.transport_state.responded(message.id)
            case JSONRPCResponse():
                self.transport_state.responded(message.id)
                self._responses.repair(message, self.transport_state.limits.max_catalog_entries)
        if message:
            self.transport_state.keeping.got(message)
        return context

    def record(self, item: SessionMessage | Exception, context: Context | None) -> None:
        """Report an unchanged message from the server for the wire log."""
        if isinstance(item, SessionMessage):
            self._recorder.received(item.message, context, take_text(item.message))

    def ignores(self, item: SessionMessage | Exception, context: Context | None) -> bool:
        """Return whether a message from the server has no effect: not even an error is sent in return."""
        message = item.message if isinstance(item, SessionMessage) else None
        if not isinstance(message, JSONRPCRequest):
            return False
        # MCP 2026-07-28 has no requests of servers, and over HTTP no way to answer them.
        is_foreign = self._responses.are_modern and not self.transport_state.piped
        is_resumed = context is not None and context.get(RESUMED, False)
        if self.transport_state.closing:
            self.hosted_tasks.missed(message)
            return True
        return is_foreign or (is_resumed and self._open.is_repeated(message))

    def answers(self, item: SessionMessage | Exception, context: Context | None) -> bool:
        """Return whether a message from the server is answered here: a request about a task that we host."""
        message = item.message if isinstance(item, SessionMessage) else None
        if not isinstance(message, JSONRPCRequest) or not self.hosted_tasks.answers(message.method):
            return False
        context = self.incoming(item, context) or Context()
        self._answer_about_task(context.run(current_request), context)
        return True

    def _answer_about_task(self, request: ServerRequest, context: Context) -> None:
        if self._outgoing:
            on_wait = self.transport_state.keeping.on_wait if request.method == RESULT else None
            self.hosted_tasks.answer(request, context, self._outgoing.send, on_wait)

    def _requested(self, message: JSONRPCRequest, context: Context | None) -> Context:
        # Over stdio the transport gives no context. Without a new one, the request would be handled in the context of
        # the task that opened the connection, and look like a request during an old call.
        context = context.copy() if context else Context()
        params = dict(message.params or {})
        request = ServerRequest(
            method=message.method,
            params=params,
            call_id=context.get(CALL),
            wire_id=message.id,
            # What a server asks about a task that we host belongs to that one.
            task_id=None if message.method in TASK_METHODS else related_task(params),
        )
        request.task = self.hosted_tasks.task_wanted(request)
        opened = self._open.add(message.id, request)
        most = self.transport_state.limits.max_server_requests
        if len(self._open) + self.unsent > most:
            self.transport_state.give_up(Reason.of(ReasonCode.TOO_MANY_REQUESTS, most=most))
        context.run(_CURRENT.set, opened)
        return context

    def _notified(self, message: JSONRPCNotification, context: Context | None) -> None:
        params = message.params or {}
        if message.method == "notifications/cancelled" and isinstance(withdrawn := params.get("requestId"), str | int):
            self._withdraw(withdrawn, params.get("reason"))
        call_id = context.get(CALL) if context else None
        if message.method == "notifications/message":
            self._on_logged(call_id, params)
        if message.method in TASK_NOTICES:
            self._on_task(params)
        is_unsolicited = self._responses.are_modern and SUBSCRIPTION_ID_META_KEY not in (params.get("_meta") or {})
        if not (message.method in LISTEN_STREAM_METHODS and is_unsolicited):
            # In 2026-07-28 changes count only if they come on the stream that was opened for them.
            self._on_notice(call_id, message.method, params)

    def _greeted(self, greeting: Json) -> None:
        # Earlier versions have no tasks, and 2026-07-28 has others.
        version = greeting.get("protocolVersion")
        self.hosted_tasks.can_host = version == LATEST_HANDSHAKE_VERSION and bool(self._server().modes)

    def as_sent(self, item: SessionMessage) -> SessionMessage:
        """Return a message to the server as it is sent: it announces only what the user permits, and has its trace."""
        item = with_task_ids(_traced(announced(item, self._server())))
        if not self.transport_state.piped:
            # The context of the sender goes with the message to the HTTP client, which knows the text.
            POSTED.set(partial(self._on_text, self._recorder.sent(item.message, None)))
            return item
        printed = PrintedMessage(item.message)
        self._recorder.sent(item.message, printed.text)
        # The SDK prints what goes into a pipe, and nothing else.
        return replace(item, message=printed)  # type: ignore[arg-type]

    def outgoing(self, item: SessionMessage) -> RequestId | None:
        """Inspect a message to the server; return its id if it is an answer whose delivery is of interest."""
        message = item.message
        if isinstance(message, JSONRPCRequest):
            tell_id(message)
            self._responses.expect(message)
            if self.transport_state.piped:
                self.transport_state.request_sent(message.id)
        if not isinstance(message, JSONRPCResponse | JSONRPCError) or message.id is None:
            return None
        opened = self._open.pop(message.id)
        if opened and opened.request.reply is not None and isinstance(message, JSONRPCResponse) and self._outgoing:
            message.result = opened.request.reply
            self.hosted_tasks.watch(message.result.get("task", {}), self._outgoing.send)
        if opened and not opened.handled and isinstance(message, JSONRPCError):
            self._on_refused(opened.request, message.error.message)
        if opened and isinstance(message, JSONRPCResponse) and (task_id := opened.request.task_id):
            name_task(message.result, task_id)
        if opened is None or not opened.request.wants_delivery:
            return None
        self.transport_state.answer_begins(message.id, partial(self._on_delivered, opened.request))
        return message.id

    def leaves_open(self, item: SessionMessage) -> bool:
        """Return whether the SDK refuses a request here that the next connection will answer."""
        message = item.message
        if not isinstance(message, JSONRPCError) or message.error.code != CONNECTION_CLOSED or message.id is None:
            return False
        opened = self._open.oldest(message.id)
        return opened is not None and opened.outlives_session

    def _withdraw(self, request_id: RequestId, why: object) -> None:
        if opened := self._open.pop(request_id):
            request = opened.request
            request.withdrawn = why.strip() if isinstance(why, str) else ""
            request.ended_at = monotonic()
            self.hosted_tasks.withdraw(request)
            self._on_withdrawn(request)


def _traced(item: SessionMessage) -> SessionMessage:
    """Return a message with the trace of its sender: a request has it in `_meta`, in both eras (SEP-414)."""
    message, trace = item.message, CURRENT_TRACE.get()
    if trace is None or not isinstance(message, JSONRPCRequest):
        return item
    params = message.params or {}
    traced = params | {"_meta": with_trace(params.get("_meta") or {}, trace)}
    return replace(item, message=message.model_copy(update={"params": traced}))


class IncomingStream(IncomingMessages):
    """The messages from the server."""

    last_context: Context | None = None

    def __init__(self, inner: Any, tap: Tap) -> None:
        super().__init__(inner)
        self._tap = tap

    async def receive(self) -> SessionMessage | Exception:
        try:
            item = await self._next()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._tap.ended()
            raise
        self.last_context = self._tap.incoming(item, self._given_context)
        return item

    async def _next(self) -> SessionMessage | Exception:
        transport_state = self._tap.transport_state
        while True:
            item: SessionMessage | Exception = await self._inner.receive()
            await transport_state.throttle.messages(1)
            if transport_state.given_up:
                raise anyio.EndOfStream
            self._tap.record(item, self._given_context)
            if self._tap.ignores(item, self._given_context) or self._tap.answers(item, self._given_context):
                continue
            return item

    @property
    def _given_context(self) -> Context | None:
        """The context that the transport gives the message that came last."""
        return getattr(self._inner, "last_context", None)


class OutgoingStream(WrappedStream):
    """The messages to the server."""

    def __init__(self, inner: Any, tap: Tap) -> None:
        super().__init__(inner)
        self._tap = tap
        # One message at a time: a thousand answers may wait here, and once the session closes, those that need not be
        # delivered are dropped instead of delaying it.
        self._one_at_a_time = anyio.Lock()

    async def send(self, item: SessionMessage) -> None:
        if self._tap.leaves_open(item):
            return
        answered = self._tap.outgoing(item)
        transport_state = self._tap.transport_state
        await transport_state.keeping.sends(item.message)
        is_response = isinstance(item.message, JSONRPCResponse | JSONRPCError)
        self._tap.unsent += is_response
        try:
            async with self._one_at_a_time:
                if is_response and (transport_state.abandoned or (transport_state.closing and answered is None)):
                    return
                if answered is not None and transport_state.piped:
                    transport_state.answer_leaves(answered)
                await self._inner.send(self._tap.as_sent(item))
        finally:
            self._tap.unsent -= is_response
        if answered is not None and transport_state.piped and not transport_state.closing:
            await self._until_in_pipe()
            # A process that hangs does not read its pipe, also if it still writes.
            await transport_state.until_read()
            await transport_state.answer_ended(answered, Delivery.DELIVERED)

    async def _until_in_pipe(self) -> None:
        # The SDK does not report that a message is in the child's pipe; its writer waits for the next one then.
        while not self._inner.statistics().tasks_waiting_receive:  # noqa: ASYNC110
            await anyio.sleep(DRAIN_PAUSE)
