"""What comes of sending a call: the outcome with which its driver goes on, and the end of the call.

An outcome is made here alone, and the driver alone tells the kinds apart.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

from webclient.calls.push_only import way_out
from webclient.calls.required_links import LinksRequired, UnopenedError, links_required
from webclient.calls.rounds import TooManyRoundsError
from webclient.errors import ConflictError
from webclient.forms import Path, Violation, violations
from webclient.i18n import gettext as _
from webclient.inbox import RefusedError
from webclient.inbox.withdrawal import Ending, cut_off
from webclient.model import CallState, Json, Reason, ReasonCode, RequestState
from webclient.protocol.limits import TooLargeError
from webclient.protocol.server_error import MalformedResultError, ServerError, Trouble
from webclient.reasons import sentence
from webclient.servers.connection import Connection
from webclient.visible_text import visible

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Result:
    """The server has run the call; `content` is its result, exactly as it came."""

    content: Json


@dataclass(frozen=True, slots=True)
class InputRequired:
    """The server requires input (MCP 2026-07-28): `entries` by its keys, and the `requestState` to send back."""

    entries: Json
    state: str | None


Outcome = Result | InputRequired | LinksRequired
"""What comes of sending a call. One that runs as a task will be another kind."""


def outcome_of(answer: Json | ServerError) -> Outcome:
    """Read a server's answer to a call. Raises the ServerError if that is all it is."""
    if isinstance(answer, ServerError):
        if required := links_required(answer):
            return required
        raise answer
    if answer.get("resultType") == "input_required":
        return InputRequired(answer.get("inputRequests") or {}, answer.get("requestState"))
    return Result(answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a call ends: its state with a result or an error, or a result with something to say beside it.

    `ending` is how its open requests end, if that is not by the usual reason. `by_server`: the server itself ended the
    call, so it may still wait for what it has pushed.
    """

    state: CallState
    result: Json | None = None
    error: Json | None = None
    ending: Ending | None = None
    by_server: bool = False

    @property
    def columns(self) -> Json:
        """The columns of the call's row."""
        return {"state": self.state, "result": self.result, "error": self.error}

    @property
    def error_text(self) -> str:
        """What the server said of a failure, in its error or in a result that is one; "" if it reported none."""
        if self.result is not None:
            return text_of(self.result) if self.result.get("isError") else ""
        return str((self.error or {}).get("message", ""))

    def given_up(self, reason: Reason) -> End:
        """Return the end of a call whose server stopped waiting for the person, by its own time limit."""
        said = {} if self.result is not None else (self.error or {}) | {"said": self.error_text}
        error = said | {"message": sentence(reason), "gave_up": True}
        return replace(self, error=error, ending=(RequestState.WITHDRAWN, reason))

    def checked(self, tool: Json | None) -> End:
        """Return the end with a note if its result does not fit the `outputSchema` of `tool`; clients SHOULD check it.

        MCP 2025-11-25, Tools, Output Schema. The result is shown all the same: the fault is the server's.
        """
        result = self.result or {}
        if self.error or not tool or "outputSchema" not in tool or result.get("isError"):
            return self
        found = next(iter(violations(tool["outputSchema"], result.get("structuredContent"))), None)
        return replace(self, error={"message": _misfit(found)}) if found else self


def end_of_result(result: Json, connection: Connection, *, asked: bool) -> End:
    """Return how a call ends with this result; `asked` is whether the server has required anything during it."""
    version, learned = connection.status.protocol_version, connection.server.learned
    way = way_out(version, learned, text_of(result), asked=asked, failed=bool(result.get("isError")))
    return End(state=CallState.DONE, result=result, error=way, by_server=True)


def end_of_error(error: Exception, connection: Connection, *, asked: bool) -> End:
    """Return how a call ends that failed with `error`, sent last on `connection`; `asked` as in `end_of_result`."""
    match error:
        case ServerError(unanswered=True):
            return _interrupted(error, connection)
        case ServerError():
            return End(state=CallState.FAILED, error=_reported(error, connection, asked), by_server=True)
        case MalformedResultError():
            message = _("The server's result is not valid MCP: {error}").format(error=error)
            return End(state=CallState.FAILED, error={"message": message}, by_server=True)
        case UnopenedError():
            reason = Reason.of(ReasonCode.CALL_ENDED_WITHOUT_LINK, where=error.host)
            ending = (RequestState.WITHDRAWN, reason) if error.host else None
            return End(state=CallState.FAILED, error=error.error, ending=ending)
        case RefusedError():
            message = sentence(error.refusal.reason)
        case TooManyRoundsError() | TooLargeError() | ConflictError():
            message = str(error)
        case _:
            logger.error("A call of server %s failed", connection.server.id, exc_info=error)
            message = _("The call failed because of a fault in this program; its log has the details.")
    return End(state=CallState.FAILED, error={"message": message})


def _interrupted(error: ServerError, connection: Connection) -> End:
    reason = connection.given_up
    message = sentence(reason) if reason else _("The connection to the server was lost before the call ended.")
    ending = (RequestState.INTERRUPTED, reason) if reason else cut_off()
    return End(state=CallState.INTERRUPTED, error={"code": error.code, "message": message}, ending=ending)


def _reported(error: ServerError, connection: Connection, asked: bool) -> Json:
    reported = error.as_json
    match error.trouble:
        case Trouble.TOO_LARGE:
            message = _("{why} The server ran the call; only its result was discarded.").format(why=error.message)
            return reported | {"message": message, "ran": True}
        case Trouble.NOT_MCP:
            reported |= {"message": _("The server answered with JSON that is not an MCP message.")}
        case Trouble.STATE_UNKNOWN:
            reported |= {"message": _("The server no longer remembers this question."), "forgotten": True}
    version, learned = connection.status.protocol_version, connection.server.learned
    way = way_out(version, learned, error.message, asked=asked)
    return reported | way | {"said": error.message} if way else reported


def _misfit(found: Violation) -> str:
    if not found.path:
        message = _("The structured result does not fit the schema that the server announced for it: {why}")
        return message.format(why=found.sentence)
    message = _("The structured result does not fit the schema that the server announced for it, at {field}: {why}")
    return message.format(field=_place(found.path), why=found.sentence)


def _place(path: Path) -> str:
    """Return the place of a value as programmers write it: `rooms[2].price`."""
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return visible(steps.removeprefix("."), 200)


def text_of(result: Json) -> str:
    """Return the text blocks of a result as one text."""
    return " ".join(str(block.get("text", "")) for block in result.get("content", []))
