"""Edits of a sampling request before a model gets it."""

from __future__ import annotations

import pytest

from tests.pages.sampling.given import sampling_params, second_turn, with_tools
from webclient.domain.model import Json
from webclient.web.pages.sampling.request_edits import edit_request, texts_of_request


@pytest.mark.parametrize("params", [sampling_params("Hello", systemPrompt="a\r\nb"), with_tools(), second_turn(), {}])
def test_untouched_controls_change_nothing(params: Json) -> None:
    """A request that is posted unchanged stays verbatim (MCP 2025-11-25, Sampling: `_meta` SHOULD stay)."""
    edits = edit_request(params, texts_of_request(params))
    assert edits.params == params
    assert not edits.errors


def test_texts_and_the_system_prompt_can_be_edited() -> None:
    """MCP 2025-11-25, Sampling: clients SHOULD let users view and edit prompts before sending."""
    params = second_turn()
    texts = texts_of_request(params) | {
        "p.system": ["Be kind."],
        "p.text.0.0": ["And in Porto?"],
        "p.text.2.0.0": ["Rain"],
    }
    edited = edit_request(params, texts).params
    assert edited["systemPrompt"] == "Be kind."
    assert edited["messages"][0]["content"] == {"type": "text", "text": "And in Porto?"}
    assert edited["messages"][2]["content"][0]["content"][0] == {"type": "text", "text": "Rain"}
    assert edited["messages"][1] == params["messages"][1]
    assert params == second_turn()  # the server's own words are not touched


def test_a_cleared_system_prompt_is_left_out() -> None:
    """MCP 2025-11-25, Sampling: the client MAY ignore the system prompt."""
    assert "systemPrompt" not in edit_request(sampling_params("a", systemPrompt="b"), {"p.system": [" "]}).params


def test_most_tokens_can_only_be_lowered() -> None:
    """MCP 2026-07-28, Sampling: the client MUST respect `maxTokens`; it may sample fewer."""
    assert edit_request(sampling_params("a"), {"p.most": ["100"]}).params["maxTokens"] == 100
    for wrong in ("501", "0", "-1", "many", "", "1.5", "٣"):
        assert set(edit_request(sampling_params("a"), {"p.most": [wrong]}).errors) == {"p.most"}, wrong


def test_tools_can_be_left_out() -> None:
    """Without any tool there is nothing to choose from, and models refuse a choice."""
    params = with_tools(toolChoice={"mode": "required"})
    one = edit_request(params, {"p.tools": ["1"], "p.tool": ["1"]}).params
    assert [tool["name"] for tool in one["tools"]] == ["note"]
    assert one["toolChoice"] == {"mode": "required"}
    none = edit_request(params, {"p.tools": ["1"], "p.tool": []}).params
    assert "tools" not in none
    assert "toolChoice" not in none
    assert edit_request(params, {}).params == params


def test_a_picture_can_be_left_out() -> None:
    """A picture may be private; its place stays, so that the message is not empty."""
    edited = edit_request(second_turn(), {"p.leave": ["2.0.1"]}).params
    assert [block["type"] for block in edited["messages"][2]["content"][0]["content"]] == ["text", "text"]


def test_text_that_no_control_can_have_is_not_edited() -> None:
    """A browser would change NUL, and a text of a megabyte would make a slow page."""
    assert not {name for name in texts_of_request(sampling_params("a\0b", "x" * 60_000)) if name.startswith("p.text")}
