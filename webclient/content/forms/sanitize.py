"""Reduces a server's schema to the part that can be checked here at bounded cost.

Servers write schemas that no validator accepts unchanged: draft-4 bounds, `required: true` inside a property, patterns
of another dialect, references to other addresses. Unreadable keywords are dropped, so that the rest is still checked;
the server checks the whole again. Where dropping one would reverse a demand, the demand is weakened instead: `not` and
`if` go, `oneOf` becomes `anyOf`, `contains` loses its upper bound. A reference that is not followed allows nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from webclient.content.forms.keywords import DEFINING, DEMANDS, LIST, MAP, ONE, PLAIN, REVERSIBLE, is_name
from webclient.content.forms.patterns import Patterns
from webclient.content.forms.references import References, UnreadableError, find, step_to
from webclient.content.forms.values import DEEPEST, is_encodable, is_json
from webclient.domain.i18n import gettext as _

MOST_NODES = 10_000
"""The most subschemas and required names in one schema; each costs about 50 microseconds to check."""

_DROPPED = object()


class UncheckableError(Exception):
    """The whole schema is too much to be checked here; the message is a sentence."""


def checkable(schema: Any, *, backtracking: bool = True) -> dict[str, Any]:
    """Return a copy of `schema` that a JSON Schema 2020-12 validator accepts without fetching.

    Without `backtracking`, only patterns that run in linear time remain. Raises UncheckableError.
    """
    reader = _Reader(schema, backtracking=backtracking)
    cleaned = reader.subschema(schema, 0)
    if not isinstance(cleaned, dict):
        return {"not": {}} if cleaned is False else {}
    reader.close_references(cleaned)
    return cleaned


def readable_demands(schema: Mapping[str, Any], keywords: Set[str]) -> dict[str, Any]:
    """Return the valid ones of the `keywords` in `schema`, with bounds as in 2020-12."""
    cleaned = {key: value for key, value in schema.items() if key in keywords and PLAIN[key](value)}
    return _with_modern_bounds(schema, cleaned)


class _Reader:
    """Copies the readable part of a schema, counting nodes and remembering references."""

    def __init__(self, root: Any, *, backtracking: bool) -> None:
        self._root = root
        self._where = References(root)
        self._patterns = Patterns(backtracking=backtracking)
        self._nodes = 0
        self._unread = 0
        self._references: list[tuple[dict[str, Any], Mapping[str, Any]]] = []
        self._reversible: list[tuple[dict[str, Any], str, bool, list[Mapping[str, Any]]]] = []
        self._whole: dict[str, bool] = {}

    def subschema(self, schema: Any, depth: int) -> Any:
        required = schema.get("required") if isinstance(schema, dict) else None
        self._nodes += 1 + (len(required) if isinstance(required, list) else 0)
        if depth > DEEPEST or self._nodes > MOST_NODES:
            raise UncheckableError(_("The server's schema is too deep or too large to be checked here."))
        if not isinstance(schema, dict):
            return schema if isinstance(schema, bool) else _DROPPED
        cleaned: dict[str, Any] = {}
        for key, value in schema.items():
            if key in DEMANDS:
                self._keyword(cleaned, key, value, depth)
        if "$ref" in cleaned:
            self._references.append((cleaned, schema))
        return _with_modern_bounds(schema, _as_enum(_clean(schema, cleaned)))

    def close_references(self, cleaned: dict[str, Any]) -> None:
        """Rewrite every reference to point to its target within `cleaned`."""
        for holder, keyword, whole, references in tuple(self._reversible):
            if not (whole and all(map(self._reads_whole, references))):
                _relax(holder, keyword)
        for holder, schema in self._references:  # grows while the targets are read
            try:
                holder["$ref"] = self._within(cleaned, self._where.pointer(schema, schema["$ref"]))
            except UnreadableError:
                # neither fetched nor taken to allow anything
                del holder["$ref"]
                holder["not"] = {}

    def _within(self, cleaned: dict[str, Any], pointer: str) -> str:
        try:
            copied = find(cleaned, pointer)
        except UnreadableError:
            return self._moved(cleaned, pointer)
        if not isinstance(copied, dict | bool):
            raise UnreadableError
        return pointer

    def _moved(self, cleaned: dict[str, Any], pointer: str) -> str:
        """Copy a target that is not in the place of a subschema, and return its new pointer."""
        schema = find(self._root, pointer)
        if not isinstance(schema, dict | bool):
            raise UnreadableError
        defined = cleaned.setdefault("$defs", {})
        if pointer not in defined:
            defined[pointer] = self.subschema(schema, 0)
        return f"#/$defs/{step_to(pointer)}"

    def _reads_whole(self, schema: Mapping[str, Any]) -> bool:
        """Whether the target of the reference in `schema` was read completely, or does not exist."""
        try:
            pointer = self._where.pointer(schema, schema["$ref"])
            if pointer not in self._whole:
                self._whole[pointer] = True
                self._whole[pointer] = self._is_read_whole(find(self._root, pointer))
        except UnreadableError:
            return True
        return self._whole[pointer]

    def _is_read_whole(self, schema: Any) -> bool:
        unread, first = self._unread, len(self._references)
        self.subschema(schema, 0)
        further = [holder for _cleaned, holder in self._references[first:]]
        del self._references[first:]
        return self._unread == unread and all(map(self._reads_whole, further))

    def _keyword(self, cleaned: dict[str, Any], key: str, value: Any, depth: int) -> None:
        unread, first = self._unread, len(self._references)
        fits = PLAIN.get(key)
        demand = self._nested(key, value, depth) if fits is None else value if fits(value) else _DROPPED
        if demand is _DROPPED:
            self._unread += 1
            return
        cleaned[key] = demand
        if key in REVERSIBLE:
            references = [holder for _cleaned, holder in self._references[first:]]
            self._reversible.append((cleaned, key, self._unread == unread, references))

    def _nested(self, key: str, value: Any, depth: int) -> Any:
        if key in ONE:
            return self.subschema(value, depth + 1)
        if key in LIST and isinstance(value, list) and value:
            cleaned = [self.subschema(each, depth + 1) for each in value]
            return [True if each is _DROPPED else each for each in cleaned]
        if key in MAP and isinstance(value, Mapping):
            return self._map(key, value, depth)
        if key == "$ref":
            return value
        return value if key == "pattern" and self._patterns.run(value) else _DROPPED

    def _map(self, key: str, value: Mapping[str, Any], depth: int) -> dict[str, Any]:
        cleaned = {
            name: copy
            for name, each in value.items()
            if is_encodable(name)
            and (key != "patternProperties" or self._patterns.run(name))
            and (copy := self.subschema(each, depth + 1)) is not _DROPPED
        }
        if len(cleaned) < len(value) and key not in DEFINING:
            self._unread += 1
        return cleaned


def _relax(holder: dict[str, Any], keyword: str) -> None:
    """Weaken a demand that was not read completely, and never change it to another one."""
    demand = holder.pop(keyword, None)
    if keyword == "oneOf" and demand:
        holder["allOf"] = [*holder.get("allOf", ()), {"anyOf": demand}]
    if keyword == "contains":
        holder[keyword] = demand
        holder.pop("maxContains", None)


def _with_modern_bounds(schema: Mapping[str, Any], cleaned: dict[str, Any]) -> dict[str, Any]:
    """Convert the draft-4 bounds, where `exclusiveMinimum: true` made `minimum` exclusive."""
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if schema.get(exclusive) is True and bound in cleaned:
            cleaned[exclusive] = cleaned.pop(bound)
    return cleaned


def _as_enum(schema: dict[str, Any]) -> dict[str, Any]:
    """Turn titled constants into an `enum`, which is cheaper and accepts a value that is listed twice."""
    for keyword in ("oneOf", "anyOf"):
        branches = schema.get(keyword)
        if "enum" in schema or not isinstance(branches, list):
            continue
        if all(isinstance(branch, dict) and branch.keys() == {"const"} for branch in branches):
            del schema[keyword]
            schema["enum"] = [branch["const"] for branch in branches]
    return schema


def _clean(schema: Mapping[str, Any], cleaned: dict[str, Any]) -> dict[str, Any]:
    if "required" in cleaned:
        cleaned["required"] = list(dict.fromkeys(filter(is_name, cleaned["required"])))
    if "patternProperties" in cleaned and len(cleaned["patternProperties"]) < len(schema["patternProperties"]):
        # it is unknown which names count as additional
        for keyword in _OTHERS & cleaned.keys():
            del cleaned[keyword]
    if "enum" in cleaned:
        cleaned["enum"] = [each for each in cleaned["enum"] if is_json(each)]
    return cleaned


_OTHERS = frozenset({"additionalProperties", "unevaluatedProperties"})
