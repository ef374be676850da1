"""The outcomes of sending a call, with which its driver goes on, and the end of the call.

An outcome is made here alone, and the driver alone tells the kinds apart.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

from webclient import protocol
from webclient.calls.approving import AnsweredError, NotApprovedError
from webclient.calls.push_only import way_out
from webclient.calls.required_links import LinksRequired, UnopenedError, links_required
from webclient.calls.rounds import OtherEraError, TooManyRoundsError, UnansweredError
from webclient.calls.task_ends import TaskOverError
from webclient.content.forms import Path, Violation, violations
from webclient.content.visible_text import shortened
from webclient.domain.errors import ConflictError
from webclient.domain.executions import EXECUTED, not_executed, returned
from webclient.domain.model import (
    Call,
    CallError,
    CallKind,
    CallState,
    Era,
    Json,
    Reason,
    ReasonCode,
    RequestState,
    Task,
)
from webclient.inbox import Ending, RefusedError, cut_off
from webclient.protocol import MalformedResultError, ServerError, TooLargeError, Trouble
from webclient.servers.connections import Connection

LONGEST_DETAIL = 500
"""Characters that are kept of what a parser says of a malformed result."""

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


@dataclass(frozen=True, slots=True)
class TaskCreated:
    """The server runs the call as this task."""

    task: Task


Outcome = Result | InputRequired | LinksRequired | TaskCreated
"""The outcome of sending a call."""


def outcome_of(
    answer: Json | ServerError, kind: CallKind = CallKind.TOOL, version: str | None = None, *, tasks: bool = True
) -> Outcome:
    """Read a server's answer to a call; `version` is the protocol version of its session.

    `tasks`: the extension for tasks was announced.

    Raises the ServerError if that is all it is, MalformedResultError, and TaskOverError for a task in place of the
    result of a prompt or resource, or of a tool without `tasks`: that MUST be taken as invalid (extension of
    2026-07-28, Supported Methods).
    """
    if isinstance(answer, ServerError):
        if required := links_required(answer):
            return required
        raise answer
    is_handle = answer.get("resultType") == "task"
    if is_handle and version and version < Era.ROUNDS:
        # The extension does not exist there.
        return Result(answer)
    if is_handle and (kind is not CallKind.TOOL or not tasks):
        raise TaskOverError(Reason(ReasonCode.TASK_UNEXPECTED))
    if kind is CallKind.TOOL and (task := protocol.task_handle(answer)):
        return TaskCreated(task)
    if answer.get("resultType") == "input_required":
        return InputRequired(answer.get("inputRequests") or {}, answer.get("requestState"))
    return Result(answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a call ends: its state with a result or an error, or a result with something to say beside it.

    `ending` is how its open requests end, if that is not by the usual reason. `by_server`: the server itself ended the
    call, so it may still wait for what it has pushed. `received`: it has got and answered the call, or certainly got
    nothing of it; None if that is not known.
    """

    state: CallState
    result: Json | None = None
    error: CallError | None = None
    ending: Ending | None = None
    by_server: bool = False
    received: bool | None = None

    def noted_in(self, call: Call) -> Json:
        """Return the column that says of an approved call whether its server has answered it."""
        if self.received is None or EXECUTED not in (call.approval or {}):
            return {}
        answer = self.result if self.error is None or self.result is not None else [self.error.code, self.error.message]
        return {"approval": returned(call, answer) if self.received else not_executed(call)}

    @property
    def columns(self) -> Json:
        """The columns of the call's row."""
        return {"state": self.state, "result": self.result, "error": self.error}

    @property
    def error_text(self) -> str:
        """The server's own words for a failure; "" if it reported none."""
        if self.result is not None:
            return text_of(self.result) if self.result.get("isError") else ""
        return self.error.message or "" if self.error else ""

    def given_up(self, reason: Reason) -> End:
        """Return the end with the reason that the server stopped waiting for the person."""
        error = CallError() if self.result is not None or self.error is None else self.error
        return replace(self, error=replace(error, reason=reason, gave_up=True), ending=(RequestState.WITHDRAWN, reason))

    def noted(self, note: Reason | None) -> End:
        """Return the end with a note beside its result; there is one at most, and none beside an error."""
        is_error = (self.result or {}).get("isError")
        return replace(self, error=CallError(reason=note)) if note and not self.error and not is_error else self

    def checked(self, tool: Json | None) -> End:
        """Return the end with a note if its result breaks the tool's `outputSchema`.

        Clients SHOULD check it (MCP 2025-11-25, Tools, Output Schema). The result is shown, because the fault is the
        server's.
        """
        result = self.result or {}
        if self.error or not tool or "outputSchema" not in tool or result.get("isError"):
            return self
        found = next(iter(violations(tool["outputSchema"], result.get("structuredContent"))), None)
        return replace(self, error=CallError(reason=_misfit(found))) if found else self


def end_of_result(result: Json, connection: Connection, *, has_required: bool) -> End:
    """Return how a call ends with a result; `has_required` is that of its driver."""
    version, learned = connection.status.protocol_version, connection.server.learned
    way = way_out(version, learned, text_of(result), has_required=has_required, failed=bool(result.get("isError")))
    return End(
        state=CallState.DONE,
        result=result,
        error=_with_way_out(CallError(), way) if way else None,
        by_server=True,
        received=True,
    )


def end_of_error(error: Exception, connection: Connection, *, has_required: bool) -> End:
    """Return how a call ends that failed with `error`, sent last on `connection`."""
    return replace(_end_of(error, connection, has_required=has_required), received=_received(error, has_required))


def _received(error: Exception, has_required: bool) -> bool | None:
    """Return whether the server has answered the call, or certainly got nothing of it; None if that is not known."""
    match error:
        case ServerError():
            nothing = error.not_received and not has_required
            return True if error.received else False if nothing else None
        case MalformedResultError() | UnopenedError():
            return True
        case TaskOverError():
            return True if error.said else None
    return None


def _end_of(error: Exception, connection: Connection, *, has_required: bool) -> End:
    match error:
        case ServerError(unanswered=True):
            return _interrupted(error, connection)
        case ServerError():
            return End(state=CallState.FAILED, error=_reported(error, connection, has_required), by_server=True)
        case MalformedResultError():
            reason = Reason.of(ReasonCode.RESULT_INVALID, error=shortened(str(error), LONGEST_DETAIL))
            return End(state=CallState.FAILED, error=CallError(reason=reason), by_server=True)
        case UnopenedError():
            ended = Reason.of(ReasonCode.CALL_ENDED_WITHOUT_LINK, where=error.where)
            ending = (RequestState.WITHDRAWN, ended) if error.where else None
            return End(state=CallState.FAILED, error=CallError(reason=error.reason, **error.error), ending=ending)
        case UnansweredError() | TaskOverError() | AnsweredError() | NotApprovedError():
            return _over(error)
        case RefusedError():
            reason = error.refusal.reason
        case TooManyRoundsError() | OtherEraError():
            reason = error.reason
        case TooLargeError():
            reason = Reason.of(ReasonCode.REQUEST_STATE_TOO_LARGE, most=error.most, setting=error.name)
        case ConflictError(reason=Reason() as conflict):
            reason = conflict
        case _:
            logger.error("A call of server %s failed", connection.server.id, exc_info=error)
            reason = Reason(ReasonCode.INTERNAL_ERROR)
    return End(state=CallState.FAILED, error=CallError(reason=reason))


def _over(error: UnansweredError | TaskOverError | AnsweredError | NotApprovedError) -> End:
    if isinstance(error, AnsweredError):
        answered = CallError(reason=Reason(ReasonCode.ANSWERED_FOR_TOOL))
        return End(state=CallState.DONE, result={"content": [{"type": "text", "text": error.words}]}, error=answered)
    if isinstance(error, UnansweredError | NotApprovedError):
        return End(state=CallState.CANCELLED, error=CallError(reason=error.reason))
    failure = CallError(reason=error.reason, forgotten=error.forgotten, **error.said)
    return End(state=error.state, error=failure, by_server=True)


def _interrupted(error: ServerError, connection: Connection) -> End:
    if reason := connection.given_up or _not_resumed(error):
        ending: Ending = (RequestState.INTERRUPTED, reason)
    else:
        ending = cut_off()
    return End(state=CallState.INTERRUPTED, error=CallError(reason=ending[1], code=error.code), ending=ending)


def _not_resumed(error: ServerError) -> Reason | None:
    if error.trouble is not Trouble.NOT_RESUMED:
        return None
    status = error.details["status"]
    if status is None:
        return Reason(ReasonCode.STREAM_NOT_RESUMED)
    return Reason.of(ReasonCode.STREAM_REFUSED, status=status)


def _reported(error: ServerError, connection: Connection, has_required: bool) -> CallError:
    match error.trouble:
        case Trouble.TOO_LARGE:
            return CallError(
                reason=_too_large(error), code=error.code, data={"reason": "too_large", **error.details}, ran=True
            )
        case Trouble.HTTP_ERROR:
            # The message is the server's explanation, if it sent one as text; the code would be ours.
            return CallError(reason=_http_error(error), message=error.message or None)
        case Trouble.SIGN_IN:
            return CallError(reason=Reason(ReasonCode.SIGN_IN_REQUIRED))
        case Trouble.HEADERS_REFUSED:
            reason = Reason(ReasonCode.TOOL_HEADERS_REFUSED)
            return CallError(reason=reason, **error.as_json)
        case Trouble.NOT_MCP:
            # The message is the parser's, pages of it, and not the server's.
            return CallError(reason=Reason(ReasonCode.RESPONSE_NOT_MCP), code=error.code, data=error.data)
    reported = CallError(**error.as_json)
    if error.trouble is Trouble.STATE_UNKNOWN:
        reported = replace(reported, reason=Reason(ReasonCode.REQUEST_STATE_REJECTED), forgotten=True)
    version, learned = connection.status.protocol_version, connection.server.learned
    way = way_out(version, learned, error.message, has_required=has_required)
    return _with_way_out(reported, way) if way else reported


def _with_way_out(error: CallError, way: Reason) -> CallError:
    return replace(error, reason=way, reconnect_with=Era.PUSH)


def _too_large(error: ServerError) -> Reason:
    """Return the reason for a result that was discarded."""
    by_values = error.details["setting"] == "max_message_values"
    return Reason(ReasonCode.RESULT_TOO_MANY_VALUES if by_values else ReasonCode.RESULT_TOO_LARGE, error.details)


def _http_error(error: ServerError) -> Reason:
    too_large = "setting" in error.details
    return Reason(ReasonCode.HTTP_ERROR_TOO_LARGE if too_large else ReasonCode.HTTP_ERROR, error.details)


def _misfit(found: Violation) -> Reason:
    if not found.rule:
        return Reason(ReasonCode.RESULT_UNCHECKED)
    if not found.path:
        return Reason.of(ReasonCode.RESULT_MISMATCH, rule=found.rule)
    return Reason.of(ReasonCode.RESULT_MISMATCH_AT, field=_place(found.path), rule=found.rule)


def _place(path: Path) -> str:
    """Return the place of a value as programmers write it: `rooms[2].price`."""
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return shortened(steps.removeprefix("."), 200)


def text_of(result: Json) -> str:
    """Return the text blocks of a result as one text."""
    return " ".join(str(block.get("text", "")) for block in result.get("content", []))
