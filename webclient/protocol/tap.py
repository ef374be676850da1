"""A wrapper around every SDK transport that sees each message on its way, for what the SDK does not tell.

It tells a question's exact parameters and its call (the SDK drops unknown keys and knows no relation), that the
stream ended (the SDK has no such hook), and which questions the SDK refused by itself.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection
from contextvars import Context, ContextVar
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType

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

from webclient.i18n import gettext as _
from webclient.model import Json, Mode
from webclient.protocol.capabilities import announcing
from webclient.protocol.list_validation import KEYS, sift
from webclient.protocol.tapped_streams import Incoming, Outgoing
from webclient.protocol.transport_state import Told, TransportState

CALL: ContextVar[str | None] = ContextVar("call", default=None)
"""The id of the call in whose task this code runs. The SDK carries the sender's context over streamable HTTP from a
request to the messages on its response stream; that is how a question finds its call."""


@dataclass(slots=True)
class Asked:
    """A request of the server as it came: its method, its exact parameters, its call where the transport tells.

    `taken` says that it is ours to answer; `taken_back` is why the server has cancelled it, in its own words, "" if it
    gave no reason, None while it waits; `told` learns whether the answer arrived.
    """

    method: str
    params: Json
    call_id: str | None = None
    taken: bool = field(default=False)
    taken_back: str | None = None
    told: Told | None = None
    came_at: float = field(default_factory=monotonic)
    ended_at: float | None = None

    @property
    def waited(self) -> float:
        """Seconds that the server has waited for an answer, or did until it took the question back."""
        return (self.ended_at or monotonic()) - self.came_at


_ASKED: ContextVar[Asked | None] = ContextVar("asked", default=None)


def take_asked() -> Asked:
    """Return what the server asked, inside the SDK's callback for it, and mark it as ours to settle."""
    asked = _ASKED.get()
    if asked is None:
        raise RuntimeError("take_asked() outside of a server's request")
    asked.taken = True
    return asked


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
        on_refused: Callable[[Asked, str], None],
        on_taken_back: Callable[[Asked], None],
        on_logged: Callable[[str | None, Json], None],
        modes: Callable[[], Collection[Mode]],
    ) -> None:
        self.closed = False
        self.wire = wire
        self._transport = transport
        self._on_refused = on_refused
        self._on_taken_back = on_taken_back
        self._on_logged = on_logged
        self._modes = modes
        self._asked: defaultdict[RequestId, deque[Asked]] = defaultdict(deque)
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
        """Tell of every answer that has not even set out that it did not arrive."""
        for asked in [asked for waiting in self._asked.values() for asked in waiting]:
            if asked.told is not None:
                await asked.told(False)

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
                self._taken_back(request_id, params.get("reason"))
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
        asked = self._no_longer_asked(message.id)
        if asked and not asked.taken and isinstance(message, JSONRPCError):
            self._on_refused(asked, message.error.message)
        if asked is None or asked.told is None:
            return None
        self.wire.sends(message.id, asked.told)
        return message.id

    def _taken_back(self, request_id: RequestId, why: object) -> None:
        asked = self._no_longer_asked(request_id)
        if asked:
            asked.taken_back = why.strip() if isinstance(why, str) else ""
            asked.ended_at = monotonic()
            self._on_taken_back(asked)

    def _no_longer_asked(self, request_id: RequestId) -> Asked | None:
        # Several may have the same id where a server is careless; the oldest is meant.
        asked = self._asked[request_id].popleft() if self._asked.get(request_id) else None
        self._unanswered -= asked is not None
        if not self._asked.get(request_id):
            self._asked.pop(request_id, None)
        return asked

    def _asks(self, message: JSONRPCRequest, context: Context | None) -> Context:
        # A fresh context where the transport gives none (stdio): otherwise the handler would inherit the one of
        # whoever opened the connection, with a stale call in it.
        context = context.copy() if context else Context()
        asked = Asked(message.method, dict(message.params or {}), context.get(CALL))
        self._asked[message.id].append(asked)
        self._unanswered += 1
        if self._unanswered + self.unsent > self.wire.limits.max_server_requests:
            self.wire.give_up(_too_many(self.wire.limits.max_server_requests))
        context.run(_ASKED.set, asked)
        return context


def _too_many(most: int) -> str:
    return _(
        "The server sent more than {most:,} requests without taking the answers, which is the limit (settings "
        "max_server_requests and max_pending)."
    ).format(most=most)
