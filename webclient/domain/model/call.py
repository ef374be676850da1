"""One call of a tool, prompt or resource, with its states and the log of its server."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from http import HTTPStatus
from typing import Any

from webclient.domain.model.common import Json, ServerKey, Via, new_id, now
from webclient.domain.model.reason import Reason, ReasonCode
from webclient.domain.model.rule import Report
from webclient.domain.model.server import Era
from webclient.domain.model.task import Task
from webclient.domain.model.trace import Trace, new_trace
from webclient.domain.model.user import AGENT_PREFIX, CLIENT_PREFIX, SignInKey, SignInKind


class CallState(StrEnum):
    """Where a call stands."""

    RUNNING = "running"
    INPUT_REQUIRED = "input_required"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen to the call."""
        return self not in (CallState.RUNNING, CallState.INPUT_REQUIRED)


class CallKind(StrEnum):
    """Whether a call runs a tool, gets a prompt or reads a resource."""

    TOOL = "tool"
    PROMPT = "prompt"
    RESOURCE = "resource"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallError:
    """Why a call failed, or a note on its result.

    `code`, `message` and `data` are the JSON-RPC error as the server sent it. `reason` is ours; without one, the
    server's message is shown. `forgotten`: the server no longer knew its own request. `gave_up`: the server's time
    limit for an answer ran out. `ran`: the server ran the call, and only the result was discarded. `reconnect_with` is
    the era in which the server may be able to ask.
    """

    reason: Reason | None = None
    code: int | None = None
    message: str | None = None
    data: Any = None
    forgotten: bool = False
    gave_up: bool = False
    ran: bool = False
    reconnect_with: Era | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """The agent that made a call through the gateway.

    `label` is the user's own name for it, that of its token with the id `token_id`; an agent for which an embedding
    application or the OpenID provider vouches has an id of its own in that place, and the name that these use.
    `client` and `version` are its own words. `params` are the parameters of its request which the server gets as they
    came: `_meta`, and unknown ones.
    `gone_at` is when it went away without the result, as ISO 8601, and `returns` how often it has come back since.
    `taken`: it has got the result of a call that asked. `task_seconds` is for how long from its start the agent can ask
    for the call as a task; 0 if it is none.
    """

    token_id: str
    label: str
    client: str = ""
    version: str = ""
    params: Json = field(default_factory=dict)
    gone_at: str = ""
    returns: int = 0
    taken: bool = False
    task_seconds: int = 0

    @property
    def sign_in(self) -> SignInKey | None:
        """The sign-in of the agent, whose end ends its calls; None if nothing but the end of its user does."""
        if self.token_id.startswith(AGENT_PREFIX):
            return SignInKey(SignInKind.FRAME, self.token_id)
        return None if self.token_id.startswith(CLIENT_PREFIX) else SignInKey(SignInKind.TOKEN, self.token_id)

    @property
    def gone(self) -> datetime | None:
        """When it went away; None while it waits."""
        return datetime.fromisoformat(self.gone_at) if self.gone_at else None

    @property
    def claims(self) -> str:
        """What it says of itself, in one line."""
        return f"{self.client} {self.version}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One `tools/call`, `prompts/get` or `resources/read` of a user, with all its rounds, until its result.

    `name` is the tool's or prompt's name, or the resource's URI. `result` travels verbatim from the server;
    `progress` is `{progress, total?, message?, messages?, omitted?}`, as `calls.progress` makes it.
    `checkpoint` is the data from which the call can resume, as `calls.checkpoint` writes it: `{version, kind, round,
    requests: {key: request id}, ...}`. `task` is as which task it runs at its server, if it does.
    `tool_failed`: the result is an error, known also if the call was read without its result.
    `may_wait`: it is `input_required` only because the server does not say which of its calls asks.
    `via` is where it was started, `agent` the agent that made it, `approval` the decision of a person before it ran,
    as programs get it, with the digest of the arguments that were `proposed`, the id of the `request`, and what
    `domain.executions` notes of its execution. `retry_of` is the call that it starts over.
    `reports` are what rules that only report would have done. `trace` is the trace that it is part of.
    `withheld` names the arguments that are stored only as long as the call needs them; `erased_at` is when all values
    were erased.
    """

    id: str = field(default_factory=new_id)
    user_id: str
    server_id: str
    server_label: str
    kind: CallKind
    name: str
    arguments: Json | None = None
    state: CallState = CallState.RUNNING
    round: int = 0
    may_wait: bool = False
    tool_failed: bool = False
    progress: Json | None = None
    result: Json | None = None
    error: CallError | None = None
    checkpoint: Json | None = None
    task: Task | None = None
    via: Via = Via.API
    agent: Agent | None = None
    approval: Json | None = None
    reports: tuple[Report, ...] = ()
    trace: Trace | None = field(default_factory=new_trace)
    retry_of: str | None = None
    withheld: tuple[str, ...] = ()
    erased_at: datetime | None = None
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)

    @property
    def server_key(self) -> ServerKey:
        """The user and the server: the key of the connection."""
        return self.user_id, self.server_id

    @property
    def reason_code(self) -> ReasonCode | None:
        """The code of our reason for its error, if there is one."""
        return self.error.reason.code if self.error and self.error.reason else None

    @property
    def was_taken_up(self) -> bool:
        """Whether it follows a task that another program started; its name is the task's ID."""
        return self.task is not None and self.task.id == self.name

    @property
    def gone(self) -> tuple[str, ...]:
        """The names of the arguments that are no longer stored."""
        return tuple(name for name in self.withheld if (self.arguments or {}).get(name) is None)

    @property
    def hidden(self) -> tuple[str, ...]:
        """The names of the arguments that may be secrets and are still stored."""
        return tuple(name for name in self.withheld if name not in self.gone)

    @property
    def shown_arguments(self) -> Json | None:
        """The arguments without those that may be secrets."""
        return self.arguments and {name: each for name, each in self.arguments.items() if name not in self.withheld}

    @property
    def reports_error(self) -> bool:
        """Whether its result is an error (MCP, Tools, Error Handling: `isError`)."""
        return self.state is CallState.DONE and self.tool_failed

    @property
    def may_have_run(self) -> bool:
        """Whether its tool may have run although no result came: it was cut off, or a proxy may have answered."""
        reason = self.error.reason if self.error else None
        by_proxy = reason is not None and (
            reason.code is ReasonCode.RESPONSE_NOT_MCP
            or (reason.code is ReasonCode.HTTP_ERROR and _is_server_error(reason))
        )
        may_have_got_it = self.approval is None or "executed" in self.approval
        return self.kind is CallKind.TOOL and may_have_got_it and (self.state is CallState.INTERRUPTED or by_proxy)

    @property
    def can_start_over(self) -> bool:
        """Whether it ended by a fault, so that the same call may succeed now."""
        may_succeed = self.error is not None and (self.error.forgotten or self.error.gave_up)
        return self.state is CallState.INTERRUPTED or may_succeed


def _is_server_error(reason: Reason) -> bool:
    return int(reason.params["status"]) >= HTTPStatus.INTERNAL_SERVER_ERROR


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """A log message from a server during a call; `shared`: it may be from another call that ran as well.

    `text` is the message, as JSON if it is not a string, and shortened.
    """

    at: datetime
    level: str
    logger: str = ""
    text: str
    shared: bool = False

    @property
    def is_grave(self) -> bool:
        """Whether it reports an error (levels of RFC 5424)."""
        return self.level in ("error", "critical", "alert", "emergency")


@dataclass(frozen=True, slots=True)
class CallLog:
    """The newest log messages of one call, oldest first, and the number of older ones that were dropped."""

    entries: tuple[LogEntry, ...] = ()
    omitted: int = 0
