"""Answers that a person writes or reviews, from the posted parts to the message of MCP."""

from __future__ import annotations

import pytest

from tests.pages.sampling.given import sampling_params, with_tools
from tests.tables import each_row
from webclient.domain.model import Json
from webclient.web.pages.sampling.answer import read_answer
from webclient.web.pages.sampling.answer_parts import (
    add_use,
    edit_part,
    first_parts,
    read_parts,
    remove_part,
    texts_of_parts,
)

USE: Json = {"type": "tool_use", "id": "call_7", "name": "get_weather", "input": {"city": "Porto"}, "_meta": {"k": 1}}
WRITTEN: Json = {
    "role": "assistant",
    "model": "gpt",
    "content": [{"type": "text", "text": "Let me look.", "annotations": {}}, USE],
    "stopReason": "toolUse",
    "_meta": {"m": 2},
}


def test_a_written_text_is_sent_as_one_bare_block() -> None:
    """MCP 2025-11-25, Sampling: content is a block or a list; servers without tools often read no list (measured)."""
    answer = read_answer(sampling_params("Hello"), {"part": ["text.0.."], "a.text.0": ["Hi\r\nthere"]})
    assert answer.result == {
        "role": "assistant",
        "content": {"type": "text", "text": "Hi\nthere"},
        "stopReason": "endTurn",
        "model": "written by a person",
    }


def test_tool_uses_come_from_forms_and_have_ids() -> None:
    """Two uses of one tool, each with a form of its own, and their values checked against the tool's schema."""
    params = with_tools()
    parts = add_use(params, add_use(params, first_parts(params), "0"), "0")
    texts = texts_of_parts(parts) | {"f100": ["Lisbon"], "f200": ["Porto"], "f201": ["3"]}
    result = read_answer(params, texts).result
    assert result is not None
    assert [block["input"] for block in result["content"]] == [{"city": "Lisbon"}, {"city": "Porto", "days": 3}]
    assert len({block["id"] for block in result["content"]}) == 2
    assert result["stopReason"] == "toolUse"


def test_wrong_arguments_stay_with_a_sentence() -> None:
    """The answer is not sent, and what is typed is shown again."""
    params = with_tools()
    texts = texts_of_parts(add_use(params, [], "0")) | {"f0": [""], "f1": ["99"]}
    answer = read_answer(params, texts)
    assert answer.result is None
    assert set(answer.parts[0].errors) == {"city", "days"}
    assert answer.parts[0].texts["f1"] == ["99"]


def test_a_tool_without_properties_takes_json() -> None:
    """Fields cannot express any object; broken JSON is a sentence."""
    params = with_tools()
    texts = texts_of_parts(add_use(params, [], "1"))
    assert read_answer(params, texts | {"a.json.0": ['{"x": 1}']}).result["content"][0]["input"] == {"x": 1}  # type: ignore[index]
    assert read_answer(params, texts | {"a.json.0": ["{"]}).result is None


@pytest.mark.parametrize(
    ("mode", "texts"),
    [
        ("auto", {"part": ["text.0.."], "a.text.0": ["  "]}),
        ("required", {"part": ["text.0.."], "a.text.0": ["Hi"]}),
        ("none", {"part": ["use.0.0."], "f0": ["Lisbon"]}),
    ],
)
def test_the_choice_of_tools_is_kept_to(mode: str, texts: dict[str, list[str]]) -> None:
    """MCP 2025-11-25, Sampling, Tool Choice: `required` needs a use, `none` forbids any; an empty answer is none."""
    answer = read_answer(with_tools(toolChoice={"mode": mode}), texts)
    assert answer.result is None
    assert len(answer.errors) == 1


def test_an_unchanged_answer_is_sent_verbatim() -> None:
    """MCP 2025-11-25, Sampling: `_meta` of tool uses SHOULD be preserved; so is every unchanged part."""
    params = with_tools()
    texts = texts_of_parts(first_parts(params, WRITTEN))
    assert read_answer(params, texts, WRITTEN).result == WRITTEN


def test_an_edited_answer_keeps_what_was_not_edited() -> None:
    """The text is changed; the tool use keeps its id and `_meta`."""
    params = with_tools()
    texts = texts_of_parts(first_parts(params, WRITTEN)) | {"a.text.0": ["One moment."]}
    result = read_answer(params, texts, WRITTEN).result
    assert result is not None
    assert result["content"] == [{"type": "text", "text": "One moment."}, USE]
    assert (result["model"], result["stopReason"], result["_meta"]) == ("gpt", "toolUse", {"m": 2})


def test_removing_the_tool_use_ends_the_turn() -> None:
    """The server must not wait for a use that is gone."""
    params = with_tools()
    parts = remove_part(first_parts(params, WRITTEN), "1")
    result = read_answer(params, texts_of_parts(parts), WRITTEN).result
    assert result is not None
    assert (result["content"], result["stopReason"]) == (WRITTEN["content"][0], "endTurn")


def test_a_use_of_an_unknown_tool_is_kept_or_removed() -> None:
    """A model may use a tool that the server does not have, so the card cannot show a form for it."""
    invented = {**WRITTEN, "content": [{"type": "tool_use", "id": "1", "name": "rm", "input": {}}]}
    [part] = first_parts(with_tools(), invented)
    assert part.kind == "kept"
    assert [each.kind for each in remove_part([part], "0")] == ["text"]


@each_row("value", ["", "text", "text.x..", "use.0.9.", "kept.0..", "kept.0..7", "use.100.0.", "a.b.c.d"])
def test_nonsense_parts_are_ignored(value: str) -> None:
    """Only what the card shows is a part."""
    assert read_parts(with_tools(), {"part": [value]}) == []


def test_entries_within_a_tool_form_can_be_added() -> None:
    """A list in the arguments has its own buttons, also in the second of two tools."""
    tool = {
        "name": "t",
        "inputSchema": {
            "type": "object",
            "properties": {
                "tags": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}
            },
        },
    }
    params = sampling_params("a", tools=[tool])
    parts = add_use(params, add_use(params, [], "0"), "0")
    changed, focus = edit_part(parts, "add f100")
    assert changed[0] == parts[0]
    assert focus.startswith("f100")
    texts = texts_of_parts(changed) | {"f100.0.f0": ["x"]}
    assert changed[1].texts != parts[1].texts
    assert len(read_answer(params, texts).parts) == 2


def test_a_secret_in_the_answer_is_noticed() -> None:
    """What a person types for a model is as easily a secret as in a form."""
    answer = read_answer(
        sampling_params("a"), {"part": ["text.0.."], "a.text.0": ["sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"]}
    )
    assert set(answer.secrets) == {0}
