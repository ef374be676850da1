"""The events of sessions, as the one listener of all sessions gets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from datetime import datetime
from typing import Protocol

from webclient.domain.model import Delivery, Json, SavedSession, ServerRequest
from webclient.protocol.endpoint import Endpoint
from webclient.protocol.wire_log import WireMessage

CALL: ContextVar[str | None] = ContextVar("call", default=None)
"""The id of the call in whose task this code runs. Over streamable HTTP the SDK carries the sender's context from a
request to the messages on its response stream, which is how a request of the server finds its call."""

INVALID_PARAMS = -32602
"""The JSON-RPC code for a request that is malformed, or uses a mode that was not negotiated."""

TOO_MANY = -32000
"""The JSON-RPC code for a request that exceeds a limit (JSON-RPC 2.0, 5.1: -32000 to -32099 are free to use)."""

INTERNAL_ERROR = -32603
"""The JSON-RPC code for a request that failed here."""


USER_REJECTED = -1
"""The JSON-RPC code for a sampling request that the person rejected (MCP 2025-11-25, Sampling, Error Handling)."""

UNKNOWN_METHOD = -32601
"""The JSON-RPC code for a request of a kind that was not announced."""


class RequestRefusedError(Exception):
    """A request is refused: its server gets the JSON-RPC error `code` with this message."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class SessionEvents(Protocol):
    """The listener of all sessions; `endpoint` is the server in whose session the event happened."""

    def changed(self, endpoint: Endpoint) -> None:
        """Handle a change of the connection's status, or of a list of the server."""

    async def learned(self, endpoint: Endpoint, news: Json) -> None:
        """Remember what connecting revealed of the server: `{speaks?, lacks?, silent?}`, and its transport."""

    async def requested(self, endpoint: Endpoint, request: ServerRequest) -> Json:
        """Return the result of what the server asked, as MCP has it. Raises RequestRefusedError.

        It is cancelled when the server withdraws the request, or the session ends.
        """

    async def hosted(self, endpoint: Endpoint, request: ServerRequest) -> Json:
        """Host a request as a task, and return the result `{task}` at once.

        Raises RequestRefusedError. It is cancelled as in `requested`; afterwards the task depends on no session.
        """

    async def task_requested(self, endpoint: Endpoint, request: ServerRequest) -> Json:
        """Return the answer to `tasks/get`, `tasks/result`, `tasks/list` or `tasks/cancel`.

        Raises RequestRefusedError.
        """

    async def task_ended(self, endpoint: Endpoint, task_id: str) -> Json:
        """Wait until a task that we host has ended, and return it. Raises RequestRefusedError."""

    async def malformed(self, endpoint: Endpoint, request: ServerRequest, error: str) -> None:
        """Handle a request of the server that the SDK refused as malformed."""

    async def delivered(self, endpoint: Endpoint, request: ServerRequest, delivery: Delivery) -> None:
        """Handle how far the answer to a request got in the end; only if `wants_delivery`."""

    async def completed(self, endpoint: Endpoint, completed_at: Mapping[str, datetime]) -> None:
        """Handle the server's notice that these elicitations are completed, with the time of each."""

    def logged(self, endpoint: Endpoint, call_id: str | None, params: Json) -> None:
        """Handle a log message, sent during that call if the transport shows which."""

    def passed(self, endpoint: Endpoint, message: WireMessage, text: str | bytes | None) -> None:
        """Note a message for the wire log; its `text` is None if it comes later, or never."""

    def posted(self, endpoint: Endpoint, message: WireMessage, text: str | bytes) -> None:
        """Note the text of a message that has passed."""

    def task_changed(self, endpoint: Endpoint, params: Json) -> None:
        """Handle the server's notice that the status of a task has changed; `params` are a task, as it came."""

    async def progressed(self, endpoint: Endpoint, token: str | int, step: Json) -> None:
        """Handle a step of progress, also of a request that was answered before.

        `step` is `{progress, total?, message?}`.
        """

    async def saved_session(self, endpoint: Endpoint) -> SavedSession | None:
        """Return the session of an earlier connection that is to be resumed."""

    async def not_resumed(self, endpoint: Endpoint) -> None:
        """Forget the saved session, which the server does not know any more."""

    async def opened(
        self, endpoint: Endpoint, session: SavedSession | None, *, resumed: bool
    ) -> Sequence[ServerRequest]:
        """Handle that a session was opened or resumed; return the requests that were left open in it.

        `session` is what resumes it on the next connection, None if nothing can.
        """

    async def left_open(self, endpoint: Endpoint, session: SavedSession) -> None:
        """Handle that something else is open in the session which a later connection may resume."""

    async def requested_again(self, endpoint: Endpoint, request: ServerRequest) -> Json:
        """Return the result of a request that was left open in a resumed session; as for `requested`."""

    async def lost(self, endpoint: Endpoint, *, stopped: bool) -> None:
        """Settle what is open in the session, which is about to end; `stopped`: it is closed from here."""

    def forgotten(self, endpoint: Endpoint) -> None:
        """Drop what is in memory about a server that is disconnected and forgotten here."""

    def is_busy(self, endpoint: Endpoint) -> bool:
        """Return whether the server works for a call or waits for an answer."""

    def is_awaited(self, endpoint: Endpoint) -> bool:
        """Return whether a call waits for the server's next session, so that retrying makes sense."""
