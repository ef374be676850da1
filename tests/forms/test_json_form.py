"""The same answer in fields and as JSON: the same checks, and nothing typed is lost on the way."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tests.forms.filling import form_of, pairs, post
from tests.forms.test_any_form import STEADY, exact, filled_forms
from tests.tables import each_row
from webclient.content.forms.fields import Form, read_arguments, read_form
from webclient.content.forms.json_form import JSON_CONTROL, fields_from_json, json_from_fields, parse_json
from webclient.content.forms.parse import parse

FORM = form_of(
    "name",
    name={"type": "string"},
    count={"type": "integer", "maximum": 9},
    day={"type": "string", "format": "date"},
    moment={"type": "string", "format": "date-time"},
    sure={"type": "boolean"},
    size={"enum": ["S", "M"]},
    town={"enum": [f"Town {n}" for n in range(40)]},
    tags={"type": "array", "items": {"enum": ["a", "b"]}},
    lines={"type": "array", "items": {"type": "string"}},
    fixed={"const": "v1"},
    group={"type": "object"},
)


def as_fields(form: Form, content: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str], dict[str, Any]]:
    """Fill the fields in from JSON; return their content, errors and what has no place."""
    texts, left = fields_from_json(form, json.dumps(content))
    parsed = parse(form, pairs(texts))
    return parsed.content, parsed.errors, left


@each_row(
    ("text", "wrong"),
    [
        ('{"name": "Ada", "count": 10}', "count"),
        ('{"name": "Ada", "count": "1"}', "count"),
        ('{"name": "Ada", "count": null}', "count"),
        ('{"name": "Ada", "size": "XL"}', "size"),
        ('{"name": "Ada", "group": {}}', "group"),
        ('{"name": "\\ud800"}', "name"),
        ('{"count": 1}', "name"),
        ("[]", ""),
        ("{", ""),
        ("null", ""),
    ],
)
def test_json_is_checked_like_fields_with_errors_by_name(text: str, wrong: str) -> None:
    parsed = parse_json(FORM, text)
    assert list(parsed.errors) == [wrong]
    assert parsed.texts == {JSON_CONTROL: [text]}


def test_null_is_never_sent_also_where_the_schema_would_take_it() -> None:
    nullable = form_of(it={"type": ["string", "null"]})
    assert "never sent" in parse_json(nullable, '{"it": null}').errors["it"]


def test_json_is_sent_as_it_is_written() -> None:
    parsed = parse_json(FORM, '{"lines": ["x"], "name": "", "count": 1.0, "extra": 7}')
    assert exact(parsed.content) == exact({"lines": ["x"], "name": "", "count": 1.0, "extra": 7})
    assert parsed.errors == {}


def test_an_unanswerable_form_cannot_be_answered_as_json() -> None:
    form = form_of("ghost", it={"type": "string"})
    assert parse_json(form, '{"ghost": 1}').errors == {"": form.unanswerable}


def test_unreadable_fields_become_json_as_typed_and_come_back() -> None:
    typed = {
        "f0": ["Ada\nLovelace"],
        "f1": ["a lot"],
        "f2": ["2024-02-31"],
        "f3": ["soon"],
        "f3.zone": ["+02:00"],
        "f6": ["Atlantis"],
    }
    text = json_from_fields(FORM, post(FORM, typed))
    assert json.loads(text) == {
        "name": "Ada\nLovelace",
        "count": "a lot",
        "day": "2024-02-31",
        "moment": "soon +02:00",
        "town": "Atlantis",
        "fixed": "v1",
    }
    texts, left = fields_from_json(FORM, text)
    assert left == {}
    shown = {control: texts[control][0] for control in ("f0", "f1", "f2", "f3", "f6")}
    assert list(shown.values()) == ["Ada\nLovelace", "a lot", "2024-02-31", "soon +02:00", "Atlantis"]


def test_a_text_sent_empty_becomes_json_and_comes_back() -> None:
    text = json_from_fields(FORM, post(FORM, {"f0": [""], "f0.empty": ["1"]}))
    assert json.loads(text) == {"name": "", "fixed": "v1"}
    assert as_fields(FORM, {"name": ""})[0] == {"name": "", "fixed": "v1"}


@each_row(
    "content",
    [
        {"extra": 5},
        {"sure": "maybe"},
        {"size": ["S"]},
        {"tags": ["a", "c"]},
        {"lines": ["a\nb"]},
        {"fixed": "v2"},
        {"group": {"a": 1}},
        {"name": 7},
        {"name": "a\rb"},
        {"name": "\ud800"},
        {"day": {"a": [1]}},
    ],
)
def test_a_value_without_a_field_is_named(content: dict[str, Any]) -> None:
    assert as_fields(FORM, content)[2] == content


def test_null_becomes_a_field_that_is_left_out() -> None:
    assert as_fields(FORM, {"name": "Ada", "count": None}) == ({"name": "Ada", "fixed": "v1"}, {}, {})


@pytest.mark.parametrize("text", ["{", "[]", '"x"', "1"])
def test_json_that_is_not_an_object_does_not_become_fields(text: str) -> None:
    with pytest.raises(ValueError, match=r"not JSON|Expected an object"):
        fields_from_json(FORM, text)


def test_a_default_missing_in_the_json_is_cleared_in_the_fields() -> None:
    form = form_of(it={"type": "string", "default": "abc"}, sure={"type": "boolean", "default": True})
    assert as_fields(form, {})[0] == {}


@STEADY
@given(filled_forms())
def test_any_valid_content_goes_from_json_to_the_fields_and_back(case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    schema, content = case
    form = read_form(schema)
    texts, left = fields_from_json(form, json.dumps(content))
    assert left == {}
    parsed = parse(form, pairs(texts))
    assert json.loads(json_from_fields(form, parsed)) == content


def test_a_text_that_a_field_would_change_is_reported() -> None:
    form = form_of(it={"minimum": 3}, lines={"prefixItems": [{"type": "string"}]})
    assert fields_from_json(form, '{"it": "5", "lines": "a"}')[1] == {"it": "5", "lines": "a"}
    assert fields_from_json(form, '{"it": "five", "lines": ["a"]}')[1] == {}


def test_options_in_another_order_stand_in_their_boxes() -> None:
    form = form_of(it={"type": "array", "items": {"enum": ["a", "b"]}})
    texts, left = fields_from_json(form, '{"it": ["b", "a"]}')
    assert (set(texts["f0"]), left) == ({"0", "1"}, {})


def test_json_with_values_inside_others_goes_to_the_fields() -> None:
    form = read_arguments({"properties": {"a": {"type": "object", "properties": {"n": {"type": "integer"}}}}})
    texts, left = fields_from_json(form, '{"a": {"n": 5}, "b": 1}')
    assert (texts["f0.0"], left) == (["5"], {"b": 1})
