"""How a sampling request of MCP becomes a request of the OpenAI API."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.models.asking import assistant, request, result, tool, use, user
from webclient.domain.model import Json
from webclient.sampling.llm import chat_request
from webclient.sampling.llm.chat_request import Accepts, ToolNames, UnsupportedContentError

PICTURE = {"type": "image", "data": "aGk=", "mimeType": "image/PNG; x=y"}
WAV = {"type": "audio", "data": "aGk=", "mimeType": "audio/x-wav"}
OGG = {"type": "audio", "data": "aGk=", "mimeType": "audio/ogg"}
ALL = Accepts(images=True, audio=True)


def messages(*given: Json, accepts: Accepts = ALL, **params: Any) -> list[Json]:
    return chat_request.messages(request(*given, **params), accepts, ToolNames())


def test_a_prompt_and_texts_become_messages() -> None:
    found = messages(user("hi"), assistant("Hello."), user("one", "two"), systemPrompt="Be kind.")
    assert found == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "one\n\ntwo"},
    ]


def test_pictures_and_recordings_become_parts() -> None:
    (found,) = messages(user("look", PICTURE, WAV))
    assert found["content"] == [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
    ]


@pytest.mark.parametrize(
    ("content", "accepts", "kind"),
    [
        (user(PICTURE), Accepts(images=False), "image/png"),
        (user(WAV), Accepts(audio=False), "audio/x-wav"),
        (user(OGG), ALL, "audio/ogg"),
        (assistant(PICTURE), ALL, "image"),
        (user(result("call_1", PICTURE)), Accepts(images=False), "image/png"),
    ],
)
def test_content_that_a_model_cannot_take_is_refused_by_type(content: Json, accepts: Accepts, kind: str) -> None:
    with pytest.raises(UnsupportedContentError) as raised:
        messages(content, accepts=accepts)
    assert raised.value.kind == kind


def test_tool_uses_become_tool_calls_with_arguments_as_text() -> None:
    (found,) = messages(assistant("I look.", use("weather", city="Ulm")))
    assert found["content"] == "I look."
    assert found["tool_calls"] == [
        {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Ulm"}'}}
    ]
    (alone,) = messages(assistant(use("weather")))
    assert alone["content"] is None


def test_each_result_becomes_a_message_of_its_own() -> None:
    found = messages(user(result("call_1", "sunny", "warm"), result("call_2", "down", isError=True)))
    assert [(each["role"], each["tool_call_id"]) for each in found] == [("tool", "call_1"), ("tool", "call_2")]
    assert found[0]["content"] == "sunny\n\nwarm"
    assert found[1]["content"].endswith("error.\n\ndown")


def test_results_without_text_are_json() -> None:
    link = {"type": "resource_link", "uri": "file:///a", "name": "a"}
    (found,) = messages(user(result("call_1", link)))
    assert json.loads(found["content"]) == link
    (structured,) = messages(user(result("call_1", structuredContent={"celsius": 3})))
    assert json.loads(structured["content"]) == {"celsius": 3}


def test_pictures_of_results_follow_after_all_results() -> None:
    found = messages(user(result("call_1", "a map", PICTURE), result("call_2", "text")))
    assert [each["role"] for each in found] == ["tool", "tool", "user"]
    words, picture = found[2]["content"]
    assert "call_1" in words["text"]
    assert picture["type"] == "image_url"
    assert "next message" in found[0]["content"]


def test_tools_and_their_choice_keep_their_words() -> None:
    """2025-11-25, Sampling, Tool Choice: auto, required and none mean the same to both sides."""
    for mode in ("auto", "required", "none"):
        found = chat_request.tools(
            request(tools=[tool("weather", city={"type": "string"})], toolChoice={"mode": mode}), ToolNames()
        )
        assert found["tool_choice"] == mode
    function = found["tools"][0]["function"]
    assert (function["name"], function["description"]) == ("weather", "About weather")
    assert function["parameters"]["properties"] == {"city": {"type": "string"}}


def test_a_tool_choice_without_tools_is_left_out() -> None:
    assert chat_request.tools(request(toolChoice={"mode": "auto"}), ToolNames()) == {}
    assert "tool_choice" not in chat_request.tools(request(tools=[tool("a")]), ToolNames())


@pytest.mark.parametrize("name", ["weather.now", "a" * 128, "wetter für ulm", "", "天气", "a/b"])
def test_a_name_that_the_api_forbids_is_replaced_and_restored(name: str) -> None:
    names = ToolNames()
    outward = names.outward(name)
    assert outward.replace("_", "").replace("-", "").isalnum()
    assert outward.isascii()
    assert len(outward) <= 64
    assert names.inward(outward) == name


def test_names_that_differ_stay_different() -> None:
    names = ToolNames()
    given = ["a.b", "a/b", "a_b", "x" * 100 + "1", "x" * 100 + "2"]
    assert len({names.outward(name) for name in given}) == len(given)


def test_limits_are_taken_over_and_four_stop_sequences() -> None:
    """2026-07-28, Sampling: the client MUST respect maxTokens (S5), and MAY change stopSequences (S6)."""
    found = chat_request.limits(request(temperature=0.2, stopSequences=list("abcdef")))
    assert found == {"max_tokens": 100, "temperature": 0.2, "stop": ["a", "b", "c", "d"]}
    assert chat_request.limits(request(temperature=0, stopSequences=[])) == {"max_tokens": 100, "temperature": 0}


def test_preferences_metadata_and_context_are_not_sent() -> None:
    """2025-11-25, Sampling: the client MAY ignore metadata and includeContext (S6); preferences choose the model."""
    params = request(user("hi"), metadata={"a": 1}, includeContext="thisServer", modelPreferences={"hints": []})
    assert chat_request.limits(params) == {"max_tokens": 100}
    assert chat_request.messages(params, ALL, ToolNames()) == [{"role": "user", "content": "hi"}]
