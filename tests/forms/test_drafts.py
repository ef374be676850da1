"""Drafts: which typed texts are saved, and how the form looks when they come back."""

from __future__ import annotations

from typing import Any

import pytest

from webclient.content.forms.drafts import as_posted, draftable, touched, withheld_fields
from webclient.content.forms.fields import read_arguments, read_form
from webclient.content.forms.form import Form
from webclient.content.forms.json_form import JSON_CONTROL
from webclient.content.forms.parse import parse

CARD = "4111 1111 1111 1111"
KEY = "ghp_" + "a1B2" * 9


def a_form(**properties: Any) -> Form:
    return read_form({"type": "object", "properties": properties})


NAME = {"type": "string", "title": "Your name"}
MEALS = {"type": "array", "items": {"enum": ["a", "b"]}, "default": ["a"]}


def test_a_draft_comes_back_as_it_was_typed() -> None:
    form = a_form(name=NAME, age={"type": "integer"}, when={"type": "string", "format": "date-time"}, meals=MEALS)
    posted = [("f0", " Ada\nof "), ("f1", "not yet"), ("f2", "2026-07-01"), ("f2.zone", "+02:00"), ("f3", "1")]
    typed = parse(form, posted).texts
    again = parse(form, as_posted(form, draftable(form, typed)))
    assert again.texts == typed
    assert withheld_fields(form, draftable(form, typed)) == []


def test_a_cleared_field_does_not_return_to_its_default() -> None:
    form = a_form(name={**NAME, "default": "Ada"}, meals=MEALS)
    again = parse(form, as_posted(form, draftable(form, parse(form, [("f0", "")]).texts)))
    assert again.content == {}


@pytest.mark.parametrize(
    ("posted", "expected"),
    [
        ([("f0", ""), ("f1", ""), ("f1.zone", "Europe/Berlin"), ("f2", "0"), ("f3", "")], []),
        ([("f0", "Ada"), ("f2", "0")], ["f0"]),
        ([("f1", "2026-07-01T09:30"), ("f1.zone", "UTC"), ("f2", "0")], ["f1"]),
        ([("f0", "")], ["f2"]),
        ([("f2", "0"), ("f3", ""), ("f3.empty", "1")], ["f3"]),
    ],
)
def test_a_field_counts_as_touched_if_its_text_changed(posted: Any, expected: list[str]) -> None:
    """A zone without a date is none that anybody chose, and an empty text is none."""
    lines = {"type": "array", "items": {"type": "string"}}
    form = a_form(name=NAME, when={"type": "string", "format": "date-time"}, meals=MEALS, notes=lines)
    assert [field.control for field in touched(form, parse(form, posted).texts)] == expected


@pytest.mark.parametrize(
    "field",
    [
        {"type": "string", "title": "API key"},
        {"type": "string", "format": "password"},
        {"type": "string", "description": "Enter your password"},
        {"type": "integer", "title": "PIN"},
        {"type": "string", "title": "请输入密码"},
        {"type": "array", "items": {"type": "string"}, "title": "Recovery codes"},
    ],
)
def test_a_field_that_asks_for_a_secret_is_never_kept(field: Any) -> None:
    form = a_form(name=NAME, other=field)
    draft = draftable(form, {"f0": ["Ada"], "f1": ["1234"], "f1.empty": ["1"]})
    assert draft["f0"] == ["Ada"]
    assert not [control for control in draft if control.startswith("f1")]
    assert [each.name for each in withheld_fields(form, draft)] == ["other"]


@pytest.mark.parametrize("text", [CARD, KEY, f"my key is {KEY}, thanks"])
@pytest.mark.parametrize("field", [NAME, {"type": "string", "format": "email"}, {"type": "number"}])
def test_a_text_that_looks_like_a_secret_is_kept_nowhere(text: str, field: Any) -> None:
    form = a_form(name=NAME, other=field)
    draft = draftable(form, {"f0": ["Ada"], "f1": [text]})
    assert draft["f0"] == ["Ada"]
    assert text not in str(draft)
    assert [each.name for each in withheld_fields(form, draft)] == ["other"]


@pytest.mark.parametrize("key", [KEY, "sk-proj-a1B2c3", "AKIAIOSFODNN7EXAMPLE", "eyJhbGciOiJIUzI1NiJ9.eyJ", "glpat-a1"])
def test_the_beginning_of_a_key_is_not_saved_in_a_draft(key: str) -> None:
    form = a_form(name=NAME, other=NAME)
    for length in range(6, len(key) + 1):
        assert "f1" not in draftable(form, {"f0": ["Ada"], "f1": [f"it is {key[:length]}"]})
        assert draftable(form, {JSON_CONTROL: [f'{{"other": "{key[:length]}", "name": "Ada"}}']}) == {}


@pytest.mark.parametrize("text", ["sk-learn is a library", "task-1", "hf_ and so on", "a desk-", "AKIA was it"])
def test_a_text_that_only_starts_like_a_key_is_saved(text: str) -> None:
    assert draftable(a_form(name=NAME), {"f0": [text]})["f0"] == [text]


def test_a_secret_in_a_second_control_is_not_saved_in_a_draft() -> None:
    form = a_form(when={"type": "string", "format": "date-time"})
    assert draftable(form, {"f0": ["2026-07-01T09:30"], "f0.zone": [KEY]}) == {}


def test_a_message_that_asks_for_a_secret_covers_all_text_fields() -> None:
    form = a_form(value={"type": "string"}, mail={"type": "string", "format": "email"})
    texts = {"f0": ["hunter2"], "f1": ["ada@example.com"]}
    assert set(draftable(form, texts, "Please enter your password.")) == {"f1", "f1.zone", "f1.empty"}
    assert draftable(form, texts, "Please enter your name.")["f0"] == ["hunter2"]


def test_a_withheld_field_comes_back_as_first_shown() -> None:
    form = a_form(name=NAME, token={"type": "string", "default": "none yet"})
    draft = draftable(form, {"f0": ["Ada"], "f1": ["hunter2"]})
    assert parse(form, as_posted(form, draft)).content == {"name": "Ada", "token": "none yet"}


def test_constants_are_neither_saved_nor_reported_as_withheld() -> None:
    form = a_form(fixed={"const": "x"}, nested={"type": "object", "properties": {}})
    assert draftable(form, {"f0": ["y"]}) == {}
    assert withheld_fields(form, {}) == []


def test_json_is_kept_as_it_was_typed() -> None:
    form = a_form(name=NAME)
    draft = draftable(form, {JSON_CONTROL: ['{"name": ']})
    assert draft == {JSON_CONTROL: ['{"name": ']}
    assert withheld_fields(form, draft) == []
    assert as_posted(form, draft) == [(JSON_CONTROL, '{"name": ')]


def test_json_that_may_hold_a_secret_is_not_kept() -> None:
    assert draftable(a_form(name=NAME), {JSON_CONTROL: [f'{{"name": "{KEY}"}}']}) == {}
    assert draftable(a_form(name=NAME, token=NAME), {JSON_CONTROL: ['{"name": "Ada", "tok']}) == {}


NESTED = read_arguments(
    {
        "type": "object",
        "properties": {
            "options": {"type": "object", "properties": {"n": {"type": "integer"}, "day": {"format": "date-time"}}},
            "lines": {"type": "array", "items": {"type": "integer"}},
            "headers": {"type": "object", "additionalProperties": {"type": "string"}},
            "sign_in": {"type": "object", "properties": {"user": {"type": "string"}, "password": {"type": "string"}}},
        },
        "required": ["lines"],
    }
)


def test_values_inside_others_are_saved_and_come_back() -> None:
    typed = {"f0.0": ["five"], "f1.items": ["0", "4"], "f1.0": ["1"], "f1.4": ["x"]}
    saved = draftable(NESTED, typed)
    assert {name: typed for name, typed in saved.items() if typed} == typed
    back = parse(NESTED, as_posted(NESTED, saved)).texts
    assert {name: back.get(name) for name in typed} == typed
    assert {each.name for each in touched(NESTED, typed)} == {"options", "lines"}


def test_an_entry_that_was_removed_stays_removed() -> None:
    assert "f1.items" in NESTED.texts
    assert "f1.items" not in dict(as_posted(NESTED, draftable(NESTED, {"f0.0": ["1"]})))


def test_a_time_zone_without_a_date_changes_nothing_in_a_group() -> None:
    assert touched(NESTED, {**NESTED.texts, "f0.1.zone": ["Europe/Berlin"]}) == []


@pytest.mark.parametrize(
    "typed",
    [
        {"f3.1": ["hunter2"]},
        {"f2.items": ["0"], "f2.0.key": ["api_key"], "f2.0": ["abc"]},
        {"f2.items": ["0"], "f2.0.key": ["X-Trace"], "f2.0": [KEY]},
        {"f0.json": ['{"n": "' + KEY + '"}']},
    ],
)
def test_a_secret_inside_a_value_is_not_saved(typed: Any) -> None:
    saved = draftable(NESTED, typed)
    assert not any(name in saved for name in typed)
