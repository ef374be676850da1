"""Defaults are prefilled only if they satisfy their own schema."""

from __future__ import annotations

from typing import Any

from tests.forms.filling import form_of, post, schema_of
from tests.tables import each_row
from webclient.content.forms.fields import read_form
from webclient.content.forms.validation import prefilled


@each_row(
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
