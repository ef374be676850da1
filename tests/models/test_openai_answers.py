"""Answers of an OpenAI-compatible provider, through the real package, with the provider in this process."""

from __future__ import annotations

import httpx2
import pytest

from tests.models.asking import (
    HELLO,
    WEATHER,
    FakeProvider,
    answered,
    call,
    part,
    request,
    run,
    streamed,
    text_of,
    use,
    user,
)
from webclient.domain.model import Json
from webclient.sampling.llm import TextPiece, ToolUsePiece
from webclient.sampling.llm.chat_request import ToolNames

pytestmark = pytest.mark.anyio


async def test_a_text_is_streamed_and_ends_with_its_usage() -> None:
    provider = FakeProvider([streamed(*HELLO, {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 7}})])
    pieces, done = await run(provider.model(), request(user("hi")))
    assert pieces == [TextPiece("Hel"), TextPiece("lo")]
    assert done.result == {
        "role": "assistant",
        "content": {"type": "text", "text": "Hello"},
        "model": "acme-1-2026",
        "stopReason": "endTurn",
    }
    assert (done.usage.input_tokens, done.usage.output_tokens, done.usage.is_estimate) == (5, 7, False)
    assert done.usage.cost == pytest.approx(19e-6)
    (body,) = provider.bodies
    assert body == {
        "model": "acme-1",
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": 100,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_tool_uses_come_in_parts_and_in_parallel() -> None:
    parts = [
        part({"role": "assistant", "content": "I look."}),
        part(call(0, ToolNames().outward("weather.now"), "", "call_a")),
        part(call(0, arguments='{"city": ')),
        part(call(1, "trains", '{"to": "Ulm"}', "call_b")),
        part(call(0, arguments='"Ulm"}')),
        part(finish="tool_calls"),
    ]
    pieces, done = await run(FakeProvider([streamed(*parts)]).model(), WEATHER)
    assert text_of(pieces) == "I look."
    uses = [piece for piece in pieces if isinstance(piece, ToolUsePiece)]
    assert [(piece.index, piece.name) for piece in uses] == [
        (0, "weather.now"),
        (0, "weather.now"),
        (1, "trains"),
        (0, "weather.now"),
    ]
    assert done.result["content"] == [
        {"type": "text", "text": "I look."},
        use("weather.now", "call_a", city="Ulm"),
        use("trains", "call_b", to="Ulm"),
    ]
    assert done.result["stopReason"] == "toolUse"


@pytest.mark.parametrize(
    "parts",
    [
        [part(call(0, "trains", "{}", "a")), part(call(0, "trains", "{}", "b")), part(finish="stop")],
        [
            part(
                {"tool_calls": [{"function": {"name": "trains", "arguments": {}}}, {"function": {"name": "trains"}}]},
                "tool_calls",
            )
        ],
        [part(call(0, "trains", "{}", "a")), part(call(1, "trains", "{}", "a")), part(finish="tool_calls")],
    ],
)
async def test_servers_that_number_their_calls_badly_are_understood(parts: list[Json]) -> None:
    done = await answered(*parts, params=WEATHER)
    uses = done.result["content"]
    assert [each["name"] for each in uses] == ["trains", "trains"]
    assert len({each["id"] for each in uses}) == 2
    assert done.result["stopReason"] == "toolUse"


@pytest.mark.parametrize(
    ("finish", "extra", "reason"),
    [
        ("stop", {}, "endTurn"),
        ("length", {}, "maxTokens"),
        ("content_filter", {}, "content_filter"),
        ("stop", {"stop_reason": "###"}, "stopSequence"),
    ],
)
async def test_the_reason_to_stop_has_a_word_of_mcp(finish: str, extra: Json, reason: str) -> None:
    last = part(finish=finish)
    last["choices"][0] |= extra
    done = await answered(part({"content": "x"}), last)
    assert done.result["stopReason"] == reason


async def test_half_of_a_pair_is_replaced_and_a_split_pair_is_whole() -> None:
    pieces, done = await run(
        FakeProvider([streamed(part({"content": "a\ud83d"}), part({"content": "\ude00b\ud800"}, "stop"))]).model(),
        request(user("hi")),
    )
    assert done.result["content"]["text"] == "a😀b\ufffd"
    assert text_of(pieces).encode()


async def test_a_text_never_ends_as_the_use_of_a_tool() -> None:
    done = await answered(part({"content": "x"}, "tool_calls"), params=WEATHER)
    assert done.result["stopReason"] == "endTurn"


async def test_a_provider_without_figures_is_estimated() -> None:
    done = await answered(part({"content": "x" * 400}), part(finish="stop"))
    assert done.usage.is_estimate
    assert 100 <= done.usage.output_tokens <= 110


@pytest.mark.parametrize("streams", [True, False])
async def test_a_whole_answer_in_the_place_of_a_stream_is_taken(streams: bool) -> None:
    whole = {
        "model": "acme-1",
        "choices": [{"message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    }
    provider = FakeProvider([httpx2.Response(200, json=whole)])
    pieces, done = await run(provider.model(streams=streams), request(user("hi")))
    assert text_of(pieces) == done.result["content"]["text"] == "Hello"
    assert done.usage.output_tokens == 2
    assert ("stream" in provider.bodies[0]) is streams


async def test_empty_arguments_are_an_empty_object() -> None:
    done = await answered(part(call(0, "trains", "", "a")), part(finish="tool_calls"), params=WEATHER)
    assert done.result["content"] == [use("trains", "a")]


@pytest.mark.parametrize(
    "nonsense",
    [
        {"choices": "x"},
        {"choices": [7]},
        {"choices": [{"delta": 7}]},
        {"choices": [{"delta": {"content": 7, "tool_calls": 7, "refusal": 7}}]},
        {"choices": [{"delta": {"tool_calls": [7]}, "finish_reason": 7}]},
        {"choices": [], "usage": {"prompt_tokens": "x"}, "model": 7},
        {"choices": [{"delta": {"reasoning_content": "hm", "reasoning": "hm"}}]},
    ],
)
async def test_parts_of_a_wrong_shape_are_ignored(nonsense: Json) -> None:
    done = await answered(nonsense, *HELLO)
    assert done.result["content"]["text"] == "Hello"
