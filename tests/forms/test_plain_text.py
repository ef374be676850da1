"""A form as it was left, for a person to read and copy."""

from __future__ import annotations

from typing import Any

from tests.forms.filling import form_of, post
from tests.tables import each_row
from webclient.content.forms.json_form import parse_json
from webclient.content.forms.plain_text import LONGEST_VALUE, as_plain_text, in_words

FORM = form_of(
    n={"type": "number", "title": "Price"},
    sure={"type": "boolean", "title": "Sure"},
    one={"oneOf": [{"const": 1, "title": "First"}, {"const": 2, "title": "Second"}], "title": "One"},
    few={"type": "array", "items": {"enum": ["a", "b"]}, "title": "Few"},
    fixed={"const": "v1"},
)


def test_each_label_stands_beside_what_was_typed_or_chosen() -> None:
    parsed = post(FORM, {"f0": ["2.5"], "f1": ["no"], "f2": ["1"], "f3": ["0", "1"]})
    assert as_plain_text(FORM, parsed) == "Price: 2.5\nSure: No\nOne: Second\nFew: a, b"


def test_plain_text_has_unreadable_values_as_typed() -> None:
    parsed = post(FORM, {"f0": ["2,5 "], "f1": ["maybe"], "f2": ["7"], "f3": ["9"]})
    assert as_plain_text(FORM, parsed) == "Price: 2,5"


def test_json_is_as_it_was_written() -> None:
    assert as_plain_text(FORM, parse_json(FORM, '{"n": ')) == '{"n": '


def test_an_answer_in_words_has_labels_and_chosen_options() -> None:
    content = {"one": 2, "sure": False, "n": 2.5, "few": ["a", "b"], "fixed": "v1", "more": {"deep": True}}
    assert in_words(FORM, content) == [
        ("Price", "2.5"),
        ("Sure", "No"),
        ("One", "Second"),
        ("Few", "a, b"),
        ("fixed", "v1"),
        ("more", "deep: Yes"),
    ]


@each_row(
    ("value", "words"),
    [
        ("", "Empty text"),
        ([], "Nothing"),
        ({}, "Nothing"),
        (None, "None"),
        ("a\u202eb", "a⟦U+202E⟧b"),
        ([{"a": 1}, {"a": 2}], "a: 1\na: 2"),
        ("2026-12-26", "Dec 26, 2026"),
        ("someday", "someday"),
    ],
)
def test_each_sent_value_can_be_read_safely(value: Any, words: str) -> None:
    form = form_of(x={"type": "string", "format": "date"})
    assert in_words(form, {"x": value}) == [("x", words)]


def test_a_long_value_in_words_is_cut_and_counted() -> None:
    [(_label, words)] = in_words(form_of(x={"type": "string"}), {"x": "y" * 1000})
    assert words.startswith("y" * LONGEST_VALUE)
    assert "(700 more characters)" in words
