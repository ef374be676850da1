"""References within a document, in every spelling, and those that lead nowhere (point 39)."""

from __future__ import annotations

from typing import Any

from tests.forms.filling import field_of, post, schema_of
from tests.tables import each_row
from webclient.content.forms.fields import read_form
from webclient.content.forms.validation import check, prefilled


def test_point_39_local_references_are_followed() -> None:
    schema = {
        **schema_of(
            plain={"$ref": "#/$defs/Color", "title": "Favourite"},
            wrapped={"allOf": [{"$ref": "#/$defs/Color"}], "default": "red"},
            listed={"type": "array", "items": {"$ref": "#/definitions/a~1b%20c"}},
        ),
        "$defs": {"Color": {"enum": ["red", "green"], "title": "Color", "type": "string"}},
        "definitions": {"a/b c": {"enum": ["x"]}},
    }
    form = read_form(schema)
    assert [field.kind for field in form.fields] == ["choice", "choice", "choices"]
    assert [field.label for field in form.fields] == ["Favourite", "wrapped", "listed"]
    assert prefilled(form) == {"wrapped": "red"}
    assert "Choose one of" in check(schema, {"plain": "blue"})["plain"]


@each_row(
    ("schema", "reason"),
    [
        ({"$ref": "https://example.com/schema.json"}, "never fetched"),
        ({"$ref": "other.json#/a"}, "never fetched"),
        ({"$ref": "#/$defs/Missing"}, "does not exist"),
        ({"$ref": "#anchor"}, "does not exist"),
        ({"$ref": "#/$defs/\ud800"}, "never fetched"),
        ({"$ref": "http://["}, "never fetched"),
        ({"$ref": "#/properties/ok/type"}, "cannot be read"),
        ({"$ref": "#/$defs/Loop"}, "itself without end"),
        ({"$ref": "#/$defs/Ping"}, "itself without end"),
        ({"$ref": 7}, "never fetched"),
    ],
)
def test_point_39_references_that_lead_nowhere_end_in_a_reason(schema: dict[str, Any], reason: str) -> None:
    loops = {"Loop": {"$ref": "#/$defs/Loop"}, "Ping": {"$ref": "#/$defs/Pong"}, "Pong": {"$ref": "#/$defs/Ping"}}
    whole = {**schema_of(it=schema, ok={"type": "string"}), "$defs": loops}
    form = read_form(whole)
    assert reason in str(form.fields[0].reason)
    assert post(form, {"f1": ["fine"]}).content == {"ok": "fine"}
    assert check(whole, {"it": "x", "ok": "fine"}) != {}


NAMED = {
    "$id": "https://example.com/forms/root",
    "$defs": {
        "a/b": {"type": "integer", "maximum": 5},
        "c~d": {"type": "integer", "maximum": 5},
        "~1": {"type": "integer", "maximum": 5},
        "e%f g": {"type": "integer", "maximum": 5},
        "ü": {"type": "integer", "maximum": 5},
        "": {"type": "integer", "maximum": 5},
        "anchored": {"$anchor": "small", "type": "integer", "maximum": 5},
        "named": {"$id": "other", "$defs": {"x": {"type": "integer", "maximum": 5}}, "$ref": "#/$defs/x"},
        "dynamic": {"$dynamicAnchor": "dynamic", "type": "integer", "maximum": 5},
        "old": {"$id": "#old", "type": "integer", "maximum": 5},
        "detour": {"anyOf": [{"type": "null"}, {"$ref": "#small"}]},
    },
    "components": {
        "schemas": {"Small": {"allOf": [{"$ref": "#/components/numbers/0"}]}},
        "numbers": [{"$ref": "#old"}],
    },
}


@each_row(
    "reference",
    [
        *(
            "#/$defs/a~1b",
            "#/$defs/c~0d",
            "#/$defs/~01",
            "#/$defs/e%25f%20g",
            "#/$defs/%C3%BC",
            "#/$defs/ü",
            "#/$defs/",
            "#/%24defs/a~1b",
        ),
        *("#small", "root#small", "https://example.com/forms/root#/$defs/anchored", "/forms/root#/$defs/anchored"),
        *("other", "other#/$defs/x", "https://example.com/forms/other", "#old", "#dynamic", "#/$defs/detour/anyOf/1"),
        *("#/components/schemas/Small", "#/properties/sibling"),
    ],
)
def test_point_39_a_reference_is_followed_however_it_is_spelled(reference: str) -> None:
    """A JSON Pointer, an anchor, an address of the document's own; also to where no subschema is expected."""
    sibling = {"type": "integer", "maximum": 5}
    schema = {**schema_of("it", it={"$ref": reference, "default": 4}, sibling=sibling), **NAMED}
    form = read_form(schema)
    assert (form.fields[0].kind, prefilled(form)) == ("integer", {"it": 4})
    assert check(schema, {"it": 5}) == {}
    assert list(check(schema, {"it": 6})) == ["it"]
    assert list(check(schema, {"it": "x"})) == ["it"]


def test_point_39_depth_is_capped() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(500):
        deep = {"allOf": [deep]}
    assert "too deep" in str(field_of(deep).reason)


def test_point_39_what_would_multiply_long_names_is_not_followed() -> None:
    """Each of thousands of references would become as long as the way or the address that it leads to."""
    long = "n" * 3_000
    way = {**schema_of(it={"$ref": "#far"}), "$defs": {long: {"$anchor": "far", "type": "string"}}}
    assert "does not exist" in str(read_form(way).fields[0].reason)
    address = {**schema_of(it={"$ref": "a"}), "$id": f"http://{long}/", "$defs": {"a": {"$id": "a", "type": "string"}}}
    assert read_form(address).fields[0].kind == "text"
    named = {**schema_of(it={"$ref": f"http://{long}/a"}), **{key: address[key] for key in ("$id", "$defs")}}
    assert "never fetched" in str(read_form(named).fields[0].reason)
