"""The constraining keywords of JSON Schema 2020-12, and the form in which each is valid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from webclient.content.forms.values import is_encodable, is_json, is_number

FORMATS = frozenset({"email", "uri", "date", "date-time"})
"""The formats of MCP 2025-11-25 (StringSchema); the server alone checks any other."""

_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})


def _is_count(value: Any) -> bool:
    return is_number(value) and value >= 0 and value == int(value)


def is_name(value: Any) -> bool:
    """Return whether a property of an answer can be called `value`."""
    return isinstance(value, str) and is_encodable(value)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_name, value))


def _is_type(value: Any) -> bool:
    if isinstance(value, str):
        return value in _TYPES
    named = value if isinstance(value, list) else [value]
    return (
        bool(named)
        and all(isinstance(each, str) and each in _TYPES for each in named)
        and len(set(named)) == len(named)
    )


def _depend(value: Any) -> bool:
    return isinstance(value, Mapping) and all(_are_names([k]) and _are_names(v) for k, v in value.items())


ONE = frozenset({"contains", "else", "if", "items", "not", "propertyNames", "then"}) | frozenset(
    {"additionalProperties", "unevaluatedItems", "unevaluatedProperties"}
)
LIST = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
DEFINING = frozenset({"$defs", "definitions"})
MAP = DEFINING | frozenset({"dependentSchemas", "patternProperties", "properties"})
PLAIN: dict[str, Callable[[Any], bool]] = {
    "const": is_json,
    "dependentRequired": _depend,
    "enum": lambda value: isinstance(value, list),
    "exclusiveMaximum": is_number,
    "exclusiveMinimum": is_number,
    "format": lambda value: isinstance(value, str) and value in FORMATS,
    "maxContains": _is_count,
    "maxItems": _is_count,
    "maxLength": _is_count,
    "maxProperties": _is_count,
    "maximum": is_number,
    "minContains": _is_count,
    "minItems": _is_count,
    "minLength": _is_count,
    "minProperties": _is_count,
    "minimum": is_number,
    "multipleOf": lambda value: is_number(value) and value > 0,
    "required": lambda value: isinstance(value, list),
    "type": _is_type,
    "uniqueItems": lambda value: isinstance(value, bool),
}
DEMANDS = ONE | LIST | MAP | PLAIN.keys() | {"pattern", "$ref", "$dynamicRef"}
REVERSIBLE = frozenset({"not", "if", "oneOf", "contains"})
