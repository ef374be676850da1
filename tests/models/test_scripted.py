"""The model that follows a script: pieces, tool uses, limits, failures, and how a run is ended."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

import pytest

from webclient.domain.model import Json, Reason, ReasonCode
from webclient.sampling.llm import (
    Done,
    ModelFailedError,
    ModelInfo,
    Models,
    Prices,
    Reply,
    ScriptedModel,
    TextPiece,
    ToolUsePiece,
)

pytestmark = pytest.mark.anyio

INFO = ModelInfo(id="scripted", label="Scripted", name="scripted-1", prices=Prices(input=2, output=10))
WEATHER = {"name": "weather", "inputSchema": {"type": "object"}}
SCRIPT = (
    Reply(says="fail", fails=Reason.of(ReasonCode.MODEL_BUSY, host="h", status=429)),
    Reply(tool="weather", turn=1, text="I look it up.", uses=[("weather", {"city": "Ulm"})]),
    Reply(turn=2, text="It is: {results}"),
    Reply(says="hello", text="Hello to you"),
)


def user(text: str) -> Json:
    return {"role": "user", "content": {"type": "text", "text": text}}


def models() -> Models:
    return Models([ScriptedModel(INFO, SCRIPT)])


async def run(*messages: Json, **params: Any) -> tuple[list[TextPiece | ToolUsePiece], Done]:
    given = {"messages": list(messages), "maxTokens": 100, **params}
    pieces = [piece async for piece in models().generate("scripted", given)]
    assert isinstance(pieces[-1], Done)
    return [piece for piece in pieces if not isinstance(piece, Done)], pieces[-1]


async def test_a_text_comes_in_words_and_is_bare_in_the_result() -> None:
    pieces, done = await run(user("hello"))
    assert pieces == [TextPiece("Hello "), TextPiece("to "), TextPiece("you")]
    assert done.result == {
        "role": "assistant",
        "content": {"type": "text", "text": "Hello to you"},
        "model": "scripted-1",
        "stopReason": "endTurn",
    }
    assert done.usage.is_estimate
    assert done.usage.cost == pytest.approx((done.usage.input_tokens * 2 + done.usage.output_tokens * 10) / 1e6)


async def test_a_tool_is_used_and_its_result_is_taken_up() -> None:
    pieces, done = await run(user("weather?"), tools=[WEATHER])
    assert pieces[-1] == ToolUsePiece(0, "weather", '{"city": "Ulm"}')
    text, use = done.result["content"]
    assert (text["type"], use["name"], use["input"]) == ("text", "weather", {"city": "Ulm"})
    assert done.result["stopReason"] == "toolUse"
    results = {
        "type": "tool_result",
        "toolUseId": use["id"],
        "content": [{"type": "text", "text": "sunny"}],
    }
    _pieces, last = await run(
        user("weather?"),
        {"role": "assistant", "content": [text, use]},
        {"role": "user", "content": [results]},
        tools=[WEATHER],
    )
    assert last.result["content"] == {"type": "text", "text": "It is: sunny"}


@pytest.mark.parametrize("params", [{}, {"tools": [WEATHER], "toolChoice": {"mode": "none"}}])
async def test_a_tool_that_the_request_lacks_is_not_used(params: Json) -> None:
    pieces, _done = await run(user("hello"), **params)
    assert pieces[0] == TextPiece("Hello ")


async def test_an_answer_stops_at_the_most_tokens() -> None:
    pieces, done = await run(user("hello"), maxTokens=2)
    assert len(pieces) == 2
    assert done.result["stopReason"] == "maxTokens"


@pytest.mark.parametrize(("text", "code"), [("fail", ReasonCode.MODEL_BUSY), ("?", ReasonCode.MODEL_HAS_NO_REPLY)])
async def test_a_failure_is_a_reason(text: str, code: ReasonCode) -> None:
    with pytest.raises(ModelFailedError) as raised:
        await run(user(text))
    assert raised.value.reason
    assert raised.value.reason.code == code


async def test_an_unknown_model_fails_with_a_reason() -> None:
    with pytest.raises(ModelFailedError) as raised:
        await anext(models().generate("gone", {"messages": [], "maxTokens": 1}))
    assert raised.value.reason
    assert raised.value.reason.code == ReasonCode.MODEL_NOT_CONFIGURED


async def test_leaving_the_loop_ends_the_run_of_the_model() -> None:
    ended = []

    class Endless(ScriptedModel):
        async def generate(self, params: Json) -> Any:
            try:
                while True:
                    yield TextPiece(str(len(params)))
            finally:
                ended.append(True)

    async with aclosing(Models([Endless(INFO)]).generate("scripted", {})) as pieces:
        assert await anext(pieces) == TextPiece("0")
        assert ended == []
    assert ended == [True]


def test_an_estimate_counts_the_request_and_the_limit() -> None:
    params = {"messages": [user("a" * 400)], "systemPrompt": "b" * 400, "maxTokens": 1000}
    usage = models().estimate("scripted", params)
    assert 200 <= usage.input_tokens <= 220
    assert usage.output_tokens == 1000
    assert usage.cost == pytest.approx(0.0104, abs=0.0001)
    assert usage.currency == "USD"


def test_pictures_and_chinese_are_estimated_as_tokens() -> None:
    picture = {"role": "user", "content": {"type": "image", "data": "A" * 1_000_000, "mimeType": "image/png"}}
    assert models().estimate("scripted", {"messages": [picture]}).input_tokens < 2000
    assert models().estimate("scripted", {"messages": [user("中" * 100)]}).input_tokens >= 100
