"""Which schemas nest as fields, which are written as JSON, and what is sent of them."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.forms.filling import Page, pairs, render
from tests.tables import each_row
from webclient.content.forms.field import Field
from webclient.content.forms.fields import read_arguments
from webclient.content.forms.filling import fill_all
from webclient.content.forms.form import Form
from webclient.content.forms.parse import Parsed, parse
from webclient.content.forms.properties import DEEPEST, MOST_NESTED, MOST_WITHIN

TEXT = {"type": "string"}
GROUP = {"type": "object", "properties": {"a": {"type": "integer"}, "b": TEXT}, "required": ["a"]}


def form_of(*required: str, defs: Any = None, **properties: Any) -> Form:
    return read_arguments({"type": "object", "properties": properties, "required": list(required), "$defs": defs or {}})


def kind_of(schema: Any, defs: Any = None) -> str:
    return form_of(it=schema, defs=defs).fields[0].kind


def post(form: Form, **typed: list[str]) -> Parsed:
    """Parse the form as first shown, except for some controls; _ means a dot."""
    return parse(form, pairs({**form.texts, **{name.replace("_", "."): texts for name, texts in typed.items()}}))


def within(field: Field) -> int:
    return 1 + sum(map(within, field.parts))


@each_row(
    ("schema", "kind"),
    [
        (GROUP, "group"),
        ({"anyOf": [GROUP, {"type": "null"}]}, "group"),
        ({"allOf": [GROUP, {"properties": {"c": TEXT}}]}, "group"),
        ({**GROUP, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, "group"),
        ({"type": "array", "items": GROUP}, "list"),
        ({"type": "array", "items": {"type": "number"}}, "list"),
        ({"type": "array", "items": {"type": "array", "items": {"type": "boolean"}}}, "list"),
        ({"type": "array", "items": {"type": "string", "format": "date"}}, "list"),
        ({"type": "array", "items": TEXT}, "lines"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "choices"),
        ({"type": "array", "items": {"enum": [1, 2]}}, "list"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "map"),
        ({"type": "object", "additionalProperties": GROUP}, "map"),
        ({"type": "object", "patternProperties": {"^x": TEXT}}, "map"),
        ({"const": {"a": 1}}, "constant"),
        ({"type": "object"}, "json"),
        ({"type": "object", "properties": {}, "additionalProperties": {}}, "json"),
        ({"type": "array"}, "json"),
        ({"type": "array", "items": {}}, "json"),
        ({"type": "array", "prefixItems": [TEXT]}, "json"),
        ({"type": "array", "items": [TEXT, TEXT]}, "json"),
        ({"oneOf": [GROUP, {"type": "object", "properties": {"c": TEXT}}]}, "json"),
        ({"type": "array", "items": {"anyOf": [GROUP, {"properties": {"c": TEXT}}]}}, "json"),
        ({"type": "null"}, "json"),
        ({}, "json"),
        (True, "json"),
        ({"$ref": "https://example.com/x"}, "json"),
    ],
)
def test_a_schema_has_the_field_that_its_shape_calls_for(schema: Any, kind: str) -> None:
    assert kind_of(schema) == kind


def test_parts_by_allof_and_reference_are_one_group() -> None:
    base = {"properties": {"a": TEXT}, "required": ["a"]}
    form = form_of(it={"allOf": [{"$ref": "#/$defs/base"}, {"properties": {"c": TEXT}}]}, defs={"base": base})
    assert [(part.name, part.required) for part in form.fields[0].parts] == [("a", True), ("c", False)]


def test_a_required_property_without_schema_is_written_as_json() -> None:
    form = form_of("ghost", it=TEXT)
    assert [(field.name, field.kind, field.required) for field in form.fields][1] == ("ghost", "json", True)
    assert post(form, f1_json=["[1]"]).content == {"ghost": [1]}


def test_an_untouched_optional_group_is_absent_with_its_defaults() -> None:
    form = form_of(it={**GROUP, "properties": {"a": {"type": "integer", "default": 7}, "b": TEXT}})
    assert form.texts == {"f0.0": ["7"], "f0.1": [""]}
    assert (post(form).content, post(form).is_right) == ({}, True)
    assert post(form, f0_1=["x"]).content == {"it": {"a": 7, "b": "x"}}
    assert post(form, f0_0=[""]).content == {}


def test_a_touched_optional_group_wants_what_it_requires() -> None:
    parsed = post(form_of(it=GROUP), f0_1=["x"])
    assert (parsed.errors, set(parsed.inside)) == ({}, {"f0.0"})


def test_a_required_group_is_sent_with_errors_at_its_fields() -> None:
    parsed = post(form_of("it", it=GROUP), f0_0=["soon"])
    assert (parsed.content, parsed.errors, set(parsed.inside)) == ({"it": {}}, {}, {"f0.0"})
    free = {"type": "object", "properties": {"a": TEXT}}
    assert post(form_of("it", it=free)).content == {"it": {}}


def test_only_a_required_list_begins_with_an_entry() -> None:
    entries = {"type": "array", "items": GROUP}
    assert form_of(it=entries).texts == {}
    assert form_of("it", it=entries).texts == {"f0.items": ["0"], "f0.0.0": [""], "f0.0.1": [""]}
    assert post(form_of("it", it=entries)).inside.keys() == {"f0.0.0"}


def test_entries_keep_their_order_and_errors_find_the_entry() -> None:
    form = form_of(it={"type": "array", "items": {"type": "integer", "maximum": 5}})
    assert post(form, f0_items=["4", "0"], f0_0=["1"], f0_4=["2"]).content == {"it": [2, 1]}
    parsed = post(form, f0_items=["4", "0", "2"], f0_4=["x"], f0_0=["1"], f0_2=["9"])
    assert parsed.inside.keys() == {"f0.4", "f0.2"}


def test_a_rule_about_the_whole_group_is_said_at_the_group() -> None:
    parsed = post(form_of(it={**GROUP, "maxProperties": 1}), f0_0=["1"], f0_1=["x"])
    assert parsed.errors.keys() == {"it"}


def test_pairs_of_a_map_need_different_names() -> None:
    form = form_of(it={"type": "object", "additionalProperties": {"type": "integer"}})
    keys: dict[str, list[str]] = {"f0_0_key": ["a"], "f0_0": ["1"], "f0_1": ["2"]}
    assert post(form, f0_items=["0", "1"], f0_1_key=["b"], **keys).content == {"it": {"a": 1, "b": 2}}
    assert post(form, f0_items=["0", "1"], f0_1_key=["a"], **keys).inside.keys() == {"f0.1"}
    assert post(form, f0_items=["0", "1"], f0_1_key=[""], **keys).inside.keys() == {"f0.1"}


def test_further_properties_are_added_under_their_own_names() -> None:
    form = read_arguments({"properties": {"a": TEXT}, "additionalProperties": {"type": "integer"}})
    typed: dict[str, list[str]] = {"f0": ["x"], "f1_items": ["0"], "f1_0": ["3"]}
    assert post(form, f1_0_key=["b"], **typed).content == {"a": "x", "b": 3}
    assert post(form, f1_0_key=["a"], **typed).inside.keys() == {"f1.0"}


@pytest.mark.parametrize(("text", "value"), [("null", None), ("1.5", 1.5), ('{"a": [null]}', {"a": [None]})])
def test_json_of_one_property_is_read_as_it_is_written(text: str, value: Any) -> None:
    assert post(form_of(it={}), f0_json=[text]).content == {"it": value}
    assert post(form_of(it={}), f0_json=[" "]).content == {}


def test_broken_json_of_one_property_is_an_error_there() -> None:
    assert post(form_of(it={}), f0_json=["{"]).errors.keys() == {"it"}


@each_row(
    ("schema", "value"),
    [
        ({"type": "array", "items": {"enum": ["a", "b"]}}, ["b", "a"]),
        ({"type": "array", "items": TEXT}, ["two\nlines"]),
        (TEXT, "a\rb"),
        (TEXT, 7),
        ({"type": "integer"}, "7"),
        (GROUP, {"a": 1, "unknown": 2}),
        (GROUP, None),
        ({"type": "array", "items": {"type": "integer"}}, list(range(1_000))),
        ({"type": "object", "additionalProperties": TEXT}, {"": "x"}),
    ],
)
def test_a_value_that_its_controls_cannot_show_becomes_json(schema: Any, value: Any) -> None:
    form = form_of(it=schema)
    texts = fill_all(form.fields, {"it": value})
    assert texts is not None
    assert list(texts) == ["f0.json"]
    parsed = parse(form, Page(render(form, texts)).posted())
    assert parsed.content == {"it": value}


TREE = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}


def test_a_schema_that_contains_itself_ends_in_json() -> None:
    field = form_of(it={"$ref": "#/$defs/tree"}, defs={"tree": TREE}).fields[0]
    depth = 0
    while field.parts:
        field, depth = field.parts[0], depth + 1
    assert (field.kind, depth <= DEEPEST) == ("json", True)


def deep(levels: int) -> Any:
    return {"type": "object", "properties": {"x": deep(levels - 1)}} if levels else TEXT


WIDE_TREE = {"type": "object", "properties": {f"p{n}": {"$ref": "#/$defs/tree"} for n in range(20)}}


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {f"p{n}": {"$ref": "#/$defs/tree"} for n in range(300)}, "$defs": {"tree": WIDE_TREE}},
        {"properties": {f"p{n}": {**GROUP, "properties": {f"q{m}": GROUP for m in range(100)}} for n in range(100)}},
        {"properties": {"it": deep(200)}},
        {"properties": {"it": {"$ref": "#/properties/it"}}},
        {"properties": {"it": {"type": "object", "properties": {f"p{n}": TEXT for n in range(5_000)}}}},
        {"properties": {"it": {"type": "array", "items": {"$ref": "#"}}}},
    ],
)
def test_a_hostile_schema_has_a_bounded_form(schema: Any) -> None:
    started = time.monotonic()
    form = read_arguments(schema)
    render(form)
    assert sum(map(within, form.fields)) <= MOST_NESTED + len(form.fields)
    assert all(within(field) <= MOST_WITHIN + 1 for field in form.fields)
    assert time.monotonic() - started < 20  # a fraction of a second, or without bounds for ever


def test_groups_and_lists_have_a_legend_and_entries_a_name() -> None:
    form = form_of("it", it={"type": "array", "items": GROUP, "title": "Lines"})
    page = Page(render(form))
    assert len(page.all("fieldset")) == len(page.all("legend")) == 2
    assert [each["aria-label"] for each in page.all("div") if each.get("role") == "group"] == ["Entry 1"]
