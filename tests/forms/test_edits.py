"""The buttons within a form: entries come and go, JSON and back, and nothing else changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.tables import each_row
from webclient.content.forms.edits import edit
from webclient.content.forms.field import MOST_ENTRIES
from webclient.content.forms.fields import read_arguments

FORM = read_arguments(
    {
        "type": "object",
        "properties": {
            "lines": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
            "names": {"type": "object", "additionalProperties": {"type": "string"}},
            "other": {"type": "string"},
        },
    }
)
TYPED = {"f0.items": ["0", "7"], "f0.0.0": ["1"], "f0.7.0": ["a lot"], "f2": ["x"]}


def test_an_added_entry_has_a_key_of_its_own_and_the_focus() -> None:
    edited = edit(FORM, TYPED, "add f0")
    assert edited.texts == {**TYPED, "f0.items": ["0", "7", "8"], "f0.8.0": [""]}
    assert (edited.focus, edited.said) == ("f0.8-entry", "Entry 3 was added.")
    assert edit(FORM, {}, "add f1").texts == {"f1.items": ["0"], "f1.0.key": [""], "f1.0": [""]}


def test_a_removed_entry_takes_only_its_own_controls_along() -> None:
    edited = edit(FORM, TYPED, "remove f0.0")
    assert edited.texts == {"f0.items": ["7"], "f0.7.0": ["a lot"], "f2": ["x"]}
    assert (edited.focus, edited.said) == ("f0", "Entry 1 was removed.")


def test_a_list_becomes_json_and_back_with_unreadable_entries() -> None:
    written = edit(FORM, TYPED, "json f0").texts
    assert json.loads(written["f0.json"][0]) == [{"n": 1}, {"n": "a lot"}]
    again = edit(FORM, written, "fields f0").texts
    assert again == {"f0.items": ["0", "1"], "f0.0.0": ["1"], "f0.1.0": ["a lot"], "f2": ["x"]}


@pytest.mark.parametrize("text", ['{"n": 1}', "[", "null"])
def test_json_that_the_fields_cannot_hold_stays_with_a_sentence(text: str) -> None:
    edited = edit(FORM, {"f0.json": [text]}, "fields f0")
    assert edited.texts == {"f0.json": [text]}
    assert edited.wrong["f0"].endswith(".")


@each_row(
    "wanted",
    ["", "add", "add f9", "add f2", "add f0.0", "remove f0", "remove f0.5", "remove f2.0", "drop f0", "add ../f0"],
)
def test_a_button_that_is_not_there_changes_nothing(wanted: str) -> None:
    assert edit(FORM, TYPED, wanted).texts == TYPED


def test_a_list_has_an_end() -> None:
    full: dict[str, Any] = {"f0.items": [str(n) for n in range(MOST_ENTRIES)]}
    edited = edit(FORM, full, "add f0")
    assert edited.texts == full
    assert "200" in edited.wrong["f0"]
