"""Any JSON that a provider sends ends in a valid result of MCP, or in a reason."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from mcp.types import CreateMessageResultWithTools

from tests.models.asking import INFO, request, tool, user
from webclient.domain.model import Json
from webclient.sampling.llm import ModelFailedError
from webclient.sampling.llm.chat_answer import ChatAnswer
from webclient.sampling.llm.chat_request import ToolNames

PARAMS = request(user("hi"), tools=[tool("weather"), tool("trains.now")])

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def odd(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return what the API has at a place, or anything else."""
    return strategy | ANYTHING


def having(**places: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    """Return objects with some of these keys."""
    return st.fixed_dictionaries({}, optional={key: odd(each) for key, each in places.items()})


TEXTS = st.sampled_from(["", "Hello", "x" * 50, "\ud800"])
CALLS = having(
    index=st.integers(-1, 3),
    id=st.sampled_from(["", "a", "b", "\ud800", "\ud801"]),
    function=having(
        name=st.sampled_from(["weather", "trains.now", "other", ""]),
        arguments=st.sampled_from(["", "{}", '{"city":', '"Ulm"}', "[]", '{"a": NaN}', '{"a": 1e999}']),
    ),
)
CONTENT = TEXTS | st.lists(having(type=st.just("text"), text=TEXTS), max_size=2)
MESSAGE = having(content=CONTENT, refusal=TEXTS, tool_calls=st.lists(odd(CALLS), max_size=3))
CHOICE = having(
    delta=MESSAGE,
    message=MESSAGE,
    finish_reason=st.sampled_from(["stop", "length", "tool_calls", "content_filter", "new"]),
    stop_reason=st.just("###"),
)
PART = having(
    choices=st.lists(odd(CHOICE), max_size=2),
    model=st.just("acme-1"),
    usage=having(prompt_tokens=st.integers(-1, 9), completion_tokens=st.integers(-1, 9)),
)


@given(st.lists(odd(PART), max_size=4))
def test_any_answer_is_a_valid_result_or_a_reason(parts: list[Any]) -> None:
    answer = ChatAnswer(INFO, "models.example.com", PARAMS, ToolNames(), {"weather", "trains.now"})
    with suppress(ModelFailedError):
        for part in parts:
            list(answer.add(part))
        done = answer.done()
        result = CreateMessageResultWithTools.model_validate(done.result)
        uses = [block for block in result.content_as_list if block.type == "tool_use"]
        assert len({use.id for use in uses}) == len(uses)
        assert (result.stop_reason == "toolUse") is bool(uses)
        assert min(done.usage.input_tokens, done.usage.output_tokens) >= 0
        assert json.dumps(done.result, allow_nan=False, ensure_ascii=False).encode()
