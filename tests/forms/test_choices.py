"""Choices in every spelling (points 26 to 33)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.forms.filling import Page, answer, field_of, form_of, post, render
from tests.tables import each_row
from webclient.content.forms.validation import check, prefilled

CONSTANTS = [{"const": "a", "title": "Apple"}, {"const": "b", "title": "Banana", "description": "Yellow"}]


def labels(schema: Any) -> list[str]:
    """Return the options as a person reads them."""
    return [option.text for option in field_of(schema).options]


@each_row(
    ("schema", "shown"),
    [
        ({"enum": ["a", "b"]}, ["a", "b"]),
        ({"type": "string", "enum": ["a", "b"], "enumNames": ["Apple", "Banana"]}, ["Apple", "Banana"]),
        ({"type": "string", "enum": ["a", "b"], "enumNames": ["Apple"]}, ["a", "b"]),
        ({"type": "string", "enum": ["a", "b"], "enumNames": ["Apple", 2]}, ["a", "b"]),
        ({"type": "string", "oneOf": CONSTANTS}, ["Apple", "Banana — Yellow"]),
        ({"anyOf": CONSTANTS}, ["Apple", "Banana — Yellow"]),
        ({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}, ["a", "b"]),
        ({"type": "array", "items": {"anyOf": CONSTANTS}}, ["Apple", "Banana — Yellow"]),
        ({"type": "array", "items": {"oneOf": CONSTANTS}}, ["Apple", "Banana — Yellow"]),
        ({"items": {"enum": ["a", "b"], "enumNames": ["Apple", "Banana"]}}, ["Apple", "Banana"]),
    ],
)
def test_point_26_every_spelling_of_a_choice(schema: dict[str, Any], shown: list[str]) -> None:
    form = form_of(it=schema)
    assert labels(schema) == shown
    value = post(form, {"f0": ["1"]}).content["it"]
    assert value == (["b"] if form.fields[0].kind == "choices" else "b")


def test_point_27_a_value_that_is_not_a_text_keeps_its_type() -> None:
    form = form_of(it={"enum": [1, 2.5, True, "1"]})
    sent = [post(form, {"f0": [str(index)]}).content["it"] for index in range(4)]
    assert [(value, type(value)) for value in sent] == [(1, int), (2.5, float), (True, bool), ("1", str)]


def test_point_27_a_list_of_texts_can_be_an_option() -> None:
    schema = {"type": "array", "enum": [["a", "b"], [], ["a", "b"], ["c"]], "default": ["c"]}
    assert labels(schema) == ['["a", "b"]', "[]", '["c"]']
    form = form_of("it", it=schema)
    assert prefilled(form) == post(form).content == {"it": ["c"]}
    assert [post(form, {"f0": [key]}).content for key in "01"] == [{"it": ["a", "b"]}, {"it": []}]


@pytest.mark.parametrize(("default", "index"), [(True, "1"), (1, "0"), (1.0, "0"), ("1", "2")])
def test_point_27_a_default_is_found_by_value_and_type(default: object, index: str) -> None:
    assert form_of(it={"enum": [1, True, "1"], "default": default}).texts == {"f0": [index]}


def test_point_27_unsendable_values_are_dropped_from_the_options() -> None:
    assert labels({"enum": ["a", None, {"b": 1}, [1]]}) == ["a"]
    assert labels({"type": "string", "enum": ["a", 1]}) == ["a"]
    assert field_of({"enum": [None]}).kind == "unfillable"
    assert field_of({"enum": []}).reason == "None of its options can be sent in an answer."


def test_point_28_equal_titles_get_their_values_beside_them() -> None:
    twice = [{"const": "x1", "title": "Same"}, {"const": "x2", "title": "Same"}, {"const": "y", "title": "Other"}]
    assert labels({"oneOf": twice}) == ["Same — x1", "Same — x2", "Other"]
    hidden = [{"const": "a b", "title": "T"}, {"const": "a  b", "title": "T"}]
    assert labels({"oneOf": hidden}) == ["1. T — a b", "2. T — a b"]


def test_point_28_equal_values_are_one_option() -> None:
    assert labels({"enum": ["a", "b", "a", 1, 1.0, True]}) == ["a", "b", "1", "true"]
    twice = {"oneOf": [{"const": "a", "title": "One"}, {"const": "a", "title": "Two"}]}
    assert labels(twice) == ["One"]
    assert check({"properties": {"it": twice}}, {"it": "a"}) == {}


@pytest.mark.parametrize("default", ["z", 1, None, ["a"]])
def test_point_29_a_default_outside_the_options_selects_nothing(default: object) -> None:
    form = form_of(it={"type": "string", "enum": ["a", "b"], "default": default})
    assert prefilled(form) == {} == post(form).content


@pytest.mark.parametrize("default", ["z", ["a", "z"], ["a", "a"], 1, [["a"]], None])
def test_point_29_a_list_with_an_unknown_default_selects_nothing(default: object) -> None:
    form = form_of(it={"type": "array", "items": {"enum": ["a", "b"]}, "default": default})
    assert prefilled(form) == {} == post(form).content


@pytest.mark.parametrize(
    ("count", "widget"),
    [(2, "radios"), (5, "radios"), (6, "select"), (20, "select"), (21, "combobox"), (800, "combobox")],
)
def test_point_30_the_number_of_options_decides_the_control(count: int, widget: str) -> None:
    form = form_of(it={"enum": [f"option {index}" for index in range(count)], "default": "option 1"})
    assert form.fields[0].widget == widget
    assert post(form, dict(_untouched(form))).content == {"it": "option 1"}


def _untouched(form: Any) -> list[tuple[str, list[str]]]:
    return [(name, [text]) for name, text in Page(render(form)).posted()]


def test_point_30_a_combobox_accepts_its_listed_texts_only() -> None:
    schema = {"enum": [f"option {index}" for index in range(300)]}
    assert answer(schema, "option 299") == "option 299"
    assert "from the list" in str(answer(schema, "option 300"))
    page = Page(render(form_of(it=schema)))
    assert len(page.all("datalist")) == 1
    assert len(page.all("option")) == 300


def test_point_31_a_required_choices_only_option_is_selected() -> None:
    form = form_of("it", it={"enum": ["only"]})
    assert form.texts == {"f0": ["0"]}
    assert form.fields[0].kind == "choice"
    assert prefilled(form) == post(form).content == {"it": "only"}
    assert form_of(it={"enum": ["only"]}).texts == {"f0": [""]}
    assert prefilled(form_of("it", it={"enum": ["only"], "minLength": 5})) == {}


def test_point_32_choices_keep_the_schemas_order_and_bounds() -> None:
    schema = {"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 1, "maxItems": 2}
    assert answer(schema, "2", "0") == ["a", "c"]
    assert "at most 2 (now 3)" in str(answer(schema, "0", "1", "2"))
    assert "Choose 1 to 2." in field_of(schema).constraints
    assert isinstance(answer(schema, empty="1"), ValueError)


def test_point_32_an_empty_optional_list_is_left_out() -> None:
    assert answer({"type": "array", "items": {"enum": ["a"]}}, required=False, empty="1") is None


def test_point_32_a_lone_default_is_taken_for_a_list_of_one() -> None:
    form = form_of(it={"type": "array", "items": {"enum": ["a", "b"]}, "default": "b"})
    assert prefilled(form) == {"it": ["b"]} == post(form).content


def test_point_32_a_default_list_can_be_emptied_on_purpose() -> None:
    form = form_of(it={"type": "array", "items": {"enum": ["a", "b"]}, "default": ["b"]})
    assert post(form, {"f0": []}).content == {}
    assert post(form, {"f0": [], "f0.empty": ["1"]}).content == {"it": []}


def test_point_32_a_list_of_free_texts_is_typed_line_by_line() -> None:
    schema = {"type": "array", "items": {"type": "string", "maxLength": 5}, "uniqueItems": True}
    assert answer(schema, "one\r\n\r\n two ") == ["one", " two "]
    assert "Entry 2: Enter at most 5 characters" in str(answer(schema, "one\ntoo long"))
    assert "appears twice" in str(answer(schema, "a\na"))
    assert "Each only once." in field_of(schema).constraints


@pytest.mark.parametrize("default", [["a\nb"], ["a", ""], ["a\r"], ["\0"]])
def test_point_32_lines_do_not_suggest_what_a_line_cannot_hold(default: list[str]) -> None:
    form = form_of(it={"type": "array", "items": {"type": "string"}, "default": default})
    assert prefilled(form) == {} == post(form).content


@pytest.mark.parametrize("value", ["v1", 3, False, ["a", "b"], ""])
def test_point_33_a_constant_is_shown_and_sent_as_it_is(value: object) -> None:
    form = form_of("it", it={"const": value})
    assert prefilled(form) == {"it": value} == post(form).content
    assert Page(render(form)).all("input") == []
    assert "Fixed value" in render(form)


def test_point_33_a_constant_that_no_answer_can_hold_is_not_sent() -> None:
    assert field_of({"const": None}).kind == "unfillable"
    assert field_of({"const": {"a": 1}}).kind == "unfillable"
