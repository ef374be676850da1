"""A session over HTTP that goes on when its connection ends, and is resumed on another one (MCP 2025-11-25, Transports,
Session Management).

The SDK begins every connection with the handshake. A resumed session has had its own, so the HTTP client answers it
itself, with what the server said then: the SDK takes the session id from there, and opens the stream for requests
outside of calls, which it does not for a session id that it is only given.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from http import HTTPStatus

import httpx2
from mcp import MCPError
from mcp.client import ClientSession
from mcp.types import JSONRPCMessage, JSONRPCRequest, JSONRPCResponse, RequestId

from webclient.domain.model import Era, Json, SavedSession, Server
from webclient.protocol.messages.sdk_errors import is_session_unknown

SESSION = "mcp-session-id"
"""The header that names the session of a request."""

IDS = 2**24
"""JSON-RPC ids of one connection. The next one begins above them: the server may still work for requests with those."""

RESULT = "tasks/result"
"""The request whose result a server holds back. It sends the questions of the task on the stream of that result, also
when that stream is gone."""

MOST_WAITS = 100
"""Requests that are remembered as waiting for a result."""


class NotResumedError(Exception):
    """The server does not know the session that was to be resumed; only a new one helps."""


class SessionKeeping:
    """Whether the session of one connection was resumed, and what the next one needs to resume it.

    `resumed` is the session that this connection resumes. With `keeps` the end of the connection does not end the
    session. `waits` are the ids of our requests whose result the server holds back, and `on_wait` is called with a new
    one in them.
    """

    def __init__(self) -> None:
        self.resumed: SavedSession | None = None
        self.keeps = False
        self.waits: deque[RequestId] = deque(maxlen=MOST_WAITS)
        self.on_wait: Callable[[], Awaitable[None]] | None = None
        self._session_id: str | None = None

    @property
    def first_id(self) -> int:
        """The JSON-RPC id below which this connection sends none."""
        return self.resumed.resumed * IDS if self.resumed else 0

    async def sends(self, message: JSONRPCMessage) -> None:
        """Note a message before it is sent: the server may work for it when this connection has ended."""
        if isinstance(message, JSONRPCRequest) and message.method == RESULT:
            self.waits.append(message.id)
            if self.on_wait:
                await self.on_wait()

    def got(self, message: JSONRPCMessage) -> None:
        """Note a message of the server: it may be an awaited result.

        An error may be ours, for a request that was lost; to stop waiting for what has ended has no effect.
        """
        if isinstance(message, JSONRPCResponse) and message.id in self.waits:
            self.waits.remove(message.id)

    async def note(self, response: httpx2.Response) -> None:
        """Note the id that a server gives its session."""
        if response.request.method == "POST":
            self._session_id = response.headers.get(SESSION, self._session_id)

    def response_to(self, request: httpx2.Request, message: Json) -> httpx2.Response | None:
        """Return the response to what must not be sent: the handshake of a resumed session, the end of a saved one."""
        if request.method == "DELETE":
            return httpx2.Response(HTTPStatus.NO_CONTENT, request=request) if self.keeps else None
        if self.resumed is None:
            return None
        if message.get("method") == "initialize":
            self._session_id = self.resumed.session_id
            body = {"jsonrpc": "2.0", "id": message["id"], "result": self.resumed.greeting}
            return httpx2.Response(HTTPStatus.OK, request=request, json=body, headers={SESSION: self._session_id})
        if message.get("method") == "notifications/initialized":
            return httpx2.Response(HTTPStatus.ACCEPTED, request=request)
        return None

    async def check(self, client: ClientSession) -> None:
        """Ask the server whether it still knows a resumed session. Raises NotResumedError."""
        if self.resumed is None:
            return
        try:
            await client.send_ping()
        except MCPError as error:
            if is_session_unknown(error):
                raise NotResumedError from error

    def saved(self, server: Server, said: Json) -> SavedSession | None:
        """Return what resumes this session; None for one that cannot be resumed.

        `said` are the fields of `ServerStatus` in which the server described itself.
        """
        if self._session_id is None or said["protocol_version"] == Era.ROUNDS:
            return None
        return SavedSession(
            user_id=server.user_id,
            server_id=server.id,
            url=server.transport["url"],
            session_id=self._session_id,
            greeting={ours: said[name] for ours, name in _GREETING.items() if said[name] is not None},
            era_reason=said["era_reason"],
            resumed=self.resumed.resumed + 1 if self.resumed else 1,
        )


_GREETING = {
    "protocolVersion": "protocol_version",
    "capabilities": "capabilities",
    "serverInfo": "server_info",
    "instructions": "instructions",
}
"""The keys of the result of `initialize`, and the fields that were read from them."""
