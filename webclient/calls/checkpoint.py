"""The checkpoint of a call: typed, versioned data from which it can resume without its session or this process.

A checkpoint names its kind, so that a later version may add kinds and an earlier one can refuse them with a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from webclient.domain.model import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundCheckpoint:
    """A call waits for the answers of a round.

    `requests` are request ids by the server's keys, `state` is the server's `requestState`, exactly as it came,
    `unanswered_before` is how many rounds in a row went before it in which the person answered nothing.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    kind: Literal["round"] = "round"
    round: int
    requests: Mapping[str, str]
    state: str | None = None
    unanswered_before: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksCheckpoint:
    """A call waits for the links that an error -32042 required.

    `error` is the error as it came; `answers` and `state` are what the failed request carried, to be sent again.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    kind: Literal["links"] = "links"
    round: int
    requests: Mapping[str, str]
    error: Json
    answers: Json | None = None
    state: str | None = None
    unanswered_before: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsentCheckpoint:
    """A call waits for the user's sign-in, before its server has taken it for the first time.

    `as_task`: the person wants it to run as a task.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    kind: Literal["unsent"] = "unsent"
    as_task: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCheckpoint:
    """A call runs as a task at its server, and goes on by polling it.

    `generation` is the protocol version in which the task was created; in another one it cannot be reached. `requests`
    are the ids of all requests that the task has had, by the server's keys, and `round` is how often it had new ones.
    `progress_token` is that of the request that created it.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    kind: Literal["task"] = "task"
    generation: str
    task_id: str
    round: int = 0
    requests: Mapping[str, str] = field(default_factory=dict)
    progress_token: str | int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalCheckpoint:
    """A call waits for a person to decide whether it may run; nothing of it was sent.

    `request` is the id of the question, and `tool` the tool that it shows. `changed`: the tool has changed since an
    earlier decision. `rule` is the version of the rule that asks and `rule_id` its id, "" if it is unknown;
    `rule_changed`: it was another one at an earlier decision.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    kind: Literal["approval"] = "approval"
    request: str
    tool: Json
    changed: bool = False
    rule: str = ""
    rule_id: str = ""
    rule_changed: bool = False


Checkpoint = ApprovalCheckpoint | RoundCheckpoint | LinksCheckpoint | UnsentCheckpoint | TaskCheckpoint

_READER: TypeAdapter[Checkpoint] = TypeAdapter(Annotated[Checkpoint, Field(discriminator="kind")])


class UnreadableCheckpointError(Exception):
    """The checkpoint was not written by this version, or is damaged, so its call cannot resume."""


def to_json(checkpoint: Checkpoint) -> Json:
    """Return the checkpoint as the JSON for its call's row."""
    return asdict(checkpoint)


def from_json(stored: Json) -> Checkpoint:
    """Read a stored checkpoint. Raises UnreadableCheckpointError for another version or an unknown kind."""
    try:
        return _READER.validate_python(stored)
    except ValidationError as error:
        raise UnreadableCheckpointError(str(error)) from error
