"""A wrapper around every SDK transport that sees each message on its way, for what the SDK does not tell.

It tells a question's exact parameters and its call (the SDK drops unknown keys and knows no relation), that the
stream ended (the SDK has no such hook), and which questions the SDK refused by itself.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Coroutine
from contextvars import Context, ContextVar
from dataclasses import dataclass
from functools import partial
from time import monotonic
from types import TracebackType
from typing import Any, Self

import anyio
from mcp.client import Transport
from mcp.shared.message import SessionMessage
from mcp.types import (
    PROTOCOL_VERSION_META_KEY,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)
from mcp.types.version import LATEST_HANDSHAKE_VERSION

from webclient.model import Json, Mode, Reason, ReasonCode, ServerRequest
from webclient.protocol.capabilities import announcing
from webclient.protocol.list_validation import KEYS, sift
from webclient.protocol.transport_state import TransportState

DRAIN_PAUSE = 0.002
"""Seconds between two looks whether a pipe has taken an answer."""

CALL: ContextVar[str | None] = ContextVar("call", default=None)
"""The id of the call in whose task this code runs. The SDK carries the sender's context over streamable HTTP from a
request to the messages on its response stream; that is how a question finds its call."""


@dataclass(slots=True)
class _Incoming:
    """A request of the server that waits; `taken`: its handler has begun, so that it is ours to answer."""

    request: ServerRequest
    taken: bool = False


_CURRENT: ContextVar[_Incoming | None] = ContextVar("request", default=None)


def current_request() -> ServerRequest:
    """Return the server's request, inside the SDK's callback for it, which is to settle it."""
    current = _CURRENT.get()
    if current is None:
        raise RuntimeError("current_request() outside of a server's request")
    current.taken = True
    return current.request


class Tap:
    """A transport around `transport`; `closed` tells whether the server's side of the stream has ended.

    `unsent` counts the answers that wait to be taken. `wire` is told what is seen. `modes` tells in which modes the
    server may elicit as things stand; that is announced with what goes out.
    """

    def __init__(
        self,
        transport: Transport,
        wire: TransportState,
        *,
        on_refused: Callable[[ServerRequest, str], None],
        on_withdrawn: Callable[[ServerRequest], None],
        on_delivered: Callable[[ServerRequest, bool], Coroutine[Any, Any, None]],
        on_logged: Callable[[str | None, Json], None],
        modes: Callable[[], Collection[Mode]],
    ) -> None:
        self.closed = False
        self.wire = wire
        self._transport = transport
        self._on_refused = on_refused
        self._on_withdrawn = on_withdrawn
        self._on_delivered = on_delivered
        self._on_logged = on_logged
        self._modes = modes
        self._waiting: defaultdict[RequestId, deque[_Incoming]] = defaultdict(deque)
        self._modern: set[RequestId] = set()
        self._listings: dict[RequestId, tuple[str, str]] = {}
        self._unanswered = 0
        self.unsent = 0

    async def __aenter__(self) -> tuple[Incoming, Outgoing]:
        read, write = await self._transport.__aenter__()
        return Incoming(read, self), Outgoing(write, self)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._transport.__aexit__(kind, error, trace)

    async def abandon(self) -> None:
        """Report every answer that has not been sent as not delivered."""
        for request in [each.request for waiting in self._waiting.values() for each in waiting]:
            if request.wants_delivery:
                await self._on_delivered(request, False)

    def ended(self) -> None:
        """Note that nothing more will come; told once."""
        if not self.closed:
            self.closed = True
            self.wire.lost()

    def incoming(self, item: SessionMessage | Exception, context: Context | None) -> Context | None:
        """Look at one message from the server and return the context in which the SDK shall handle it."""
        if self.wire.piped:
            self.wire.heard()
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, JSONRPCRequest):
            return self._asks(message, context)
        if isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            params = message.params or {}
            request_id = params.get("requestId")
            if isinstance(request_id, str | int):
                self._withdraw(request_id, params.get("reason"))
        if isinstance(message, JSONRPCNotification) and message.method == "notifications/message":
            self._on_logged(context.get(CALL) if context else None, message.params or {})
        if isinstance(message, JSONRPCResponse) and message.id in self._modern:
            self._modern.discard(message.id)
            # 2026-07-28 requires `resultType`; a server that leaves it out means "complete", and the SDK would
            # throw the result away.
            message.result.setdefault("resultType", "complete")
        if isinstance(message, JSONRPCResponse) and (listing := self._listings.pop(message.id, None)):
            sift(*listing, message.result, self.wire.limits.max_catalog_entries)
        return context

    def announced(self, item: SessionMessage) -> SessionMessage:
        """Return a message to the server as it shall go out."""
        return announcing(item, self._modes())

    def outgoing(self, item: SessionMessage) -> RequestId | None:
        """Look at one message to the server; return the id of the question if it answers one for the person."""
        message = item.message
        if isinstance(message, JSONRPCRequest) and PROTOCOL_VERSION_META_KEY in (
            (message.params or {}).get("_meta") or {}
        ):
            self._modern.add(message.id)
        if isinstance(message, JSONRPCRequest) and message.method in KEYS:
            version = ((message.params or {}).get("_meta") or {}).get(
                PROTOCOL_VERSION_META_KEY, LATEST_HANDSHAKE_VERSION
            )
            self._listings[message.id] = (message.method, version)
        if not isinstance(message, JSONRPCResponse | JSONRPCError) or message.id is None:
            return None
        incoming = self._pop(message.id)
        if incoming and not incoming.taken and isinstance(message, JSONRPCError):
            self._on_refused(incoming.request, message.error.message)
        if incoming is None or not incoming.request.wants_delivery:
            return None
        self.wire.sends(message.id, partial(self._on_delivered, incoming.request))
        return message.id

    def _withdraw(self, request_id: RequestId, why: object) -> None:
        if incoming := self._pop(request_id):
            request = incoming.request
            request.withdrawn = why.strip() if isinstance(why, str) else ""
            request.ended_at = monotonic()
            self._on_withdrawn(request)

    def _pop(self, request_id: RequestId) -> _Incoming | None:
        # A careless server uses an id several times; the oldest request is meant.
        incoming = self._waiting[request_id].popleft() if self._waiting.get(request_id) else None
        self._unanswered -= incoming is not None
        if not self._waiting.get(request_id):
            self._waiting.pop(request_id, None)
        return incoming

    def _asks(self, message: JSONRPCRequest, context: Context | None) -> Context:
        # A fresh context where the transport gives none (stdio): otherwise the handler would inherit the one of
        # whoever opened the connection, with a stale call in it.
        context = context.copy() if context else Context()
        request = ServerRequest(method=message.method, params=dict(message.params or {}), call_id=context.get(CALL))
        incoming = _Incoming(request)
        self._waiting[message.id].append(incoming)
        self._unanswered += 1
        if self._unanswered + self.unsent > self.wire.limits.max_server_requests:
            most = self.wire.limits.max_server_requests
            self.wire.give_up(Reason.of(ReasonCode.TOO_MANY_REQUESTS, most=most))
        context.run(_CURRENT.set, incoming)
        return context


class TappedStream:
    """What both wrapped streams pass on to the transport's own."""

    def __init__(self, inner: Any, tap: Tap) -> None:
        self._inner = inner
        self._tap = tap

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._inner.__aexit__(*error)


class Incoming(TappedStream):
    """What comes from the server."""

    last_context: Context | None = None

    async def receive(self) -> SessionMessage | Exception:
        try:
            item = await self._received()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._tap.ended()
            raise
        self.last_context = self._tap.incoming(item, getattr(self._inner, "last_context", None))
        return item

    async def _received(self) -> SessionMessage | Exception:
        wire = self._tap.wire
        while True:
            item: SessionMessage | Exception = await self._inner.receive()
            await wire.pace.messages(1)
            if wire.given_up:
                raise anyio.EndOfStream
            asks = isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCRequest)
            if not (asks and wire.closing):
                return item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class Outgoing(TappedStream):
    """What goes to the server."""

    def __init__(self, inner: Any, tap: Tap) -> None:
        super().__init__(inner, tap)
        # A thousand answers may wait here behind each other, and what ends the session must not wait behind them.
        self._line = anyio.Lock()

    async def send(self, item: SessionMessage) -> None:
        answered = self._tap.outgoing(item)
        wire = self._tap.wire
        replies = isinstance(item.message, JSONRPCResponse | JSONRPCError)
        self._tap.unsent += replies
        try:
            async with self._line:
                if wire.closing and replies and answered is None:
                    return
                await self._inner.send(self._tap.announced(item))
        finally:
            self._tap.unsent -= replies
        if answered is not None and wire.piped and not wire.closing:
            await self._drained()
            # What lies in the pipe of a process that hangs has reached nobody.
            await self._tap.wire.until_heard()
            await self._tap.wire.arrived(answered, arrived=True)

    async def _drained(self) -> None:
        # The SDK does not tell when a message is in the child's pipe; when it is, its writer waits for the next one.
        while not self._inner.statistics().tasks_waiting_receive:  # noqa: ASYNC110
            await anyio.sleep(DRAIN_PAUSE)
