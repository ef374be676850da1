"""The tool that borrows a language model, with the models of the demo and with answers by hand, in both eras."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any

import pytest
from mcp import Client
from mcp.client.session import ClientRequestContext
from mcp.types import (
    CreateMessageRequestParams,
    CreateMessageResultWithTools,
    SamplingCapability,
    SamplingToolsCapability,
)

from tests.demo.visits import text_of
from tests.models.asking import use
from webclient.demo import MODELS
from webclient.demo.server import create_server
from webclient.domain.model import Era, Json, ReasonCode
from webclient.sampling.llm import Done, Model, Models, ScriptedModel, read_models

pytestmark = pytest.mark.anyio

TOOLS = SamplingCapability(tools=SamplingToolsCapability())


@dataclass
class Borrowed:
    """A model that a client lends: it answers as `answer` says, and remembers the requests."""

    answer: Callable[[Json], Any]
    requests: list[Json] = field(default_factory=list)

    async def __call__(
        self,
        context: ClientRequestContext,  # noqa: ARG002  (the callback of the SDK)
        params: CreateMessageRequestParams,
    ) -> CreateMessageResultWithTools:
        """Answer, as a sampling callback of the SDK."""
        self.requests.append(params.model_dump(by_alias=True, mode="json", exclude_none=True))
        return CreateMessageResultWithTools.model_validate(await self.answer(self.requests[-1]))

    async def plan(self, era: Era) -> str:
        """Call the tool in an era, and return its text."""
        mode = "legacy" if era is Era.PUSH else era.value
        async with Client(create_server(), mode=mode, sampling_callback=self, sampling_capabilities=TOOLS) as client:
            return text_of(await client.call_tool("plan_weekend", {}))


def by_hand(answers: Sequence[list[Json]]) -> Borrowed:
    """Return a person who gives these answers one after the other."""
    left = iter([*answers, *repeat([], 3)])

    async def answer(_params: Json) -> Json:
        return {"role": "assistant", "content": next(left), "model": "a person", "stopReason": "endTurn"}

    return Borrowed(answer)


def without_pauses(model: Model) -> Model:
    assert isinstance(model, ScriptedModel)
    return replace(model, script=[replace(reply, pause=0) for reply in model.script])


def text(words: str) -> Json:
    return {"type": "text", "text": words}


both_eras = pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])


@both_eras
@pytest.mark.parametrize(("model", "turns"), [("quick", 2), ("careful", 3)])
async def test_the_models_of_the_demo_plan_a_weekend(era: Era, model: str, turns: int) -> None:
    models = Models([without_pauses(each) for each in read_models(MODELS, {})])

    async def answer(params: Json) -> Json:
        *_pieces, done = [piece async for piece in models.generate(model, params)]
        assert isinstance(done, Done)
        return done.result

    borrowed = Borrowed(answer)
    planned = await borrowed.plan(era)
    assert len(borrowed.requests) == turns
    assert "Lisbon" in planned
    # The results of the tool are part of the answer.
    assert "°C" in planned


def test_the_server_prefers_the_quick_model() -> None:
    choice = Models(read_models(MODELS, {})).choose({"speedPriority": 0.8, "intelligencePriority": 0.3})
    assert choice
    assert (choice.model.id, choice.reason.code) == ("quick", ReasonCode.MODEL_BY_PRIORITIES)


@both_eras
async def test_an_answer_without_a_tool_is_the_last_one(era: Era) -> None:
    borrowed = by_hand([[text("Stay at home.")]])
    assert await borrowed.plan(era) == "Stay at home."
    [request] = borrowed.requests
    assert request["tools"][0]["name"] == "weather"
    assert request["messages"][0]["content"]["text"].endswith("somewhere warm.")


@both_eras
async def test_a_tool_that_the_server_lacks_is_an_error_for_the_model(era: Era) -> None:
    wrong = [
        use("book", "call_1"),
        use("weather", "call_2", destination="Ulm"),
        use("weather", "call_3", destination=7),
    ]
    borrowed = by_hand([wrong, [use("weather", "call_4", destination="Kyoto")], [text("Kyoto.")]])
    assert await borrowed.plan(era) == "Kyoto."
    _first, second, last = borrowed.requests
    results = second["messages"][-1]["content"]
    assert [(each["toolUseId"], each["isError"]) for each in results] == [
        ("call_1", True),
        ("call_2", True),
        ("call_3", True),
    ]
    assert last["toolChoice"] == {"mode": "none"}
    assert "isError" not in last["messages"][-1]["content"][0]
