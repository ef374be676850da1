"""The difference to what a server sent or a model wrote."""

from __future__ import annotations

from tests.pages.sampling.given import sampling_params, with_tools
from webclient.web.pages.sampling.changes import changes_of_answer, changes_of_request


def test_each_kind_of_edit_is_a_change() -> None:
    """System prompt, message, tokens and tools; what is equal is not mentioned."""
    sent = with_tools(systemPrompt="Be brief.")
    edited = {**sampling_params("And in Porto?"), "maxTokens": 100, "tools": sent["tools"][:1]}
    assert len(changes_of_request(sent, edited)) == 4
    assert changes_of_request(sent, sent) == []


def test_hidden_characters_are_seen_in_a_change() -> None:
    """The difference shows what an editor does not."""
    [change] = changes_of_request(sampling_params("ab"), sampling_params("a\u200bb"))
    assert "⟦U+200B⟧" in "".join(text for _kind, text in change.pieces)


def test_an_edited_answer_shows_text_and_uses() -> None:
    """Both are compared, also if only one is there."""
    use = {"type": "tool_use", "id": "1", "name": "t", "input": {"a": 1}}
    written = {"role": "assistant", "content": [{"type": "text", "text": "Let me look."}, use]}
    assert len(changes_of_answer(written, {**written, "content": {"type": "text", "text": "No."}})) == 2
    assert changes_of_answer(written, written) == []
