"""Why a connection could not be made or was lost: the error of SDK, HTTP library or system as a `ConnectionFault`."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import httpx2
from mcp import MCPError
from pydantic import ValidationError

from webclient.content.masking import mask_arguments, mask_secrets
from webclient.domain.model import ConnectionFault, Era, Json, Param, Reason, ReasonCode, Server
from webclient.domain.reasons import parameters
from webclient.network import network_reason
from webclient.protocol.messages.limits import TooLargeError
from webclient.protocol.messages.sdk_errors import http_status, is_connection_closed, is_not_mcp, is_sign_in_wanted
from webclient.protocol.transports.http_statuses import HttpRefusal, refusal_reason
from webclient.protocol.transports.stderr import shorten

CONNECT_TIMEOUT = 30
"""Seconds for making one network connection, and for one listing."""

_MESSAGES_OF_THE_SDK = (
    "Server returned an error response",
    "Not Found",
    "Session terminated",
    "Unexpected content type",
    "server answered a request with",
    "Redirect",
)
"""How the SDK's messages for a status without a JSON-RPC error begin (`client/streamable_http.py`)."""

_LONGEST_TEXT = 1200
"""Characters of a server's own text that are kept."""


class EraError(Exception):
    """The server speaks another era than the one that is set for it: `spoken`, and not `wanted`."""

    def __init__(self, spoken: str, wanted: Era) -> None:
        super().__init__(spoken)
        self.wanted = wanted


class AmbiguousEraError(Exception):
    """A server that knows 2026-07-28 accepted the handshake as well, so the era of this connection is uncertain."""


class NotReadyError(Exception):
    """The server did not answer within the time for connecting, in seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = int(seconds) if seconds == int(seconds) else seconds


class SilenceError(Exception):
    """A connected server does not answer any more."""


def connection_fault(
    error: BaseException,
    server: Server,
    stderr_text: str = "",
    hidden: Collection[str] = (),
    refusal: HttpRefusal | None = None,
) -> ConnectionFault:
    """Return why a connection could not be made or was lost, without the `hidden` texts.

    `stderr_text` is what a child wrote; `refusal` is what an HTTP server answered in place of a session.
    """
    cause = next(_causes(error))
    if refusal is not None and isinstance(cause, MCPError | httpx2.HTTPStatusError | httpx2.SSEError):
        reason = _masked(hidden, refusal_reason(refusal, server.address))
        return ConnectionFault(reason=reason, said=mask_secrets(hidden, _said(cause)), http_status=refusal.status)
    if isinstance(cause, MCPError) and (status := http_status(cause)):
        reason = _reason_with(ReasonCode.HTTP_UNEXPECTED, {"where": server.address, "status": status})
        said = mask_secrets(hidden, cause.error.message)
        return ConnectionFault(reason=_masked(hidden, reason), said=said, http_status=status)
    reason = _masked(hidden, _reason(cause, server, stderr_text))
    return ConnectionFault(reason=reason, code=cause.error.code if isinstance(cause, MCPError) else None)


def listing_fault(error: BaseException, server: Server, hidden: Collection[str] = ()) -> Reason:
    """Return why a connected server did not list its catalog, without the `hidden` texts."""
    reason = connection_fault(error, server, hidden=hidden).reason
    # The error is the answer of a server that is connected.
    return Reason(ReasonCode.LIST_REFUSED, reason.params) if reason.code is ReasonCode.CONNECTION_REFUSED else reason


def _masked(hidden: Collection[str], reason: Reason) -> Reason:
    params = reason.params.items()
    return Reason(
        reason.code, {name: mask_secrets(hidden, each) if isinstance(each, str) else each for name, each in params}
    )


def _said(cause: Exception) -> str:
    """Return the server's own message in a JSON-RPC error, or ""."""
    if not isinstance(cause, MCPError) or cause.error.message.startswith(_MESSAGES_OF_THE_SDK):
        return ""
    return cause.error.message[:_LONGEST_TEXT]


def learned_from_error(error: BaseException) -> Json:
    """Return what a failed attempt revealed of the server, as the arguments of `learned`."""
    cause = next(_causes(error))
    if isinstance(cause, EraError):
        return {"lacks": [cause.wanted]}
    return {"speaks": [Era.ROUNDS]} if isinstance(cause, AmbiguousEraError) else {}


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors in nested groups; task groups wrap the original one."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _causes(inner)
    else:
        yield error


def _reason(cause: BaseException, server: Server, stderr_text: str) -> Reason:
    is_stdio = server.transport["type"] == "stdio"
    if isinstance(cause, TooLargeError):
        return cause.reason
    if isinstance(cause, NotReadyError) and is_stdio:
        return _not_ready(cause, server, stderr_text)
    # A `TimeoutError` is an `OSError`, too.
    if isinstance(cause, OSError) and not isinstance(cause, TimeoutError) and is_stdio:
        return _not_started(cause, server)
    if isinstance(cause, MCPError) and is_connection_closed(cause) and is_stdio:
        return _ended(server, stderr_text)
    if isinstance(cause, httpx2.ConnectError) and (reason := network_reason(cause, server.transport["url"])):
        return reason
    code = next(code for kinds, code in _CODES if isinstance(cause, kinds))
    if isinstance(cause, MCPError) and is_not_mcp(cause):
        code = ReasonCode.NOT_AN_MCP_MESSAGE
    if isinstance(cause, MCPError) and is_sign_in_wanted(cause):
        code = ReasonCode.SIGN_IN_REQUIRED
    known: dict[str, Param] = {
        "where": server.address,
        "error": str(cause).rstrip(".")[:_LONGEST_TEXT] or type(cause).__name__,
        "seconds": cause.seconds if isinstance(cause, NotReadyError) else CONNECT_TIMEOUT,
        "status": cause.response.status_code if isinstance(cause, httpx2.HTTPStatusError) else "",
        "spoken": str(cause)[:_LONGEST_TEXT],
        "wanted": cause.wanted if isinstance(cause, EraError) else "",
    }
    return _reason_with(code, known)


def _reason_with(code: ReasonCode, known: dict[str, Param]) -> Reason:
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
"""The reason code for each kind of error; the first match counts."""


def _not_started(cause: OSError, server: Server) -> Reason:
    folder, command = server.transport.get("cwd"), str(server.transport.get("command"))
    error = cause.strerror or type(cause).__name__
    if folder and cause.filename not in (None, command):
        return Reason.of(ReasonCode.FOLDER_UNUSABLE, folder=str(folder), error=error)
    if isinstance(cause, FileNotFoundError):
        return Reason.of(ReasonCode.COMMAND_NOT_FOUND, command=command)
    return Reason.of(ReasonCode.COMMAND_FAILED, command=command, error=error)


def _ended(server: Server, stderr_text: str) -> Reason:
    command, output = _command(server), shorten(stderr_text, _LONGEST_TEXT)
    if not output:
        return Reason.of(ReasonCode.PROCESS_ENDED_SILENTLY, command=command)
    return Reason.of(ReasonCode.PROCESS_ENDED, command=command, output=output)


def _not_ready(cause: NotReadyError, server: Server, stderr_text: str) -> Reason:
    command, output = _command(server), shorten(stderr_text, _LONGEST_TEXT)
    if not output:
        return Reason.of(ReasonCode.PROCESS_NOT_READY_SILENT, seconds=cause.seconds, command=command)
    return Reason.of(ReasonCode.PROCESS_NOT_READY, seconds=cause.seconds, command=command, output=output)


def _command(server: Server) -> str:
    return " ".join([server.transport["command"], *mask_arguments(server.transport.get("args") or [])])
