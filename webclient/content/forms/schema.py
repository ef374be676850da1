"""Simplifies the schema of a property: references followed, "or null" removed, wrappers unwrapped.

References are followed inside the document only; nothing is ever fetched. The work per document is bounded, so cycles
and multiplying references end in a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from webclient.content.forms.patterns import Patterns
from webclient.content.forms.references import MOST_STEPS, References, UnreadableError, find
from webclient.domain.i18n import gettext as _

Schema = Mapping[str, Any]

DEEPEST = 32

_WRAPPING = frozenset({"$ref", "allOf"})
_DETOURS = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
_PRIMITIVES = ("string", "number", "integer", "boolean")


@dataclass(slots=True)
class Resolved:
    """A simplified schema. `others` are further types that the server accepts, without null."""

    schema: dict[str, Any]
    others: tuple[str, ...] = ()

    def inherit(self, part: Resolved) -> None:
        """Add the keywords of `part` that are missing here; objects get the properties of both."""
        both = [said.get("properties") for said in (self.schema, part.schema)]
        required = [name for said in (self.schema, part.schema) for name in _names(said.get("required"))]
        self.schema = {**part.schema, **self.schema}
        if all(isinstance(each, Mapping) for each in both):
            self.schema |= {"properties": together(both), "required": required}
        self.others += part.others

    @property
    def only_null(self) -> bool:
        """Whether null is the only valid value."""
        const_null = "const" in self.schema and self.schema["const"] is None
        return const_null or self.schema.get("type") == "null" or self.schema.get("enum") == [None]


MOST_OPTIONS = 3_000
"""The most options of a document that are shown: each takes about 200 bytes on every page with the card."""


class Resolver:
    """Resolves the schemas of one document; `patterns` decides which of its patterns are checked here."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._references = References(root)
        self._steps = MOST_STEPS
        self.patterns = Patterns()
        self._options = MOST_OPTIONS

    def shows(self, options: int) -> bool:
        """Reserve room for `options` more options; False if there is not enough."""
        fits = options <= self._options
        self._options -= options if fits else 0
        return fits

    def whole(self, schema: Schema | None = None) -> Schema:
        """Return the root, or `schema`, merged with the schemas that it refers to or combines.

        Raises UnreadableError when one of them cannot be read.
        """
        outer = self._root if schema is None else schema
        if _WRAPPING.isdisjoint(outer):
            return outer
        parts = list(self._parts(outer, ()))
        merged = {key: value for part in reversed(parts) for key, value in part.items()}
        required = [each.get("required") for each in parts]
        return {
            **merged,
            "properties": together([each.get("properties") for each in parts]),
            "required": [name for names in required if isinstance(names, list) for name in names],
        }

    def resolve(self, schema: Any, trail: tuple[str, ...] = ()) -> Resolved:
        """Simplify `schema`, reached by the references in `trail`. Raises UnreadableError."""
        self._count(trail)
        if schema is True:
            return Resolved({})
        if schema is False:
            raise UnreadableError(_("The server accepts nothing here."))
        if not isinstance(schema, dict):
            raise UnreadableError(_("Its schema cannot be read."))
        if _DETOURS.isdisjoint(schema) and not isinstance(schema.get("type"), list):
            return Resolved(schema)
        resolved = Resolved(dict(schema))
        self._follow(schema, resolved, trail)
        _choose_type(resolved)
        for keyword in ("anyOf", "oneOf"):
            self._choose_branch(resolved, keyword, trail)
        return resolved

    def _count(self, trail: tuple[str, ...]) -> None:
        self._steps -= 1
        if self._steps < 0 or len(trail) > DEEPEST:
            raise UnreadableError(_("Its schema is too deep or too complex to be read."))

    def _parts(self, schema: Any, trail: tuple[str, ...]) -> Iterator[Schema]:
        """Yield `schema` and all schemas that apply to the same value."""
        self._count(trail)
        if not isinstance(schema, Mapping):
            return
        yield schema
        if "$ref" in schema:
            pointer = self._references.pointer(schema, schema["$ref"])
            yield from self._parts(self._once(pointer, trail), (*trail, pointer))
        parts = schema.get("allOf")
        for part in parts if isinstance(parts, list) else []:
            yield from self._parts(part, (*trail, "allOf"))

    def _follow(self, schema: Schema, resolved: Resolved, trail: tuple[str, ...]) -> None:
        if "$ref" in schema:
            del resolved.schema["$ref"]
            resolved.inherit(self._referenced(self._references.pointer(schema, schema["$ref"]), trail))
        parts = resolved.schema.pop("allOf", None)
        for part in parts if isinstance(parts, list) else []:
            resolved.inherit(self.resolve(part, (*trail, "allOf")))

    def _referenced(self, pointer: str, trail: tuple[str, ...]) -> Resolved:
        return self.resolve(self._once(pointer, trail), (*trail, pointer))

    def _once(self, pointer: str, trail: tuple[str, ...]) -> Any:
        if pointer in trail:
            raise UnreadableError(_("Its schema refers to itself without end."))
        return find(self._root, pointer)

    def _choose_branch(self, resolved: Resolved, keyword: str, trail: tuple[str, ...]) -> None:
        """Choose the only branch besides null, or the first that fits a field; titled constants stay."""
        branches = resolved.schema.get(keyword)
        if (
            not isinstance(branches, list)
            or not branches
            or ("properties" in resolved.schema and only_demands(branches))
        ):
            return
        read = self._readable(branches, (*trail, keyword))
        usable = [branch for branch in read if not branch.only_null]
        if usable and all("const" in b.schema or (len(usable) > 1 and "enum" in b.schema) for b in usable):
            resolved.schema[keyword] = [b.schema for b in usable]
            return
        del resolved.schema[keyword]
        chosen = next((b for b in usable if b.schema.get("type") in _PRIMITIVES), usable[0] if usable else read[0])
        resolved.others += tuple(str(b.schema.get("type", "…")) for b in usable if b is not chosen)
        resolved.inherit(chosen)

    def _readable(self, branches: list[Any], trail: tuple[str, ...]) -> list[Resolved]:
        """Return the branches that can be read. Raises UnreadableError if there are none."""
        read, reason = [], UnreadableError()
        for branch in branches:
            try:
                read.append(self.resolve(branch, trail))
            except UnreadableError as unreadable:
                reason = unreadable
        if not read:
            raise reason
        return read


def only_demands(branches: Any) -> bool:
    """Return whether the branches of `anyOf` or `oneOf` describe no properties."""
    return not isinstance(branches, list) or all(isinstance(b, Mapping) and b.keys() <= _DEMANDING for b in branches)


_DEMANDING = frozenset(
    {"dependentRequired", "description", "maxProperties", "minProperties", "not", "required", "title"}
)


def _names(required: Any) -> list[Any]:
    return required if isinstance(required, list) else []


def together(parts: list[Any]) -> dict[str, Any]:
    """Merge the properties of all parts; schemas for the same property apply together."""
    found: dict[str, list[Any]] = {}
    for part in parts:
        for name, schema in part.items() if isinstance(part, Mapping) else ():
            found.setdefault(name, []).append(schema)
    return {name: said[0] if len(said) == 1 else {"allOf": said} for name, said in found.items()}


def _choose_type(resolved: Resolved) -> None:
    types = resolved.schema.get("type")
    if not isinstance(types, list):
        return
    named = [str(each) for each in types if each != "null"]
    chosen = next((each for each in named if each in _PRIMITIVES), named[0] if named else "null")
    resolved.others += tuple(each for each in named if each != chosen)
    resolved.schema["type"] = chosen
