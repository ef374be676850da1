"""Sampling: where a request for a model's message stands, and the user's rule for what a server may have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from webclient.domain.model.common import Json, now
from webclient.domain.model.reason import Reason, ReasonCode


class Stage(StrEnum):
    """Where a pending sampling request stands.

    `pending`: a person looks at the request, edits it, sends it to a model, writes the message or declines.
    `generating`: a model is working. `reviewing`: its message is there, and the server has not got it.
    """

    PENDING = "pending"
    GENERATING = "generating"
    REVIEWING = "reviewing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The use of a model: tokens, and the cost in its `currency` if its prices are known; perhaps an estimate."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    currency: str = ""
    is_estimate: bool = False

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """The progress of a sampling request: everything besides its parameters.

    `conversation` is the id of the first request of a tool loop, `turn` counts its requests from 1, and `seen` is the
    number of messages that were there before, the last answer among them. `edited` are the parameters as the person
    changed them. `model` is the id of the model that was used or is working; `choice` says why it was chosen.
    `result` is its message as the server would get it, `generated` the same before the person changed it. `failure` is
    why there is none. `by_rule`: the user's rule sent the request to the model. `approved_turns` is how many further
    turns of the conversation the person has approved in advance, `approved` whether this is one of them.
    """

    stage: Stage = Stage.PENDING
    conversation: str = ""
    turn: int = 1
    seen: int = 0
    edited: Json | None = None
    model: str = ""
    choice: Reason | None = None
    result: Json | None = None
    generated: Json | None = None
    usage: Usage | None = None
    failure: Reason | None = None
    by_rule: bool = False
    approved: bool = False
    approved_turns: int = 0
    started_at: datetime | None = None

    def to_json(self) -> Json:
        """Return it as JSON for its row."""
        plain = asdict(self)
        plain["started_at"] = self.started_at and self.started_at.isoformat()
        return {name: value for name, value in plain.items() if value is not None}

    @classmethod
    def from_json(cls, stored: Json) -> Self:
        """Read what `to_json` has written; keys of a later version are ignored."""
        known: dict[str, Any] = {name: value for name, value in stored.items() if name in cls.__dataclass_fields__}
        started = known.get("started_at")
        read = {
            "stage": Stage(known.get("stage", Stage.PENDING)),
            "choice": _reason(known.get("choice")),
            "failure": _reason(known.get("failure")),
            "usage": Usage(**known["usage"]) if known.get("usage") else None,
            "started_at": datetime.fromisoformat(started) if started else None,
        }
        return cls(**known | read)

    def without_values(self) -> Self:
        """Return it without everything that a server or a person wrote."""
        return replace(self, edited=None, result=None, generated=None)


def last_text(params: Json) -> str:
    """Return the last text of a conversation, also one in the result of a tool; "" if there is none."""
    messages = params.get("messages")
    for message in reversed(messages if isinstance(messages, list) else []):
        texts = list(_texts(message.get("content") if isinstance(message, dict) else None))
        if texts:
            return texts[-1]
    return ""


def _texts(content: Any) -> Iterator[str]:
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            yield block["text"]
        elif isinstance(block, dict) and block.get("type") == "tool_result":
            yield from _texts(block.get("content"))


def _reason(stored: Json | None) -> Reason | None:
    return Reason(ReasonCode(stored["code"]), stored["params"]) if stored else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingRule:
    """The user's rule for how a server may use models. By default nothing goes anywhere without a person.

    `approve`: a request goes to the model without being shown first. `unseen`: and the result to the server.
    The limits hold for every use of a model, also one that the person asked for: `turns` of a conversation, then
    `requests`, `tokens` and `cost` of a day in UTC. None sets no limit. `model` is used
    without a choice.
    """

    approve: bool = False
    unseen: bool = False
    turns: int = 25
    requests: int | None = 200
    tokens: int | None = 500_000
    cost: float | None = None
    model: str = ""

    def to_json(self) -> Json:
        """Return it as JSON: what differs from the default."""
        default = asdict(SamplingRule())
        return {name: value for name, value in asdict(self).items() if value != default[name]}

    @classmethod
    def from_json(cls, stored: Json) -> Self:
        """Read what `to_json` has written; keys of a later version are ignored."""
        return cls(**{name: value for name, value in stored.items() if name in cls.__dataclass_fields__})

    @property
    def sends_unseen(self) -> bool:
        """Whether a result may go to the server without a person having seen it."""
        return self.approve and self.unseen


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """The use of models by a server on a day in UTC. `costs` has the sums by currency."""

    requests: int = 0
    tokens: int = 0
    costs: dict[str, float] = field(default_factory=dict)
    day: str = field(default_factory=lambda: now().date().isoformat())

    def cost_in(self, currency: str) -> float:
        """Return the sum in one currency."""
        return self.costs.get(currency, 0)

    def plus(self, usage: Usage) -> Spent:
        """Return the sums with one more use of a model."""
        added = {usage.currency: self.cost_in(usage.currency) + usage.cost} if usage.cost is not None else {}
        return replace(self, requests=self.requests + 1, tokens=self.tokens + usage.tokens, costs=self.costs | added)
