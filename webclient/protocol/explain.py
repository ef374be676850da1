"""Turns what went wrong between us and a server into a sentence that says what and where."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import httpx2
from mcp import MCPError
from mcp.types import CONNECTION_CLOSED, INTERNAL_ERROR, METHOD_NOT_FOUND, PARSE_ERROR, ErrorData
from pydantic import ValidationError

from webclient.i18n import gettext as _
from webclient.masking import mask_arguments, mask_secrets
from webclient.model import Era, Json, Server
from webclient.protocol.http_statuses import Refusal, sentences
from webclient.protocol.limits import TooLargeError
from webclient.protocol.stderr import brief

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
    """The time for connecting was over before the server answered; the argument is the seconds it had."""


class SilenceError(Exception):
    """A server that was connected does not answer any more."""


def explain(
    error: BaseException,
    server: Server,
    last_words: str = "",
    hidden: Collection[str] = (),
    refusal: Refusal | None = None,
) -> Json:
    """Return `{message, code?, http_status?}` for a connection that could not be made or was lost.

    It is without the `hidden` texts; `refusal` is what an HTTP server answered in place of a session.
    """
    cause = next(_causes(error))
    if refusal is not None and isinstance(cause, MCPError | httpx2.HTTPStatusError | httpx2.SSEError):
        message = f"{sentences(refusal, server.address)}{_said(cause)}"
        return {"message": mask_secrets(hidden, message), "http_status": refusal.status}
    told: Json = {"message": mask_secrets(hidden, _sentence(cause, server, last_words))}
    if isinstance(cause, MCPError):
        told["code"] = cause.error.code
    return told


def _said(cause: Exception) -> str:
    """Return what the server said itself in a JSON-RPC error; the SDK's words for its absence say nothing."""
    if not isinstance(cause, MCPError) or cause.error.message.startswith(_WORDS_OF_THE_SDK):
        return ""
    return " " + _("It said: {words}").format(words=cause.error.message[:_TOLD])


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


def _sentence(cause: BaseException, server: Server, last_words: str) -> str:
    if isinstance(cause, NotReadyError):
        return _not_ready(cause, server, last_words)
    # A `TimeoutError` is an `OSError`, too.
    if isinstance(cause, OSError) and not isinstance(cause, TimeoutError) and server.transport["type"] == "stdio":
        return _not_started(cause, server)
    if isinstance(cause, MCPError) and cause.error.code == CONNECTION_CLOSED and server.transport["type"] == "stdio":
        return _ended(server, last_words)
    if isinstance(cause, MCPError) and is_not_mcp(cause):
        return _("{where} answered with JSON that is not an MCP message. Check the address.").format(
            where=server.address
        )
    wanted = cause.wanted if isinstance(cause, EraError) else ""
    return _pattern(cause).format(where=server.address, seconds=CONNECT_TIMEOUT, error=_words(cause), wanted=wanted)


def _pattern(cause: BaseException) -> str:
    patterns: list[tuple[type[BaseException], str]] = [
        (SilenceError, _("{where} stopped answering.")),
        (httpx2.ReadTimeout, _("{where} stopped answering.")),
        (TimeoutError, _("{where} did not answer within {seconds} seconds.")),
        (httpx2.ConnectTimeout, _("{where} did not answer within {seconds} seconds.")),
        (httpx2.ConnectError, _("Nothing answers at {where}: {error}.")),
        (httpx2.HTTPStatusError, _("{where} answered with {error}; an MCP server was expected there.")),
        (MCPError, _("{where} refused the connection: {error}.")),
        (EraError, _("{where} speaks {error}, but its era is set to {wanted}. Set it to auto.")),
        (ValidationError, _("{where} answered with something that is not MCP.")),
        (TooLargeError, "{error}."),
        (BaseException, _("The connection to {where} failed: {error}.")),
    ]
    return next(pattern for kind, pattern in patterns if isinstance(cause, kind))


def _words(cause: BaseException) -> str:
    if isinstance(cause, httpx2.HTTPStatusError):
        return f"HTTP {cause.response.status_code}"
    return str(cause).rstrip(".") or type(cause).__name__


def _not_started(cause: OSError, server: Server) -> str:
    folder, command = server.transport.get("cwd"), server.transport.get("command")
    if folder and cause.filename not in (None, command):
        sentence = _("The folder {folder!r} in which the server should run cannot be used: {why}.")
    elif isinstance(cause, FileNotFoundError):
        sentence = _("The command {command!r} was not found. Install it, or correct it in the config file.")
    else:
        sentence = _("The command {command!r} cannot be run: {why}.")
    return sentence.format(folder=folder, command=command, why=cause.strerror)


def _ended(server: Server, last_words: str) -> str:
    said = brief(last_words, _TOLD) or _("nothing")
    sentence = _("The server ended before it was ready. Its command: {command}. Its last words: {said}")
    return sentence.format(command=_command(server), said=said)


def _not_ready(cause: NotReadyError, server: Server, last_words: str) -> str:
    if server.transport["type"] != "stdio":
        return _("{where} did not answer within {seconds} seconds.").format(where=server.address, seconds=cause)
    sentence = _(
        "The server runs, but did not answer within {seconds} seconds (WEBCLIENT_CONNECT_SECONDS). "
        "Its command: {command}. Its last words: {said}"
    )
    said = brief(last_words, _TOLD) or _("nothing")
    return sentence.format(seconds=cause, command=_command(server), said=said)


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
