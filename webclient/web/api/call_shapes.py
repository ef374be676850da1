"""Calls in the API's JSON, with their tasks and log messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from webclient.domain.approvals import Verb
from webclient.domain.executions import Execution, Step, effect_of, history_of
from webclient.domain.model import Agent, Call, CallError, CallKind, CallState, InputRequest, TaskStatus, Then, Via
from webclient.web.api.server_shapes import ErrorShape
from webclient.web.api.shapes import Filled, Maybe, Moment, Shape, Verbatim, sentence


class TaskShape(Shape):
    """A task as which a call runs at its server, as the server described it last.

    `created_at` and `updated_at` are by the server's clock, `received_at` and `expires_at` by ours; without
    `expires_at` the server keeps the task for ever. `ttl` and `poll_interval` are milliseconds.
    """

    id: str
    status: TaskStatus
    status_message: Maybe[str] = None
    created_at: Maybe[Moment] = None
    updated_at: Maybe[Moment] = None
    received_at: Moment
    ttl: Maybe[int] = None
    expires_at: Maybe[Moment] = None
    poll_interval: Maybe[int] = None


class AgentClientShape(Shape):
    """The client of an agent, in its own words."""

    name: str
    version: Filled[str] = None


class AgentShape(Shape):
    """The agent that made a call through the gateway; `label` and `token_id` are those of its token."""

    kind: Literal["agent"] = "agent"
    label: str
    token_id: str
    client: Maybe[AgentClientShape] = None


class HistoryEntryShape(Shape):
    """A step of a call that a rule asks about.

    `digest` is that of what was proposed, decided or executed, or of the result as it came. A decision has its `verb`,
    and the names of the arguments that were `edited`; `request_id` is the question.
    """

    step: Step
    at: Moment
    digest: str
    request_id: Filled[str] = None
    verb: Maybe[Verb] = None
    edited: Filled[list[str]] = None


class ReportShape(Shape):
    """The effect that the rule with this id would have had if it had not only reported, and what happened instead."""

    rule: str
    then: Then
    instead_of: Then


class CallShape(Shape):
    """A call; `name` is the URI of a resource, `retry_of` the id of the call that this one repeats.

    `result` is the server's, verbatim; lists omit it unless `fields` names it.

    `server_label` is the user's own name for the server at that time, `via` where the call was started, or by which
    agent.
    `withheld` names arguments that are no longer stored and are null, `erased_at` is when all were erased.
    `cursor` is present while the call is open, in the answers to `POST` and to `GET /calls/{call_id}`: the place after
    the newest change of state, for the `since` of the next long poll.
    `may_wait` is present while the call may be the one that waits: the server does not say which of several calls
    is asking. Such a request has this call among its `possible_calls`.
    `task` is present if the call runs, or ran, as a task.

    `history` is in the answer to `GET /calls/{call_id}` for a call that a rule asks about, and `execution` says what
    has become of one that was approved: it `waits` for its agent, `runs`, `ran` once, `failed` (it was sent once, and
    its server returned no result), was `not_run`, or that is `unknown`.
    `reports` are what rules on calls of agents would have done that only report.
    """

    id: str
    server_id: str
    server_label: str
    kind: CallKind
    name: str
    arguments: Verbatim | None
    state: CallState
    cursor: Maybe[str] = None
    round: int
    may_wait: Filled[bool] = None
    progress: Maybe[Verbatim] = None
    task: Maybe[TaskShape] = None
    result: Maybe[Verbatim] = None
    error: Maybe[ErrorShape] = None
    retry_of: Maybe[str] = None
    via: Via | AgentShape
    execution: Maybe[Execution] = None
    history: Filled[list[HistoryEntryShape]] = None
    reports: Filled[list[ReportShape]] = None
    withheld: Filled[list[str]] = None
    erased_at: Maybe[Moment] = None
    created_at: Moment
    updated_at: Moment


class CallsShape(Shape):
    """A page of calls, newest first; `next` is the cursor of the page with older ones."""

    calls: list[CallShape]
    next: Maybe[str] = None


class LogEntryShape(Shape):
    """A log message from a server; `shared` if it came during several calls and may belong to any of them."""

    at: Moment
    level: str
    logger: Filled[str] = None
    text: str
    shared: Filled[bool] = None


class CallLogShape(Shape):
    """The newest log messages of a call, oldest first, and the number of older ones that were not stored."""

    entries: list[LogEntryShape]
    omitted: int


def call_shape(call: Call, *, cursor: str | None = None, approvals: Sequence[InputRequest] = ()) -> CallShape:
    """Return the API's JSON of a call; `cursor` is the place for the next long poll of an open one.

    `approvals` are the questions whether it may run, oldest first.
    """
    is_open = not call.state.ended
    effect = effect_of(call, approvals[-1]) if approvals else None
    return CallShape.of(
        call,
        cursor=cursor if is_open else None,
        may_wait=call.may_wait and is_open,
        via=_agent(call.agent) if call.agent else call.via,
        error=call.error and _error(call.error),
        withheld=call.gone,
        execution=effect.execution if effect else None,
        history=[HistoryEntryShape.of(each) for each in history_of(call, approvals)],
        reports=[ReportShape.of(each) for each in call.reports],
    )


def _agent(agent: Agent) -> AgentShape:
    client = AgentClientShape(name=agent.client, version=agent.version or None) if agent.client else None
    return AgentShape(label=agent.label, token_id=agent.token_id, client=client)


def _error(error: CallError) -> ErrorShape:
    reason = error.reason
    return ErrorShape.of(
        error,
        # What the server said itself travels verbatim.
        message=sentence(reason) if reason else error.message or "",
        reason_code=reason and reason.code,
        http_status=None,
        said=error.message if reason else None,
    )
