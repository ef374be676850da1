"""Numbers: one strict grammar, nothing guessed, nothing invented (points 16 to 23)."""

from __future__ import annotations

import pytest

from tests.forms.filling import Page, answer, field_of, form_of, post, render
from tests.tables import each_row
from webclient.content.forms.review import review
from webclient.content.forms.validation import check
from webclient.content.forms.writing import json_text

NUMBER = {"type": "number"}
INTEGER = {"type": "integer"}


@each_row("text", ["1_000", "٣", " 1", "1 ", "+5", "0x10", ".5", "5.", "007", "--1", "1e", "a", "½", "1\n"])
def test_point_16_only_plain_ascii_numbers_are_read(text: str) -> None:
    assert isinstance(answer(NUMBER, text), ValueError)
    assert isinstance(answer(INTEGER, text), ValueError)


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("-12", -12), ("2.5", 2.5), ("1e3", 1000.0), ("-0.25", -0.25)])
def test_point_16_a_number_keeps_its_type(text: str, value: float) -> None:
    read = answer(NUMBER, text)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(("text", "instead"), [("+5", "Enter 5."), ("007", "Enter 7."), ("-01.5", "Enter -1.5.")])
def test_point_16_the_sentence_says_what_to_type(text: str, instead: str) -> None:
    assert instead in str(answer(NUMBER, text))


def test_point_17_a_whole_number_is_an_integer_in_any_spelling() -> None:
    read = answer(INTEGER, "1.0")
    assert (read, type(read)) == (1, int)
    assert "whole number" in str(answer(INTEGER, "1.5"))
    assert "Enter 1000." in str(answer(INTEGER, "1e3"))


@each_row("text", ["NaN", "nan", "Infinity", "-inf", "1e999", "-1e999", "9" * 400, "1e99999999999", "1e" + "9" * 30])
def test_point_18_no_number_is_not_a_number(text: str) -> None:
    assert isinstance(answer(NUMBER, text), ValueError)
    assert isinstance(answer(INTEGER, text), ValueError)
    assert check({"properties": {"it": NUMBER}}, {"it": float("nan")}) != {}


@pytest.mark.parametrize("text", ["1e-" + "9" * 30, "0e" + "9" * 30, "1.5e-" + "9" * 20])
def test_point_18_an_exponent_beyond_all_measure_gets_a_sentence(text: str) -> None:
    assert "too long" in str(answer(NUMBER, text))
    assert "too long" in str(answer(INTEGER, text))
    with pytest.raises(ValueError, match="too long"):
        json_text.read_json(f'{{"it": {text}}}')


def test_point_19_a_large_integer_is_exact_and_has_a_warning() -> None:
    form = form_of(it=INTEGER)
    parsed = post(form, {"f0": ["9007199254740993"]})
    assert parsed.content == {"it": 9007199254740993}
    assert review(form, parsed.content, {}).inexact == ("it",)
    assert review(form, {"it": -(2**53) - 1, "m\u200bore": 10**20}, {}).inexact == ("it", "m⟦U+200B⟧ore")
    assert review(form, {"it": 2**53, "more": True, "text": "9" * 20}, {}).inexact == ()


def test_point_19_a_fraction_never_loses_digits_in_silence() -> None:
    assert "Enter 0.12345678901234568." in str(answer(NUMBER, "0.1234567890123456789"))


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"exclusiveMinimum": 3}, "3.1", "3"),
        ({"exclusiveMaximum": 3}, "2.9", "3"),
        ({"minimum": 3, "exclusiveMinimum": True}, "4", "3"),
        ({"minimum": 3, "exclusiveMinimum": False}, "3", "2"),
        ({"maximum": 3, "exclusiveMaximum": True}, "2", "3"),
        ({"multipleOf": 0.1}, "0.3", "0.35"),
        ({"multipleOf": 0.01}, "1.15", "1.155"),
    ],
)
def test_point_20_bounds_of_both_dialects_and_decimal_steps(schema: dict[str, object], good: str, bad: str) -> None:
    assert answer({**NUMBER, **schema}, good) == float(good)
    assert isinstance(answer({**NUMBER, **schema}, bad), ValueError)


def test_point_21_a_comma_is_never_guessed_at() -> None:
    form = form_of(it=NUMBER)
    parsed = post(form, {"f0": ["1,234"]})
    assert "without commas" in parsed.errors["it"]
    assert 'value="1,234"' in render(form, parsed.texts, parsed.errors)


def test_point_22_no_number_is_invented() -> None:
    schema = {"type": "integer", "minimum": 3}
    assert answer(schema, "", required=False) is None
    assert isinstance(answer(schema, "", required=True), ValueError)
    (control,) = Page(render(form_of("it", it=schema))).all("input")
    assert control["value"] == ""


@pytest.mark.parametrize(
    ("schema", "hint"),
    [
        ({"minimum": 1, "maximum": 5}, "From 1 to 5."),
        ({"minimum": 1}, "1 or more."),
        ({"maximum": 5}, "5 or less."),
        ({"exclusiveMinimum": 0}, "More than 0."),
        ({"maximum": 3, "exclusiveMaximum": True}, "Less than 3."),
        ({"multipleOf": 5}, "A multiple of 5."),
    ],
)
def test_point_23_bounds_can_be_read_before_typing(schema: dict[str, object], hint: str) -> None:
    assert hint in field_of({**NUMBER, **schema}).constraints
    assert hint in render(form_of(it={**NUMBER, **schema}))
