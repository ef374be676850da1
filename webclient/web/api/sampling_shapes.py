"""The types of the API's JSON about sampling: where a request stands, and the rule of a server."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from webclient.domain.model import ReasonCode, Stage

Verbatim = dict[str, Any]


class UsageShape(TypedDict):
    """The use of a model; `cost` is in `currency`, null if the prices of the model are not known."""

    input_tokens: int
    output_tokens: int
    cost: float | None
    currency: str
    is_estimate: bool


class SamplingShape(TypedDict):
    """The progress of a sampling request; until it is settled its `stage` is `pending`, `generating` or `reviewing`.

    `conversation` is the id of the first request of a tool loop, `turn` counts its requests, and `seen` is the number
    of messages that were there before this one. `edited` are the parameters as the person changed them. `result` is
    the message under review, `generated` the same as the model gave it, if the person changed it. `choice` says why the
    `model` was chosen, `failure` why there is no message. `by_rule`: the rule of the server sent the request to the
    model; the message went unseen to the server if the `via` of the request is `rule`. `approved_turns` are the further
    turns that the person has approved, and `approved`: this is one of them.
    """

    stage: NotRequired[Stage]
    conversation: NotRequired[str]
    turn: int
    seen: int
    edited: NotRequired[Verbatim]
    model: NotRequired[str]
    choice: NotRequired[str]
    result: NotRequired[Verbatim]
    generated: NotRequired[Verbatim]
    usage: NotRequired[UsageShape]
    failure: NotRequired[str]
    failure_code: NotRequired[ReasonCode]
    by_rule: NotRequired[bool]
    approved: NotRequired[bool]
    approved_turns: NotRequired[int]


class SamplingRuleShape(TypedDict):
    """The rule for how a server may use models.

    `approve`: its requests go to the model without being shown first, within the limits; `unseen`: and the messages to
    the server. The limits are those of a conversation (`turns`) and of a day in UTC (`requests`, `tokens`, `cost`).
    """

    approve: bool
    unseen: bool
    turns: int
    requests: int | None
    tokens: int | None
    cost: float | None
    model: str


class PricesShape(TypedDict):
    """Prices per million tokens."""

    input: float
    output: float
    currency: str


class ModelShape(TypedDict):
    """A language model; `host` is where requests go, "" for one inside of this program. The figures are from 0 to 1."""

    id: str
    label: str
    name: str
    host: str
    intelligence: float
    speed: float
    cost: float
    prices: PricesShape | None


class ModelsShape(TypedDict):
    """The language models that can answer sampling requests."""

    models: list[ModelShape]


class SpentShape(TypedDict):
    """The use of models by a server on a day in UTC; `costs` has the sums by currency."""

    day: str
    requests: int
    tokens: int
    costs: dict[str, float]
