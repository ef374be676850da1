"""Turns what went wrong between us and a server into a reason that says what and where."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import httpx2
from mcp import MCPError
from mcp.types import CONNECTION_CLOSED, INTERNAL_ERROR, METHOD_NOT_FOUND, PARSE_ERROR, ErrorData
from pydantic import ValidationError

from webclient.masking import mask_arguments, mask_secrets
from webclient.model import ConnectionFault, Era, Json, Param, Reason, ReasonCode, Server
from webclient.protocol.http_statuses import Refusal, refusal_reason
from webclient.protocol.limits import TooLargeError
from webclient.protocol.stderr import brief
from webclient.reasons import parameters

CONNECT_TIMEOUT = 30
"""Seconds for one listing, and for making one network connection."""

SESSION_LOST = "Session terminated"
"""What the SDK says when a server no longer knows our session."""

_WORDS_OF_THE_SDK = (
    "Server returned an error response",
    "Not Found",
    SESSION_LOST,
    "Unexpected content type",
    "server answered a request with",
    "Redirect",
)
"""How the errors begin that the SDK makes of a status without a JSON-RPC error (`client/streamable_http.py`)."""

_TOLD = 1200
"""Characters of what a server wrote to standard error that are told."""


class EraError(Exception):
    """The server speaks another era than the one that is set for it: what it speaks, and what was `wanted`."""

    def __init__(self, spoken: str, wanted: Era) -> None:
        super().__init__(spoken)
        self.wanted = wanted


class BothOfferedError(Exception):
    """A server that knows 2026-07-28 took the handshake that was offered as well, so this connection is in doubt."""


class NotReadyError(Exception):
    """The time for connecting was over before the server answered; it had so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = int(seconds) if seconds == int(seconds) else seconds


class SilenceError(Exception):
    """A server that was connected does not answer any more."""


def explain(
    error: BaseException,
    server: Server,
    last_words: str = "",
    hidden: Collection[str] = (),
    refusal: Refusal | None = None,
) -> ConnectionFault:
    """Return why a connection could not be made or was lost, without the `hidden` texts.

    `refusal` is what an HTTP server answered in place of a session.
    """
    cause = next(_causes(error))
    if refusal is not None and isinstance(cause, MCPError | httpx2.HTTPStatusError | httpx2.SSEError):
        said = mask_secrets(hidden, _said(cause))
        reason = _masked(hidden, refusal_reason(refusal, server.address))
        return ConnectionFault(reason=reason, said=said, http_status=refusal.status)
    reason = _masked(hidden, _reason(cause, server, last_words))
    return ConnectionFault(reason=reason, code=cause.error.code if isinstance(cause, MCPError) else None)


def _masked(hidden: Collection[str], reason: Reason) -> Reason:
    params = reason.params.items()
    return Reason(
        reason.code, {name: mask_secrets(hidden, each) if isinstance(each, str) else each for name, each in params}
    )


def _said(cause: Exception) -> str:
    """Return what the server said itself in a JSON-RPC error; the SDK's words for its absence say nothing."""
    if not isinstance(cause, MCPError) or cause.error.message.startswith(_WORDS_OF_THE_SDK):
        return ""
    return cause.error.message[:_TOLD]


def shown_by(error: BaseException) -> Json:
    """Return what a failed beginning has shown of the server: the arguments of `learned`, or nothing."""
    cause = next(_causes(error))
    if isinstance(cause, EraError):
        return {"lacks": [cause.wanted]}
    return {"speaks": [Era.ROUNDS]} if isinstance(cause, BothOfferedError) else {}


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors inside nested groups; task groups wrap the one that matters."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _causes(inner)
    else:
        yield error


def _reason(cause: BaseException, server: Server, last_words: str) -> Reason:
    is_stdio = server.transport["type"] == "stdio"
    if isinstance(cause, TooLargeError):
        return cause.reason
    if isinstance(cause, NotReadyError) and is_stdio:
        return _not_ready(cause, server, last_words)
    # A `TimeoutError` is an `OSError`, too.
    if isinstance(cause, OSError) and not isinstance(cause, TimeoutError) and is_stdio:
        return _not_started(cause, server)
    if isinstance(cause, MCPError) and cause.error.code == CONNECTION_CLOSED and is_stdio:
        return _ended(server, last_words)
    code = next(code for kinds, code in _CODES if isinstance(cause, kinds))
    if isinstance(cause, MCPError) and is_not_mcp(cause):
        code = ReasonCode.NOT_AN_MCP_MESSAGE
    known: dict[str, Param] = {
        "where": server.address,
        "error": str(cause).rstrip(".")[:_TOLD] or type(cause).__name__,
        "seconds": cause.seconds if isinstance(cause, NotReadyError) else CONNECT_TIMEOUT,
        "status": cause.response.status_code if isinstance(cause, httpx2.HTTPStatusError) else "",
        "spoken": str(cause)[:_TOLD],
        "wanted": cause.wanted if isinstance(cause, EraError) else "",
    }
    return Reason(code, {name: known[name] for name in parameters(code)})


_CODES: tuple[tuple[tuple[type[BaseException], ...], ReasonCode], ...] = (
    ((SilenceError, httpx2.ReadTimeout), ReasonCode.STOPPED_ANSWERING),
    ((NotReadyError, TimeoutError, httpx2.ConnectTimeout), ReasonCode.CONNECT_TIMEOUT),
    ((httpx2.ConnectError,), ReasonCode.UNREACHABLE),
    ((httpx2.HTTPStatusError,), ReasonCode.HTTP_UNEXPECTED),
    ((MCPError,), ReasonCode.CONNECTION_REFUSED),
    ((EraError,), ReasonCode.ERA_MISMATCH),
    ((ValidationError,), ReasonCode.NOT_MCP),
    ((BaseException,), ReasonCode.CONNECTION_FAILED),
)
"""The code of each kind of failure; the first that fits counts."""


def _not_started(cause: OSError, server: Server) -> Reason:
    folder, command = server.transport.get("cwd"), str(server.transport.get("command"))
    error = cause.strerror or type(cause).__name__
    if folder and cause.filename not in (None, command):
        return Reason.of(ReasonCode.FOLDER_UNUSABLE, folder=str(folder), error=error)
    if isinstance(cause, FileNotFoundError):
        return Reason.of(ReasonCode.COMMAND_NOT_FOUND, command=command)
    return Reason.of(ReasonCode.COMMAND_FAILED, command=command, error=error)


def _ended(server: Server, last_words: str) -> Reason:
    command, output = _command(server), brief(last_words, _TOLD)
    if not output:
        return Reason.of(ReasonCode.PROCESS_ENDED_SILENTLY, command=command)
    return Reason.of(ReasonCode.PROCESS_ENDED, command=command, output=output)


def _not_ready(cause: NotReadyError, server: Server, last_words: str) -> Reason:
    command, output = _command(server), brief(last_words, _TOLD)
    if not output:
        return Reason.of(ReasonCode.PROCESS_NOT_READY_SILENT, seconds=cause.seconds, command=command)
    return Reason.of(ReasonCode.PROCESS_NOT_READY, seconds=cause.seconds, command=command, output=output)


def _command(server: Server) -> str:
    return " ".join([server.transport["command"], *mask_arguments(server.transport.get("args") or [])])


def is_not_mcp(error: MCPError) -> bool:
    """Return whether the server answered with JSON that is not JSON-RPC; the SDK adds pages of its parser's words."""
    return error.error.code == PARSE_ERROR and error.error.message.startswith("Failed to parse JSON response")


def is_unsupported(error: MCPError) -> bool:
    """Whether the server has no such method; some declare a capability without it."""
    return error.error.code == METHOD_NOT_FOUND


def is_lost_session(error: MCPError) -> bool:
    """Whether the server no longer knows our session (it was restarted); only a new connection helps."""
    return error.error.message in ("Session not found", SESSION_LOST)


NOT_SENT = {"reason": "not_sent"}
"""The data of an error of our own: not a byte of the request reached the server."""


def too_large(error: TooLargeError) -> ErrorData:
    """Return the error with which a request ends whose answer was cut off: the server has carried it out."""
    return ErrorData(
        code=INTERNAL_ERROR, message=str(error), data={"reason": "too_large", "setting": error.name, "most": error.most}
    )
