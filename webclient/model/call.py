"""One call of a tool, prompt or resource, with its states and what its server logged."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from webclient.model.common import Json, Via, new_id, now


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
class Call:
    """One `tools/call`, `prompts/get` or `resources/read` of a user, with all its rounds, until its result.

    `name` is the tool's or prompt's name, or the resource's URI. `result` travels verbatim from the server;
    `error` is `{code?, message, data?, forgotten?, gave_up?, ran?}`, `forgotten` where the server no longer knew what
    it had asked, `gave_up` where its own time limit for an answer ran out, `ran` where only the result was not taken;
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
    error: Json | None = None
    checkpoint: Json | None = None
    via: Via = Via.API
    retry_of: str | None = None
    withheld: tuple[str, ...] = ()
    erased_at: datetime | None = None
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)

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
        error = self.error or {}
        return self.state is CallState.INTERRUPTED or bool(error.get("forgotten") or error.get("gave_up"))


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
