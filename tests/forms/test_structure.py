"""The form as a whole: its parts, order, size, required names and title (points 39 to 43, 47 and 48)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.forms.filling import form_of, post, render, schema_of
from webclient.content.forms.fields import MOST_FIELDS, read_arguments, read_form
from webclient.content.forms.schema import MOST_OPTIONS
from webclient.content.forms.validation import check, prefilled


def test_point_40_fields_come_in_the_order_of_the_schema() -> None:
    schema = json.loads('{"type": "object", "properties": {"b": {"type": "string"}, "10": true, "9": true, "a": true}}')
    assert [field.name for field in read_form(schema).fields] == ["b", "10", "9", "a"]


def test_point_41_a_required_name_without_field_is_unanswerable() -> None:
    form = form_of("ghost", it={"type": "string"})
    assert form.unanswerable == "The server requires “ghost”, but its form has no such field."
    assert form.unanswerable in render(form)
    assert form.unanswerable in post(form).errors.values()


def test_point_42_a_form_without_fields_asks_for_consent() -> None:
    form = form_of()
    assert (post(form).content, post(form).errors, prefilled(form)) == ({}, {}, {})
    assert "field__hint" not in render(form)


def test_point_43_additional_properties_are_kept_out() -> None:
    schema = {**schema_of(it={"type": "string"}), "additionalProperties": False}
    assert check(schema, {"it": "a"}) == {}
    assert list(check(schema, {"it": "a", "more": 1})) == ["more"]
    assert check(schema_of(it={"type": "string"}), {"more": 1}) == {}


def test_point_47_a_huge_form_has_sections_and_an_end() -> None:
    form = form_of(**{f"p{index}": {"type": "integer"} for index in range(45)})
    assert "Fields 41 to 45 of 45" in render(form)
    huge = form_of(**{f"p{index}": {"type": "integer"} for index in range(MOST_FIELDS + 5)})
    assert len(huge.fields) == MOST_FIELDS
    assert read_arguments(huge.schema).as_json
    assert "the first 1000 are shown" in huge.notes[0]
    required = read_form({**huge.schema, "required": [f"p{MOST_FIELDS}"]})
    assert required.unanswerable == "The server requires more fields than can be shown here: at most 1000."


@pytest.mark.parametrize(
    ("listing", "kind", "value"),
    [({"enum": []}, "text", "v3"), ({"type": "array", "items": {"enum": []}}, "lines", ["v3", "v2999"])],
)
def test_more_options_than_can_be_shown_are_typed(listing: dict[str, Any], kind: str, value: Any) -> None:
    """Ten thousand check boxes took seconds on every page with the card; what is typed is checked all the same."""
    listing = json.loads(json.dumps(listing).replace("[]", json.dumps([f"v{n}" for n in range(MOST_OPTIONS)])))
    form = form_of(a=listing, b=listing)
    assert (len(form.fields[0].options), form.fields[1].options) == (MOST_OPTIONS, ())
    assert form.fields[1].kind == kind
    assert check(form.schema, {"b": value}) == {}
    assert list(check(form.schema, {"b": "no" if kind == "text" else ["no"]})) == ["b"]


def test_point_48_title_and_description_of_the_whole_are_shown() -> None:
    html = render(read_form({**schema_of(), "title": "Book a trip", "description": "One\ntwo"}))
    assert "Book a trip" in html
    assert "One\ntwo" in html


TRIP = {
    "type": "object",
    "title": "Trip",
    "properties": {"to": {"type": "string", "default": "Rome"}},
    "required": ["to"],
}


@pytest.mark.parametrize(
    "root",
    [
        {"$ref": "#/$defs/Trip"},
        {"allOf": [{"$ref": "#/$defs/Trip"}]},
        {"allOf": [TRIP, {"required": ["to"]}]},
        {"type": ["object", "null"], "properties": TRIP["properties"], "required": ["to"], "title": "Trip"},
        {
            "properties": {"to": {"title": "To", "minLength": 2}},
            "allOf": [TRIP, {"properties": {"to": {"maxLength": 5}}}],
        },
    ],
)
def test_point_39_a_form_may_be_described_elsewhere_or_in_parts(root: Any) -> None:
    schema = {**root, "$defs": {"Trip": TRIP}}
    form = read_form(schema)
    assert (form.title, form.unanswerable, form.fields[0].required) == ("Trip", None, True)
    assert prefilled(form) == post(form).content == {"to": "Rome"}
    assert post(form, {"f0": [""]}).errors
    assert check(schema, {}) == {"to": "Required"}
    assert read_form({**schema, "title": "Of its own"}).title == "Of its own"


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("BookingPreferences", "Booking Preferences"),
        ("Trip", "Trip"),
        ("GitHub", "GitHub"),
        ("PayPal", "PayPal"),
        ("trip", "trip"),
        ("API", "API"),
    ],
)
def test_the_name_of_a_class_is_shown_in_words(title: str, shown: str) -> None:
    assert read_form({**TRIP, "title": title}).title == shown


@pytest.mark.parametrize(
    ("root", "reason"),
    [
        ({"$ref": "https://example.com/form"}, "never fetched"),
        ({"allOf": [{"$ref": "#"}]}, "itself without end"),
        ({"allOf": [{"required": ["ghost"]}]}, "no such field"),
        ({"type": ["array", "string"]}, "a value that is not an object"),
    ],
)
def test_point_41_an_unreadable_form_says_why(root: Any, reason: str) -> None:
    form = read_form(root)
    assert reason in str(form.unanswerable)
    assert str(form.unanswerable) in render(form)
    assert post(form).errors


def test_only_a_text_without_minimum_may_be_sent_empty() -> None:
    filled = {f"a{n}": {"type": "string", "minLength": 1} for n in range(900)}
    form = read_form(schema_of(*filled, "empty", **filled, empty={"type": "string"}))
    assert [field.name for field in form.fields if field.may_be_empty] == ["empty"]


def test_demands_on_the_whole_form_are_checked() -> None:
    schema = {**schema_of(a={"type": "string"}, b={"type": "string"}), "dependentRequired": {"a": ["b"]}}
    assert check(schema, {"a": "x", "b": "y"}) == {}
    assert check(schema, {"a": "x"}) == {"b": "Required"}
