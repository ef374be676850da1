"""One call of a tool, prompt or resource, with its states and what its server logged."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from webclient.model.common import Json, Via, new_id, now
from webclient.model.reason import Reason, ReasonCode
from webclient.model.server import Era


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
    """What a call asks the server for."""

    TOOL = "tool"
    PROMPT = "prompt"
    RESOURCE = "resource"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallError:
    """Why a call did not succeed, or what there is to say beside its result.

    `code`, `message` and `data` are the JSON-RPC error as its server sent it. `reason` is ours; without one, the
    message of the server says it. `forgotten`: the server no longer knew what it had asked. `gave_up`: its own time
    limit for an answer ran out. `ran`: it has run the call, and only the result was discarded. `reconnect_with` is the
    era in which it may be able to ask.
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
class Call:
    """One `tools/call`, `prompts/get` or `resources/read` of a user, with all its rounds, until its result.

    `name` is the tool's or prompt's name, or the resource's URI. `result` travels verbatim from the server;
    `progress` is `{progress, total?, message?}`. `checkpoint` is the data from which the call can
    resume, as `calls.checkpoint` writes it: `{version, kind, round, requests: {key: request id}, ...}`.
    `may_wait`: it is `input_required` only as one of several calls of which the server does not say which one asks.
    `via` is where it was started, `retry_of` the call that it starts over. `withheld` names the arguments that are kept
    no longer than the call needs them, `erased_at` is when all values were erased.
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
    progress: Json | None = None
    result: Json | None = None
    error: CallError | None = None
    checkpoint: Json | None = None
    via: Via = Via.API
    retry_of: str | None = None
    withheld: tuple[str, ...] = ()
    erased_at: datetime | None = None
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)

    @property
    def reason_code(self) -> ReasonCode | None:
        """The code of our reason for its error, if there is one."""
        return self.error.reason.code if self.error and self.error.reason else None

    @property
    def gone(self) -> tuple[str, ...]:
        """The arguments that are no longer kept; there is nothing but their names."""
        return tuple(name for name in self.withheld if (self.arguments or {}).get(name) is None)

    @property
    def hidden(self) -> tuple[str, ...]:
        """The arguments that may be secrets and are still kept, since the call needs them."""
        return tuple(name for name in self.withheld if name not in self.gone)

    @property
    def shown_arguments(self) -> Json | None:
        """The arguments without those that may be secrets."""
        return self.arguments and {name: each for name, each in self.arguments.items() if name not in self.withheld}

    @property
    def reports_error(self) -> bool:
        """Whether the server ended it with a result that is an error; a call that was read without its result: no."""
        return self.state is CallState.DONE and bool((self.result or {}).get("isError"))

    @property
    def can_start_over(self) -> bool:
        """Whether it ended by a fault, so that the same once more may well succeed."""
        may_succeed = self.error is not None and (self.error.forgotten or self.error.gave_up)
        return self.state is CallState.INTERRUPTED or may_succeed


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """A log message that a server sent while it worked; `shared`: during one of several calls, it is not known which.

    `text` is what it says, as JSON where it is no text, and shortened.
    """

    at: datetime
    level: str
    logger: str = ""
    text: str
    shared: bool = False

    @property
    def is_grave(self) -> bool:
        """Whether something went wrong (the levels are those of RFC 5424)."""
        return self.level in ("error", "critical", "alert", "emergency")


@dataclass(frozen=True, slots=True)
class CallLog:
    """The newest log messages of one call, oldest first, and how many older ones are not kept."""

    entries: tuple[LogEntry, ...] = ()
    omitted: int = 0
