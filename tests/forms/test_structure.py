"""The shape of a schema: null, what is missing and what is too much (points 38 to 48, but for references)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.forms.filling import answer, field_of, form_of, post, render, schema_of
from webclient.forms.fields import MOST_FIELDS, read_arguments, read_form
from webclient.forms.schema import MOST_OPTIONS
from webclient.forms.validation import check, check_arguments, prefilled

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
def test_point_38_or_null_means_that_it_may_be_left_out(schema: dict[str, Any]) -> None:
    form = read_form({**schema_of(it=schema), "$defs": {"Int": {"type": "integer"}}})
    assert form.fields[0].kind == "integer"
    assert form.fields[0].constraints == ("A whole number.",)
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


def test_point_38_of_several_types_the_first_that_fits_is_used() -> None:
    field = field_of({"anyOf": [{"type": "object"}, {"type": "integer"}, {"type": "string"}]})
    assert field.kind == "integer"
    assert "object, string" in field.constraints[-1]
    assert field_of({"type": ["string", "integer"]}).kind == "text"


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
    assert "asks only for your consent" in render(form)


def test_point_43_additional_properties_are_kept_out() -> None:
    schema = {**schema_of(it={"type": "string"}), "additionalProperties": False}
    assert check(schema, {"it": "a"}) == {}
    assert list(check(schema, {"it": "a", "more": 1})) == ["more"]
    assert check(schema_of(it={"type": "string"}), {"more": 1}) == {}


@pytest.mark.parametrize(
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
    assert "will not be sent" in render(optional)
    required = form_of("it", it=schema)
    assert "requires “it”" in str(required.unanswerable)
    assert post(required).errors


@pytest.mark.parametrize(
    ("schema", "typed", "sent", "said"),
    [
        ({}, "5", "5", "a text"),
        (True, "", None, "a text"),
        ({"not": {"type": "integer"}}, "x", "x", "a text"),
        ({"default": 2}, "2.5", 2.5, "a number"),
        ({"default": True}, "no", False, "true or false"),
        ({"default": ["a"]}, "b", ["b"], "a list of texts"),
        ({"type": "array"}, "a\r\nb", ["a", "b"], "a list of texts"),
        ({"type": "array", "items": True, "minItems": 1}, "a", ["a"], "a list of texts"),
    ],
)
def test_point_44_an_untyped_property_is_guessed_and_says_so(schema: Any, typed: str, sent: Any, said: str) -> None:
    form = form_of("it", it=schema)
    assert form.unanswerable is None
    assert f"This is sent as {said}." in render(form)
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


@pytest.mark.parametrize("value", [None, {}, {"a": 1}, [1], [["a"]], [None], ["\ud800"], float("inf")])
def test_point_44_content_has_only_sendable_types(value: Any) -> None:
    assert "list of texts" in check({}, {"it": value})["it"]
    assert check({}, {"it": ["a"], "n": 1, "b": True, "f": 0.5, "s": ""}) == {}


def test_point_44_arguments_of_a_tool_may_nest() -> None:
    schema = schema_of(it=NESTED)
    assert check_arguments(schema, {"it": {"a": "x"}}) == {}
    assert check_arguments(schema, {"it": {"a": 1}}) == {"it": "At a: Expected a text."}
    assert read_form(schema).fields[0].kind == "unfillable"
    assert read_arguments(schema).fields[0].kind == "group"


@pytest.mark.parametrize("dialect", ["https://example.com/my-schema", 7, "http://json-schema.org/draft-04/schema#"])
def test_point_45_any_dialect_is_read_as_well_as_can_be(dialect: Any) -> None:
    schema = {**schema_of(it={"type": "string", "minLength": 2}), "$schema": dialect, "$id": "https://example.com/x"}
    assert check(schema, {"it": "ab"}) == {}
    assert "Too short" in check(schema, {"it": "a"})["it"]
    assert bool(read_form(schema).notes) == (dialect == "https://example.com/my-schema")


def test_point_46_server_text_is_visible_capped_and_escaped() -> None:
    form = form_of(
        it={"type": "string", "title": "Pay\u202e<b>" + "x" * 900, "description": "d" * 3_000 + "\u200b end"}
    )
    html = render(form)
    assert "Pay⟦U+202E⟧&lt;b&gt;" in html
    assert "<b>" not in html
    assert "x" * 300 not in html
    assert "⟦U+200B⟧ end" in html
    assert "<summary>Show more</summary>" in html


def test_point_46_nothing_of_the_server_is_written_as_it_came() -> None:
    evil = "a\u202eb"
    text = {"type": "string"}
    form = read_form(
        {
            "title": evil,
            "description": evil,
            "$schema": evil,
            "properties": {
                evil: {**text, "description": evil, "format": evil},
                "p": {**text, "pattern": evil},
                "o": {"oneOf": [{"const": evil, "title": evil, "description": evil}, {"const": "b"}]},
                "e": {"type": "array", "items": {"enum": [evil]}},
                "n": {"enum": ["a", "b"], "enumNames": [evil, evil + evil]},
                "s": {"enum": [evil, *map(str, range(10))]},
                "c": {"enum": [evil, *map(str, range(30))]},
                "f": {"const": evil},
                "x": {"anyOf": [text, {"type": evil}]},
                "u": {"type": evil},
            },
            "required": [evil + evil],
        }
    )
    html = render(form)
    assert "\u202e" not in html
    assert html.count("⟦U+202E⟧") >= 17
    assert "⟦U+202E⟧" in str(form.unanswerable)


def test_point_46_hidden_characters_in_a_default_are_said() -> None:
    field = field_of({"type": "string", "default": "admin\u200b"})
    assert field.constraints == ("The suggested text contains hidden characters: admin⟦U+200B⟧",)


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


def test_the_title_of_a_form_is_quoted_as_the_servers_words() -> None:
    html = render(read_form({**schema_of(), "title": "Checked by mcp-webclient", "description": "Safe."}))
    assert "<h" not in html
    quoted = html.partition("<blockquote")[2].partition("</blockquote>")[0]
    assert "Checked by mcp-webclient" in quoted
    assert "Safe." in quoted


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
    assert check(schema, {}) == {"to": "This is required."}
    assert read_form({**schema, "title": "Of its own"}).title == "Of its own"


@pytest.mark.parametrize(
    ("root", "reason"),
    [
        ({"$ref": "https://example.com/form"}, "never fetched"),
        ({"allOf": [{"$ref": "#"}]}, "itself without end"),
        ({"allOf": [{"required": ["ghost"]}]}, "no such field"),
        ({"type": ["array", "string"]}, "a value that is not an object"),
    ],
)
def test_point_41_a_form_that_cannot_be_read_as_a_whole_says_so(root: Any, reason: str) -> None:
    form = read_form(root)
    assert reason in str(form.unanswerable)
    assert str(form.unanswerable) in render(form)
    assert post(form).errors


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


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "minLength": 3, "default": "ab"},
        {"type": "string", "pattern": "^x", "default": "ab"},
        {"type": "string", "format": "email", "default": "ab"},
        {"type": "string", "format": "date", "default": "2024-02-31"},
        {"type": "integer", "maximum": 2, "default": 3},
        {"type": "integer", "default": 2.5},
        {"type": "number", "multipleOf": 0.5, "default": 0.3},
        {"$ref": "#/$defs/Small", "default": 3},
        {"anyOf": [{"$ref": "#/$defs/Small"}, {"type": "null"}], "default": 3},
        {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2, "default": ["a"]},
        {"type": "array", "items": {"type": "string", "maxLength": 1}, "default": ["ab"]},
        {"enum": ["a", "b"], "not": {"const": "a"}, "default": "a"},
    ],
)
def test_a_default_that_breaks_its_own_schema_is_not_prefilled(schema: dict[str, Any]) -> None:
    form = read_form({**schema_of(it=schema), "$defs": {"Small": {"type": "integer", "maximum": 2}}})
    assert "it" not in {**prefilled(form), **post(form).content}


def test_a_default_is_checked_by_the_property_it_refers_to() -> None:
    letter = {"type": "string", "maxLength": 1}
    form = form_of(letter=letter, fits={"$ref": "#/properties/letter", "default": "a"})
    assert prefilled(form) == {"fits": "a"}
    assert prefilled(form_of(letter=letter, it={"$ref": "#/properties/letter", "default": "ab"})) == {}


def test_of_any_number_of_fields_none_may_be_empty_that_must_not() -> None:
    filled = {f"a{n}": {"type": "string", "minLength": 1} for n in range(900)}
    form = read_form(schema_of(*filled, "empty", **filled, empty={"type": "string"}))
    assert [field.name for field in form.fields if field.may_be_empty] == ["empty"]


def test_demands_on_the_whole_are_checked_too() -> None:
    schema = {**schema_of(a={"type": "string"}, b={"type": "string"}), "dependentRequired": {"a": ["b"]}}
    assert check(schema, {"a": "x", "b": "y"}) == {}
    assert check(schema, {"a": "x"}) == {"b": "This is required."}


def test_an_unreadable_keyword_leaves_the_others_in_force() -> None:
    broken = {"type": "string", "required": True, "minLength": "2", "maxLength": 3, "minimum": None, "enum": "ab"}
    assert answer(broken, "abc") == "abc"
    assert "Too long" in str(answer(broken, "abcd"))


@pytest.mark.parametrize(
    "demand",
    [
        {"not": {"pattern": "(("}},
        {"not": {"format": "uuid"}},
        {"oneOf": [{"pattern": "(("}, {"maxLength": 9}]},
        {"if": {"pattern": "(("}, "then": False},
        {"allOf": [{"not": {"allOf": [{"minLength": "2"}]}}]},
        {"not": {"$ref": "#/$defs/unread"}},
        {"oneOf": [{"$ref": "#/$defs/further"}, {"maxLength": 9}]},
        {"not": {"properties": {"a": "no schema"}}},
        {"oneOf": [{"format": "ipv4"}, {"format": "ipv6"}]},
    ],
)
def test_dropping_an_unreadable_part_never_reverses_a_demand(demand: dict[str, Any]) -> None:
    defined = {
        "unread": {"format": "uuid"},
        "further": {"anyOf": [{"items": {"$ref": "#/$defs/further"}}, {"$ref": "#/$defs/unread"}]},
    }
    assert check({"properties": {"it": {"type": "string", **demand}}, "$defs": defined}, {"it": "abc"}) == {}
    assert check({"properties": {"it": {"not": {"$ref": "#/$defs/a"}}}, "$defs": {"a": {"const": 1}}}, {"it": 1}) != {}
    assert check({"properties": {"it": {"not": {"title": "T", "const": "abc"}}}}, {"it": "abc"}) != {}


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (
            {"oneOf": [{"type": "integer", "format": "int32"}, {"type": "string", "format": "uuid"}]},
            [1, "a"],
            [True, 1.5],
        ),
        ({"oneOf": [{"$ref": "#/$defs/short"}, {"type": "integer"}]}, ["ab", 1], ["abc", True]),
        ({"contains": {"const": "a", "format": "uuid"}, "maxContains": 1}, [["a"], ["a", "a"]], [["b"], []]),
    ],
)
def test_what_cannot_be_read_takes_no_more_along_than_it_must(schema: Any, good: list[Any], bad: list[Any]) -> None:
    whole = {**schema_of(it=schema), "$defs": {"short": {"type": "string", "maxLength": 2, "format": "uuid"}}}
    assert [check(whole, {"it": value}) for value in good] == [{}] * len(good)
    assert [list(check(whole, {"it": value})) for value in bad] == [["it"]] * len(bad)


def test_names_of_an_unreadable_pattern_are_not_additional() -> None:
    schema: dict[str, Any] = {"patternProperties": {"((": {}, "^x": {"type": "integer"}}, "additionalProperties": False}
    assert check(schema, {"y": 1}) == {}
    assert check(schema, {"x": "a"}) != {}
    assert check({**schema, "patternProperties": {"^x": {}}}, {"y": 1}) != {}


def test_of_the_required_names_those_count_that_are_names() -> None:
    schema = {**schema_of(it={"type": "string"}), "required": ["it", 1, None]}
    assert check(schema, {}) == {"it": "This is required."}
    assert read_form(schema).fields[0].required


@pytest.mark.parametrize("huge", [1e300, 10**30, 2**64, 10**400])
def test_bounds_beyond_all_measure_do_not_spoil_the_rest(huge: float) -> None:
    bounds = {"type": "string", "minLength": 1, "maxLength": huge, "maximum": huge, "multipleOf": huge}
    assert check({"properties": {"it": bounds}}, {"it": "a"}) == {}
    assert "Too short" in check({"properties": {"it": bounds}}, {"it": ""})["it"]
