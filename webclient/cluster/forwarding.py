"""Forwards each request to the node on which its user lives, and streams the response back.

A request that writes rows of a user of another node has changed nothing when it finds that out (`MovedError`), so it is
handled there as a whole. While a user moves, their requests wait. No request hops twice.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from time import monotonic

import anyio
import httpx2
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webclient.cluster.hops import HEADER, Hop, Hops
from webclient.cluster.residents import NoNodeError, Residents
from webclient.store import MovedError

MOVED = "x-webclient-moved"
"""Header of a response that says: nothing was done, because this user does not live here. It never leaves the nodes."""

MOVING = 15.0
"""Seconds for which a request is tried again while its user moves: longer than a dead machine is waited for."""

LONGEST_PAUSE = 1.0
"""The most seconds between two tries."""

TO_CONNECT = 3.0
"""Seconds in which another node has to take a connection."""

GRACE = 0.5
"""Seconds that a forwarded request may still take when this node is about to end."""

_OF_ONE_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        HEADER,
    }
)
"""Headers that are not forwarded (RFC 9110, section 7.6.1)."""

Arrived = Callable[[str], Awaitable[None]]
"""Gets the id of a user who is here."""


class Forwarding:
    """Handles requests of the users who live here, and forwards others.

    `arrived` gets the user of each request that is handled here. The headers in `withheld` are not forwarded, because
    they say who the sender is, which the hop does. `nodes` is the client of other nodes.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        residents: Residents,
        hops: Hops,
        nodes: httpx2.AsyncClient,
        arrived: Arrived,
        withheld: Collection[str] = (),
    ) -> None:
        self.app = app
        self.residents = residents
        self.hops = hops
        self.arrived = arrived
        self.withheld = _OF_ONE_HOP | {name.lower() for name in withheld}
        self.nodes = nodes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        hop: Hop | None = scope["state"].get("hop")
        principal = scope["state"].get("principal")
        user_id = hop.user_id if hop else principal.user_id if principal else None
        request = _Request(scope, receive)
        for pause in _pauses():
            moved = await self._try(request, send, user_id, hop)
            if moved is None:
                return
            self.residents.doubt(moved)
            if hop is not None:
                # The node that forwards it waits.
                raise MovedError(moved)
            user_id = moved
            with anyio.move_on_after(pause):
                await request.gone()
            if request.is_gone:
                return
            if pause and self.residents.is_leaving:
                break
        raise NoNodeError

    async def _try(self, request: _Request, send: Send, user_id: str | None, hop: Hop | None) -> str | None:
        """Handle a request where its user lives; return the user who is moving, so that nothing was done."""
        try:
            home = await self.residents.home(user_id) if user_id else None
        except NoNodeError:
            return user_id
        if user_id is None or home is None:
            return await self._handle(request, send, user_id, may_move=hop is None)
        if hop is not None:
            return hop.user_id
        scope = request.scope
        onward = Hop(user_id, scope["state"].get("principal"), scope["client"], scope["scheme"])
        return await self._forward(request, send, onward, home)

    async def _handle(self, request: _Request, send: Send, user_id: str | None, *, may_move: bool) -> str | None:
        """Handle a request here; return the user of another node whose rows it wanted to write."""
        principal = request.scope["state"].get("principal")
        if user_id is not None and principal is not None and principal.user_id == user_id:
            try:
                await self.arrived(user_id)
            except MovedError as error:
                if not may_move:
                    raise
                return error.user_id
        if user_id is not None and user_id not in self.residents.here:
            # They were let go while this request waited for that.
            return user_id
        moved = None

        async def send_unless_moved(message: Message) -> None:
            nonlocal moved
            if message["type"] == "http.response.start" and may_move:
                moved = Headers(raw=message["headers"]).get(MOVED)
            if moved is None:
                await send(message)

        await self.app(request.scope, request.replayed(), send_unless_moved)
        return moved

    async def _forward(self, request: _Request, send: Send, hop: Hop, home: str) -> str | None:
        """Forward a request; return the user who does not live there any more, so that nothing was done."""
        scope = request.scope
        target: bytes = scope["state"]["target"]
        sealed = self.hops.seal(hop, home, scope["method"], target)
        # What a proxy in front has said, this node has resolved, and says it in the hop.
        passed = [each for each in scope["headers"] if not each[0].startswith(b"x-forwarded-")]
        onward = self.nodes.build_request(
            scope["method"],
            httpx2.URL(home).copy_with(raw_path=target),
            headers=[(name, value) for name, value in passed if name.decode("latin-1") not in self.withheld]
            + [(HEADER.encode(), sealed.encode())],
            content=request.body() if request.has_body else None,
        )
        if place := scope["state"].get("place"):
            # It takes one there.
            place.leave()
        exchange = _Exchange(scope, send)
        async with anyio.create_task_group() as group:
            group.start_soon(_end_when_gone, request, group.cancel_scope)
            group.start_soon(self._end_when_dead, home, exchange, group.cancel_scope)
            group.start_soon(self._end_when_leaving, group.cancel_scope)
            try:
                await exchange.run(self.nodes, onward)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                exchange.is_unreachable = True
            except httpx2.TransportError as error:
                exchange.error = error
            group.cancel_scope.cancel()
        reads = scope["method"] in ("GET", "HEAD")
        if exchange.is_unreachable or (exchange.has_died and reads and not exchange.has_begun):
            # Safe to handle again: nothing was sent, or it only reads. What a node that died has done of anything else
            # is not known, so that is for the person to send again.
            await self.residents.seek(hop.user_id)
            return hop.user_id
        if not (exchange.has_begun or exchange.moved or request.is_gone):
            raise NoNodeError from exchange.error
        await exchange.end()
        return exchange.moved

    async def _end_when_dead(self, home: str, exchange: _Exchange, scope: anyio.CancelScope) -> None:
        await self.residents.until_dead(home)
        exchange.has_died = True
        scope.cancel()

    async def _end_when_leaving(self, scope: anyio.CancelScope) -> None:
        await self.residents.until_leaving()
        # What is quick is finished; streams and long polls go on at another node.
        await anyio.sleep(GRACE)
        scope.cancel()


def _pauses() -> Iterator[float]:
    """Give the seconds to wait after each try; the first ones find a user who has moved already."""
    until = monotonic() + MOVING
    yield from (0, 0)
    pause = 0.05
    while monotonic() < until:
        yield pause
        pause = min(2 * pause, LONGEST_PAUSE)


def open_client() -> httpx2.AsyncClient:
    """Return a client of other nodes, for `Forwarding`."""
    # No proxy of the environment: nodes reach each other directly. A stream is silent for long.
    return httpx2.AsyncClient(
        trust_env=False,
        timeout=httpx2.Timeout(None, connect=TO_CONNECT),
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=60),
    )


class _Exchange:
    """One request to another node, and its response on the way back."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._is_stream = False
        self.moved: str | None = None
        self.has_begun = False
        self.is_unreachable = False
        self.has_died = False
        self.error: Exception | None = None

    async def run(self, nodes: httpx2.AsyncClient, request: httpx2.Request) -> None:
        """Send the request, and pass its response on unless the user has moved."""
        try:
            response = await nodes.send(request, stream=True)
        except AttributeError as error:
            # anyio reads the socket of a new connection, which is None if the other node ended it at once.
            raise httpx2.TransportError(str(error)) from error
        try:
            self.moved = response.headers.get(MOVED)
            if self.moved is None:
                await self._pass_on(response)
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()

    async def _pass_on(self, response: httpx2.Response) -> None:
        left_out = {name.encode() for name in (*_OF_ONE_HOP, "date")}
        headers = [(name.lower(), value) for name, value in response.headers.raw]
        # The other node has set what every response has.
        self._scope["state"]["is_complete"] = True
        self.has_begun = True
        self._is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
        await self._send(
            {
                "type": "http.response.start",
                "status": response.status_code,
                "headers": [each for each in headers if each[0] not in left_out],
            }
        )
        async for chunk in response.aiter_raw():
            await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
        self._is_stream = False
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def end(self) -> None:
        """End an event stream that was cut, in good order: its client connects again. Another response stays cut."""
        if self._is_stream:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})


async def _end_when_gone(request: _Request, scope: anyio.CancelScope) -> None:
    await request.gone()
    scope.cancel()


class _Request:
    """A request whose body is saved, so that it can be handled again."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.scope = scope
        self._receive = receive
        self._messages: list[Message] = []
        self._whole = anyio.Event()
        self.is_gone = False
        headers = Headers(scope=scope)
        self.has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers

    async def _next(self, index: int) -> Message:
        if index < len(self._messages):
            return self._messages[index]
        message = await self._receive()
        if message["type"] == "http.request" and not self._whole.is_set():
            self._messages.append(message)
            if not message.get("more_body", False):
                self._whole.set()
        return message

    def replayed(self) -> Receive:
        """Return a `receive` that begins at the beginning."""
        index = 0

        async def receive() -> Message:
            nonlocal index
            message = await self._next(index)
            index += 1
            return message

        return receive

    async def body(self) -> AsyncIterator[bytes]:
        """Give the parts of the body."""
        index, more = 0, True
        while more:
            message = await self._next(index)
            index += 1
            if message["type"] != "http.request":
                # The client has gone in the middle of it.
                raise httpx2.WriteError("the client has gone")
            more = message.get("more_body", False)
            yield message.get("body", b"")

    async def gone(self) -> None:
        """Wait until the client has gone."""
        if self.has_body:
            await self._whole.wait()
        while (await self._next(len(self._messages)))["type"] != "http.disconnect":
            pass
        self.is_gone = True
