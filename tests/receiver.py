"""A receiver of posts on this machine: it keeps what came, and answers with the statuses that a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic

import anyio
import h11
from anyio.abc import SocketAttribute, SocketStream

PATIENCE = 60.0
"""Seconds after which something that should have come is taken not to come."""


@dataclass(frozen=True, slots=True)
class Received:
    """A post: its path, headers by lower-case name, and body; `at` is when it came."""

    path: str
    headers: Mapping[str, str]
    body: bytes
    at: float = field(default_factory=monotonic, compare=False)


@dataclass
class Receiver:
    """A running receiver; `statuses` are for the next posts, after which each gets `status`, `headers` and `body`."""

    port: int = 0
    status: int = 204
    statuses: list[int] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    silent: bool = False
    all: list[Received] = field(default_factory=list)
    _queue: asyncio.Queue[Received] = field(default_factory=asyncio.Queue)

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/hook"

    async def next(self) -> Received:
        """Wait for the next post."""
        async with asyncio.timeout(PATIENCE):
            return await self._queue.get()

    async def serve(self, stream: SocketStream) -> None:
        """Take one post, and close the connection after its response."""
        async with stream:
            with suppress(anyio.BrokenResourceError, anyio.EndOfStream):
                await self._answer(stream)

    async def _answer(self, stream: SocketStream) -> None:
        connection = h11.Connection(h11.SERVER)
        request: h11.Request | None = None
        body = b""
        while not isinstance(event := connection.next_event(), h11.EndOfMessage):
            if event is h11.NEED_DATA:
                connection.receive_data(await stream.receive())
            elif isinstance(event, h11.Request):
                request = event
            elif isinstance(event, h11.Data):
                body += event.data
            else:
                break
        if request is not None:
            headers = {name.decode(): value.decode() for name, value in request.headers}
            received = Received(request.target.decode(), headers, body)
            self.all.append(received)
            self._queue.put_nowait(received)
            if self.silent:
                await stream.receive()
            else:
                status = self.statuses.pop(0) if self.statuses else self.status
                head = h11.Response(status_code=status, headers=[*self.headers, ("connection", "close")])
                parts = [head, *([h11.Data(data=self.body)] if self.body else []), h11.EndOfMessage()]
                await stream.send(b"".join(connection.send(part) or b"" for part in parts))


@asynccontextmanager
async def receiving(status: int = 204) -> AsyncIterator[Receiver]:
    """Run a receiver while the block runs."""
    receiver = Receiver(status=status)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    receiver.port = listener.extra(SocketAttribute.local_port)  # noqa: S610  (of anyio)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, receiver.serve)
        yield receiver
        tasks.cancel_scope.cancel()
