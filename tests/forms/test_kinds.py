"""The kind of control that a property becomes: null, several types, no type, and none that fits (points 38 and 44)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.forms.filling import field_of, form_of, post, render, schema_of
from tests.tables import each_row
from webclient.content.forms.fields import read_arguments, read_form
from webclient.content.forms.validation import check, check_arguments, prefilled

NESTED = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        {"oneOf": [{"type": "null"}, {"type": "integer"}]},
        {"type": ["integer", "null"], "default": None},
        {"anyOf": [{"$ref": "#/$defs/Int"}, {"const": None}]},
    ],
)
def test_point_38_a_nullable_field_may_be_left_out(schema: dict[str, Any]) -> None:
    form = read_form({**schema_of(it=schema), "$defs": {"Int": {"type": "integer"}}})
    assert form.fields[0].kind == "integer"
    assert form.fields[0].constraints == ()
    assert post(form).content == {} == prefilled(form)
    assert post(form, {"f0": ["3"]}).content == {"it": 3}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"], "enum": ["a", "b", None]},
        {"enum": [None, "a", "b"]},
        {"anyOf": [{"const": "a"}, {"const": "b"}, {"type": "null"}]},
        {"anyOf": [{"oneOf": [{"const": "a"}, {"const": "b"}]}, {"type": "null"}], "default": None},
        {"oneOf": [{"enum": ["a", "b"], "type": "string"}, {"enum": [None]}]},
    ],
)
def test_point_38_null_is_dropped_from_the_options(schema: dict[str, Any]) -> None:
    form = form_of(it=schema)
    assert [option.text for option in form.fields[0].options] == ["a", "b"]
    assert form.fields[0].constraints == ()
    assert post(form).content == {}
    assert post(form, {"f0": ["1"]}).content == {"it": "b"}
    assert "Null is never sent" in check(form.schema, {"it": None})["it"]


def test_point_38_null_is_never_sent() -> None:
    assert "null is never sent" in str(field_of({"type": "null"}).reason)
    assert check(schema_of(it={"type": "null"}), {"it": None}) != {}


def test_point_38_the_first_type_that_fits_is_used() -> None:
    field = field_of({"anyOf": [{"type": "object"}, {"type": "integer"}, {"type": "string"}]})
    assert field.kind == "integer"
    assert "object, string" in field.constraints[-1]
    assert field_of({"type": ["string", "integer"]}).kind == "text"


@each_row(
    "schema",
    [
        NESTED,
        {"type": "array", "items": NESTED},
        {"type": "array", "items": {"type": "integer"}},
        {"type": "array", "items": {"minimum": 1}},
        {"type": "array", "items": {"enum": [1, 2]}},
        {"type": "mystery"},
        {"minProperties": 1},
        {"default": {"a": 1}},
        False,
        "string",
    ],
)
def test_point_44_an_unsendable_property_is_omitted(schema: Any) -> None:
    optional = form_of(it=schema)
    assert (optional.unanswerable, post(optional).content) == (None, {})
    assert "not sent" in render(optional)
    required = form_of("it", it=schema)
    assert "required field “it”" in str(required.unanswerable)
    assert post(required).errors


@each_row(
    ("schema", "typed", "sent", "said"),
    [
        ({}, "5", "5", "text"),
        (True, "", None, "text"),
        ({"not": {"type": "integer"}}, "x", "x", "text"),
        ({"default": 2}, "2.5", 2.5, "a number"),
        ({"default": True}, "no", False, "true or false"),
        ({"default": ["a"]}, "b", ["b"], "a list of texts"),
        ({"type": "array"}, "a\r\nb", ["a", "b"], "a list of texts"),
        ({"type": "array", "items": True, "minItems": 1}, "a", ["a"], "a list of texts"),
    ],
)
def test_point_44_an_untyped_property_has_a_guessed_type(schema: Any, typed: str, sent: Any, said: str) -> None:
    form = form_of("it", it=schema)
    assert form.unanswerable is None
    assert f"Sent as {said} (" in render(form)
    assert post(form, {"f0": [typed]}).content.get("it") == sent


@pytest.mark.parametrize(
    ("schema", "typed", "sent"),
    [
        ({"minimum": 3}, "3.5", 3.5),
        ({"multipleOf": 2}, "4", 4),
        ({"maxLength": 2}, "ab", "ab"),
        ({"uniqueItems": True}, "a\nb", ["a", "b"]),
        ({"type": "array", "items": {"minLength": 2}}, "ab", ["ab"]),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, "ab", ["ab"]),
    ],
)
def test_point_44_keywords_imply_a_missing_type(schema: Any, typed: str, sent: Any) -> None:
    form = form_of("it", it=schema)
    assert form.unanswerable is None
    assert (post(form, {"f0": [typed]}).content, post(form, {"f0": [typed]}).errors) == ({"it": sent}, {})


@each_row("value", [None, {}, {"a": 1}, [1], [["a"]], [None], ["\ud800"], float("inf")])
def test_point_44_content_has_only_sendable_types(value: Any) -> None:
    assert "list of texts" in check({}, {"it": value})["it"]
    assert check({}, {"it": ["a"], "n": 1, "b": True, "f": 0.5, "s": ""}) == {}


def test_point_44_arguments_of_a_tool_may_nest() -> None:
    schema = schema_of(it=NESTED)
    assert check_arguments(schema, {"it": {"a": "x"}}) == {}
    assert check_arguments(schema, {"it": {"a": 1}}) == {"it": "At a: Expected a text."}
    assert read_form(schema).fields[0].kind == "unfillable"
    assert read_arguments(schema).fields[0].kind == "group"


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"$ref": "https://example.com/x"}, {"type": "integer"}]},
        {"oneOf": [False, {"type": "integer"}, {"$ref": "#/$defs/None"}]},
    ],
)
def test_point_44_one_readable_branch_is_enough(schema: Any) -> None:
    form = form_of("it", it=schema)
    assert (form.unanswerable, form.fields[0].kind) == (None, "integer")
    assert post(form, {"f0": ["3"]}).errors == {}
