"""The events of sessions, and the listeners that get them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime

from webclient.domain.model import Delivery, Json, SavedSession, ServerRequest
from webclient.protocol.endpoint import Endpoint
from webclient.protocol.wire_log import WireLogs

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


class ServerEvents:
    """Events of servers; `endpoint` is everywhere the server in whose session something happened."""

    def changed(self, endpoint: Endpoint) -> None:
        """Handle a change of the connection's status, or of a list of the server."""

    async def learned(self, endpoint: Endpoint, news: Json) -> None:
        """Remember what connecting revealed of the server: `{speaks?, lacks?, silent?}`, and its transport."""


class RequestEvents:
    """Requests of servers. By default they are refused, as during the trial of a connection."""

    async def requested(self, endpoint: Endpoint, request: ServerRequest) -> Json:  # noqa: ARG002
        """Return the result of what the server asked, as MCP has it. Raises RequestRefusedError.

        It is cancelled when the server withdraws the request, or the session ends.
        """
        raise RequestRefusedError(INTERNAL_ERROR, "This connection is a trial; no user can be asked yet.")

    async def hosted(self, endpoint: Endpoint, request: ServerRequest) -> Json:
        """Host a request as a task, and return the result `{task}` at once.

        Raises RequestRefusedError. It is cancelled as in `requested`; afterwards the task depends on no session.
        """
        return await self.requested(endpoint, request)

    async def requested_again(self, endpoint: Endpoint, request: ServerRequest) -> Json:
        """Return the result of a request that was left open in a resumed session; as for `requested`."""
        return await self.requested(endpoint, request)

    async def malformed(self, endpoint: Endpoint, request: ServerRequest, error: str) -> None:
        """Handle a request of the server that the SDK refused as malformed."""

    async def delivered(self, endpoint: Endpoint, request: ServerRequest, delivery: Delivery) -> None:
        """Handle how far the answer to a request got in the end; only if `wants_delivery`."""

    async def completed(self, endpoint: Endpoint, completed_at: Mapping[str, datetime]) -> None:
        """Handle the server's notice that these elicitations are completed, with the time of each."""


class HostedTaskEvents:
    """Requests of servers about the tasks that we host for them; by default there are none."""

    async def task_requested(self, endpoint: Endpoint, request: ServerRequest) -> Json:  # noqa: ARG002
        """Return the answer to `tasks/get`, `tasks/result`, `tasks/list` or `tasks/cancel`.

        Raises RequestRefusedError.
        """
        raise RequestRefusedError(INTERNAL_ERROR, "There are no tasks during a trial of the connection.")

    async def task_ended(self, endpoint: Endpoint, task_id: str) -> Json:  # noqa: ARG002
        """Wait until a task that we host has ended, and return it. Raises RequestRefusedError."""
        raise RequestRefusedError(INTERNAL_ERROR, "There are no tasks during a trial of the connection.")


class WorkEvents:
    """Events of the work in a session; by default no work goes on in it."""

    def is_busy(self, endpoint: Endpoint) -> bool:  # noqa: ARG002
        """Return whether the server works for a call or waits for an answer."""
        return False

    def is_awaited(self, endpoint: Endpoint) -> bool:  # noqa: ARG002
        """Return whether a call waits for the server's next session, so that retrying makes sense."""
        return False

    def task_changed(self, endpoint: Endpoint, params: Json) -> None:
        """Handle the server's notice that the status of a task has changed; `params` are a task, as it came."""

    async def progressed(self, endpoint: Endpoint, token: str | int, step: Json) -> None:
        """Handle a step of progress, also of a request that was answered before.

        `step` is `{progress, total?, message?}`.
        """

    async def lost(self, endpoint: Endpoint, *, stopped: bool) -> None:
        """Settle what is open in the session, which is about to end; `stopped`: it is closed from here."""

    async def saved_session(self, endpoint: Endpoint) -> SavedSession | None:  # noqa: ARG002
        """Return the session of an earlier connection that is to be resumed."""
        return None

    async def not_resumed(self, endpoint: Endpoint) -> None:
        """Forget the saved session, which the server does not know any more."""

    async def opened(
        self,
        endpoint: Endpoint,  # noqa: ARG002
        session: SavedSession | None,  # noqa: ARG002
        *,
        resumed: bool,  # noqa: ARG002
    ) -> Sequence[ServerRequest]:
        """Handle that a session was opened or resumed; return the requests that were left open in it.

        `session` is what resumes it on the next connection, None if nothing can.
        """
        return ()

    async def left_open(self, endpoint: Endpoint, session: SavedSession) -> None:
        """Handle that something else is open in the session which a later connection may resume."""

    def forgotten(self, endpoint: Endpoint) -> None:
        """Forget what is in memory about a server that is disconnected and forgotten here."""


class LogEvents:
    """The log messages of servers; they are ignored by default."""

    def logged(self, endpoint: Endpoint, call_id: str | None, params: Json) -> None:
        """Handle a log message, sent during that call if the transport shows which."""


class NoticeEvents:
    """Notifications of servers for those who follow them; they are ignored by default."""

    def noticed(self, endpoint: Endpoint, call_id: str | None, method: str, params: Json) -> None:
        """Handle a notification as it came, sent during that call if the transport shows which."""

    def reopened(self, endpoint: Endpoint) -> None:
        """Handle that a session was opened: its lists may differ from those of the last one."""

    def subscribed_again(self, endpoint: Endpoint, uri: str) -> None:
        """Handle that the server notifies of a resource again, after changes may have been missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEvents:
    """The listeners of all sessions, each for what it handles itself; `wire_logs` takes the messages as they passed.

    Without them nothing comes of what servers ask or report.
    """

    servers: ServerEvents = field(default_factory=ServerEvents)
    requests: RequestEvents = field(default_factory=RequestEvents)
    hosted_tasks: HostedTaskEvents = field(default_factory=HostedTaskEvents)
    work: WorkEvents = field(default_factory=WorkEvents)
    logs: LogEvents = field(default_factory=LogEvents)
    notices: NoticeEvents = field(default_factory=NoticeEvents)
    wire_logs: WireLogs = field(default_factory=WireLogs)
