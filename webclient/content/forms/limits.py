"""Bounds the cost of a check by counting the subschemas that it would visit: references can multiply without end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from webclient.content.forms.references import find
from webclient.content.forms.sanitize import UncheckableError
from webclient.content.forms.values import DEEPEST
from webclient.domain.i18n import gettext as _

MOST_VISITS = 30_000

_IN_PLACE = ("not", "if", "then", "else")
_IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
_PER_PROPERTY = ("additionalProperties", "unevaluatedProperties", "propertyNames")
_PER_ITEM = ("items", "contains", "unevaluatedItems")
_APPLYING = frozenset(
    {"$ref", "dependentSchemas", "patternProperties", "prefixItems", "properties"}
    | {*_IN_PLACE, *_IN_PLACE_LISTS, *_PER_PROPERTY, *_PER_ITEM}
)
"""Keywords that apply another schema."""


def bound(schema: dict[str, Any], instance: Any) -> None:
    """Raise UncheckableError if checking `instance` against `schema`, made checkable before, costs too much."""
    _Counter(schema).visits(schema, instance, 0)


class _Counter:
    """Counts visits; each pair of schema and value is counted once."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._known: dict[tuple[int, int], int | None] = {}

    def visits(self, schema: Any, instance: Any, depth: int) -> int:
        if not isinstance(schema, dict) or _APPLYING.isdisjoint(schema):
            return 1
        pair = (id(schema), id(instance))
        if pair not in self._known:
            self._known[pair] = None
            self._known[pair] = self._count(schema, instance, depth)
        known = self._known[pair]
        if known is None:
            raise UncheckableError(_("The server's schema refers to itself without end, so it is not checked here."))
        return known

    def _count(self, schema: dict[str, Any], instance: Any, depth: int) -> int:
        total = 1
        for subschema, value in _applied(schema, instance, self._root):
            total += self.visits(subschema, value, depth + 1)
            if total > MOST_VISITS or depth > 3 * DEEPEST:
                raise UncheckableError(_("The server's schema is too complex to be checked here."))
        return total


def _applied(schema: dict[str, Any], instance: Any, root: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield each subschema that a validator would apply, with the value that it would apply it to."""
    if "$ref" in schema:
        yield find(root, schema["$ref"]), instance
    for key in _IN_PLACE:
        if key in schema:
            yield schema[key], instance
    for key in _IN_PLACE_LISTS:
        for branch in schema.get(key, ()):
            yield branch, instance
    if isinstance(instance, dict):
        yield from _to_properties(schema, instance)
    elif isinstance(instance, list):
        yield from _to_items(schema, instance)


def _to_properties(schema: dict[str, Any], instance: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    for dependent in schema.get("dependentSchemas", {}).values():
        yield dependent, instance
    properties = schema.get("properties", {})
    others = [schema[key] for key in _PER_PROPERTY if key in schema]
    others += schema.get("patternProperties", {}).values()
    for name, value in instance.items():
        if name in properties:
            yield properties[name], value
        for other in others:
            yield other, value


def _to_items(schema: dict[str, Any], instance: list[Any]) -> Iterator[tuple[Any, Any]]:
    yield from zip(schema.get("prefixItems", ()), instance, strict=False)
    for key in _PER_ITEM:
        if key in schema:
            yield from ((schema[key], item) for item in instance)
