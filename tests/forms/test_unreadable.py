"""A part of a schema that cannot be read drops out of the check; everything else stays in force (point 45)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.forms.filling import answer, schema_of
from tests.tables import each_row
from webclient.content.forms.fields import read_form
from webclient.content.forms.validation import check


@pytest.mark.parametrize("dialect", ["https://example.com/my-schema", 7, "http://json-schema.org/draft-04/schema#"])
def test_point_45_a_schema_of_any_dialect_is_read(dialect: Any) -> None:
    schema = {**schema_of(it={"type": "string", "minLength": 2}), "$schema": dialect, "$id": "https://example.com/x"}
    assert check(schema, {"it": "ab"}) == {}
    assert "Enter at least" in check(schema, {"it": "a"})["it"]
    assert bool(read_form(schema).notes) == (dialect == "https://example.com/my-schema")


def test_an_unreadable_keyword_leaves_the_others_in_force() -> None:
    broken = {"type": "string", "required": True, "minLength": "2", "maxLength": 3, "minimum": None, "enum": "ab"}
    assert answer(broken, "abc") == "abc"
    assert "Enter at most" in str(answer(broken, "abcd"))


@each_row(
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
def test_an_unreadable_part_drops_only_what_it_must(schema: Any, good: list[Any], bad: list[Any]) -> None:
    whole = {**schema_of(it=schema), "$defs": {"short": {"type": "string", "maxLength": 2, "format": "uuid"}}}
    assert [check(whole, {"it": value}) for value in good] == [{}] * len(good)
    assert [list(check(whole, {"it": value})) for value in bad] == [["it"]] * len(bad)


def test_names_of_an_unreadable_pattern_are_not_additional() -> None:
    schema: dict[str, Any] = {"patternProperties": {"((": {}, "^x": {"type": "integer"}}, "additionalProperties": False}
    assert check(schema, {"y": 1}) == {}
    assert check(schema, {"x": "a"}) != {}
    assert check({**schema, "patternProperties": {"^x": {}}}, {"y": 1}) != {}


def test_required_names_that_are_not_texts_are_ignored() -> None:
    schema = {**schema_of(it={"type": "string"}), "required": ["it", 1, None]}
    assert check(schema, {}) == {"it": "Required"}
    assert read_form(schema).fields[0].required


@pytest.mark.parametrize("huge", [1e300, 10**30, 2**64, 10**400])
def test_huge_bounds_leave_other_demands_in_force(huge: float) -> None:
    bounds = {"type": "string", "minLength": 1, "maxLength": huge, "maximum": huge, "multipleOf": huge}
    assert check({"properties": {"it": bounds}}, {"it": "a"}) == {}
    assert "Enter at least" in check({"properties": {"it": bounds}}, {"it": ""})["it"]
