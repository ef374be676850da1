"""Conversations of sampling requests as a person reads them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.pages.sampling.given import sampling_params, second_turn
from webclient.web.pages.sampling.conversation import read_conversation


def test_tool_results_are_named_after_their_use() -> None:
    """A result only has the id of its use; the person reads the name of the tool, and which one failed."""
    talk = read_conversation(second_turn())
    assert [(block.kind, block.name) for block in talk.messages[1].blocks] == [
        ("text", ""),
        ("use", "get_weather"),
        ("use", "note"),
    ]
    results = talk.messages[2].blocks
    assert [(each.kind, each.name, each.is_error) for each in results] == [
        ("result", "get_weather", False),
        ("result", "note", True),
    ]
    assert [each.kind for each in results[0].inner] == ["text", "picture"]
    assert talk.messages[2].results_only
    assert talk.block((2, 0, 1)) is not None
    assert [each.size for each in talk.media] == [70]


def test_only_seen_messages_are_earlier() -> None:
    """What the person has not seen is never among the messages that the card folds; nor is the last one."""
    params = sampling_params("one", "two", "three")
    assert [m.number for m in read_conversation(params).new] == [1, 2, 3]
    assert [m.number for m in read_conversation(params, seen=2).earlier] == [1, 2]
    assert [m.number for m in read_conversation(params, seen=99).new] == [3]


def test_invisible_characters_are_noticed_in_every_text() -> None:
    """Hidden text can be an instruction: the system prompt and the results of tools are looked at as well."""
    assert not read_conversation(second_turn()).hides
    assert read_conversation(sampling_params("a\u200bb")).hides
    assert read_conversation(sampling_params("a", systemPrompt="b\u202e")).hides
    hidden = second_turn()
    hidden["messages"][2]["content"][0]["content"][0]["text"] = "Sun\u2060ny"
    assert read_conversation(hidden).hides


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"messages": 7, "tools": {}, "modelPreferences": [], "stopSequences": "x", "toolChoice": "any"},
        {"messages": [None, {"role": 1, "content": 2}, {"content": [{"type": "image", "data": 7}]}]},
        {"messages": [{"role": "user", "content": [{"type": "tool_result", "content": 3}, {"type": "resource"}]}]},
    ],
)
def test_broken_parameters_are_shown_as_they_came(params: dict[str, Any]) -> None:
    """A server written by hand can send anything; what is not a known block is shown as JSON."""
    talk = read_conversation(params)
    assert {block.kind for block in talk.blocks} <= {"unknown", "result"}
