"""A proxy in front of a real server that passes on only requests with a token (OAuth 2.1, resource servers)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from webclient.domain.model import Json

CHALLENGE = 'Bearer resource_metadata="http://127.0.0.1:9/.well-known/oauth-protected-resource"'
BY_SCOPE = 'Bearer error="insufficient_scope", scope="files:write"'


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that came: its verb, the JSON-RPC method of its message, its token, and the status of a refusal."""

    verb: str
    method: str
    token: str | None
    status: int | None


class TokenProxy:
    """Passes requests on to the server at `upstream`, each on a connection of its own.

    Requests need one of the `tokens`, except `free` ones. A request for which `lacks_scope` holds needs one
    of the `larger` tokens. `failing` is a status that all requests get, `body` the JSON of every refusal.
    """

    def __init__(self, upstream: str) -> None:
        self.tokens: set[str] = set()
        self.larger: set[str] = set()
        self.free: Callable[[str, Json], bool] = lambda _verb, _message: False
        self.lacks_scope: Callable[[Json], bool] = lambda _message: False
        self.challenge = CHALLENGE
        self.by_scope = BY_SCOPE
        self.failing: int | None = None
        self.body = b""
        self.seen: list[Seen] = []
        self.address = ""
        self.lead_to(upstream)
        self._came = asyncio.Event()

    def lead_to(self, upstream: str) -> None:
        """Pass new requests on to this server, as after a restart without memory."""
        self._upstream = urlsplit(upstream)

    def sent(self, method: str, status: int | None = None) -> int:
        """Return how many messages of this method were passed on, or refused with `status`."""
        return sum(each.method == method and each.status == status for each in self.seen)

    @property
    def refused(self) -> int:
        """The number of requests that were refused."""
        return sum(each.status is not None for each in self.seen)

    async def until(self, look: Callable[[], bool]) -> None:
        """Wait for requests until there is something to see."""
        while not look():
            self._came.clear()
            await self._came.wait()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one connection."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            if refusal := self._refusal(first.partition(" ")[0], headers, body):
                writer.write(refusal)
                await writer.drain()
            else:
                await self._pass_on(first, headers, body, reader, writer)
        writer.close()

    def _refusal(self, verb: str, headers: dict[str, str], body: bytes) -> bytes:
        message = json.loads(body or b"{}")
        token = headers.get("authorization", "").removeprefix("Bearer ") or None
        status = self._status(verb, message, token)
        self.seen.append(Seen(verb, message.get("method", "answer" if message else ""), token, status))
        self._came.set()
        if status is None:
            return b""
        challenge = self.challenge if status == 401 else self.by_scope
        lines = [
            f"HTTP/1.1 {status} No",
            f"WWW-Authenticate: {challenge}",
            "Connection: close",
            "Content-Type: application/json",
        ]
        return "\r\n".join([*lines, f"Content-Length: {len(self.body)}", "", ""]).encode() + self.body

    def _status(self, verb: str, message: Json, token: str | None) -> int | None:
        if self.failing:
            return self.failing
        if self.lacks_scope(message) and token in self.tokens:
            return 403
        allowed = self.free(verb, message) or token in self.tokens | self.larger
        return None if allowed else 401

    async def _pass_on(
        self,
        first: str,
        headers: dict[str, str],
        body: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        headers = {**headers, "connection": "close", "host": self._upstream.netloc}
        from_server, to_server = await asyncio.open_connection(self._upstream.hostname, self._upstream.port)
        lines = [f"{name}: {value}" for name, value in headers.items() if name != "authorization"]
        to_server.write("\r\n".join([first, *lines, "", ""]).encode() + body)
        gone = asyncio.create_task(reader.read())
        answer = asyncio.create_task(self._pump(from_server, writer))
        try:
            await asyncio.wait([gone, answer], return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            answer.cancel()
            to_server.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while piece := await reader.read(65536):
                writer.write(piece)
                await writer.drain()


@asynccontextmanager
async def token_proxy(upstream: str) -> AsyncIterator[TokenProxy]:
    """Run a proxy in front of the server at this address; yield it."""
    proxy = TokenProxy(upstream)
    listening = await asyncio.start_server(proxy.handle, "127.0.0.1", 0)
    proxy.address = upstream.replace(urlsplit(upstream).netloc, f"127.0.0.1:{listening.sockets[0].getsockname()[1]}")
    try:
        yield proxy
    finally:
        listening.close()
