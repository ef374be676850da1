"""What a property's schema comes down to: references followed, "or null" taken off, wrappers unwrapped.

References are followed inside the document only; nothing is ever fetched. The work per document is bounded, so
that cycles and doubling references end in a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from webclient.i18n import gettext as _

Schema = Mapping[str, Any]

MOST_STEPS = 100_000
DEEPEST = 32
MOST_PATTERNS = 30
"""Compiling a hostile pattern takes tens of milliseconds, so a document has only so many of them checked."""

_DETOURS = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
_PRIMITIVES = ("string", "number", "integer", "boolean")


class UnreadableError(Exception):
    """This part of a schema cannot be made into a field; the message is a sentence."""


@dataclass(slots=True)
class Resolved:
    """A property's schema without detours. `nullable`: null would do as well. `others`: types that would, too."""

    schema: dict[str, Any]
    nullable: bool = False
    others: tuple[str, ...] = ()

    def inherit(self, part: Resolved) -> None:
        """Take over what `part` says and this does not."""
        self.schema = {**part.schema, **self.schema}
        self.nullable = self.nullable or part.nullable
        self.others += part.others

    @property
    def only_null(self) -> bool:
        """Whether nothing but null will do."""
        const_null = "const" in self.schema and self.schema["const"] is None
        return const_null or self.schema.get("type") == "null" or self.schema.get("enum") == [None]


class Resolver:
    """Resolves the schemas of one document."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._steps = MOST_STEPS
        self._patterns = MOST_PATTERNS

    def resolve(self, schema: Any, trail: tuple[str, ...] = ()) -> Resolved:
        """Return what `schema`, reached by way of `trail`, comes down to. Raises UnreadableError."""
        self._count(trail)
        if schema is True:
            return Resolved({})
        if not isinstance(schema, dict):
            raise UnreadableError(_("The server describes it in a way that cannot be read."))
        if _DETOURS.isdisjoint(schema) and not isinstance(schema.get("type"), list):
            return Resolved(schema)
        resolved = Resolved(dict(schema))
        self._follow(resolved, trail)
        _choose_type(resolved)
        for keyword in ("anyOf", "oneOf"):
            self._choose_branch(resolved, keyword, trail)
        return resolved

    def take_pattern(self) -> bool:
        """Whether one more pattern of this document may be tried out."""
        self._patterns -= 1
        return self._patterns >= 0

    def _count(self, trail: tuple[str, ...]) -> None:
        self._steps -= 1
        if self._steps < 0 or len(trail) > DEEPEST:
            raise UnreadableError(_("Its description is too deep or too complicated to be read."))

    def _follow(self, resolved: Resolved, trail: tuple[str, ...]) -> None:
        if "$ref" in resolved.schema:
            resolved.inherit(self._referenced(resolved.schema.pop("$ref"), trail))
        parts = resolved.schema.pop("allOf", None)
        for part in parts if isinstance(parts, list) else []:
            resolved.inherit(self.resolve(part, (*trail, "allOf")))

    def _referenced(self, reference: Any, trail: tuple[str, ...]) -> Resolved:
        target = find(self._root, reference)
        if reference in trail:
            raise UnreadableError(_("Its description refers to itself without end."))
        return self.resolve(target, (*trail, reference))

    def _choose_branch(self, resolved: Resolved, keyword: str, trail: tuple[str, ...]) -> None:
        """Take the one branch beside null, or the first that fits a field; titled constants stay: they are options."""
        branches = resolved.schema.get(keyword)
        if not isinstance(branches, list) or not branches:
            return
        read = [self.resolve(branch, (*trail, keyword)) for branch in branches]
        kept = [branch for branch in read if not branch.only_null]
        resolved.nullable = resolved.nullable or len(kept) < len(read)
        if kept and all("const" in b.schema or (len(kept) > 1 and "enum" in b.schema) for b in kept):
            resolved.schema[keyword] = [b.schema for b in kept]
            return
        del resolved.schema[keyword]
        chosen = next((b for b in kept if b.schema.get("type") in _PRIMITIVES), kept[0] if kept else read[0])
        resolved.others += tuple(str(b.schema.get("type", "…")) for b in kept if b is not chosen)
        resolved.inherit(chosen)


def find(root: Any, reference: Any) -> Any:
    """Return what the local `reference`, a JSON Pointer as a fragment (RFC 6901 section 6), points to in `root`.

    Raises UnreadableError when there is nothing, or when it points elsewhere.
    """
    if not isinstance(reference, str) or not reference.startswith("#"):
        raise UnreadableError(_("Its description lies at another address, which is never fetched."))
    missing = UnreadableError(_("Its description refers to something that is not there."))
    if reference != "#" and not reference.startswith("#/"):
        raise missing
    here = root
    for step in unquote(reference[1:]).split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(here, Mapping) and key in here:
            here = here[key]
        elif isinstance(here, list) and key in map(str, range(min(len(here), 1000))):
            here = here[int(key)]
        else:
            raise missing
    return here


def _choose_type(resolved: Resolved) -> None:
    types = resolved.schema.get("type")
    if not isinstance(types, list):
        return
    named = [str(each) for each in types if each != "null"]
    chosen = next((each for each in named if each in _PRIMITIVES), named[0] if named else "null")
    resolved.nullable = resolved.nullable or len(named) < len(types)
    resolved.others += tuple(each for each in named if each != chosen)
    resolved.schema["type"] = chosen
