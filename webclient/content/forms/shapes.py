"""Reads a root that is one of several objects (`oneOf` or `anyOf`) as a choice, and then the fields of each of them.

The values go into the root object. What all shapes have in common stands above the choice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from webclient.content.forms.field import Field, Option
from webclient.content.forms.options import value_text
from webclient.content.forms.properties import PropertyReader, class_words, parts_of, title_of
from webclient.content.forms.references import UnreadableError
from webclient.content.forms.schema import Schema, only_demands, together
from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _

MOST_SHAPES = 50
"""The most shapes to choose from; a value that may have more is written as JSON."""

MOST_FIELDS = 1_000
"""The most properties of all shapes together."""

DEEPEST = 4
"""Choices within choices; their shapes stand in one list."""

_DETAIL_LIMIT = 200
_KEYWORDS = ("oneOf", "anyOf")
_DESCRIBING = frozenset({"$ref", "allOf", "properties", *_KEYWORDS})
_NAME = re.compile(r"[/#]([\w.-]+)\Z")


class _Shape(NamedTuple):
    """One shape: its `demands` as the server wrote them, and `merged`, without references."""

    demands: tuple[Any, ...]
    merged: Schema
    name: str


def has_shapes(schema: Any) -> bool:
    """Return whether the root of `schema` is a choice between objects."""
    return isinstance(schema, Mapping) and any(_are_shapes(schema.get(keyword)) for keyword in _KEYWORDS)


def _are_shapes(branches: Any) -> bool:
    if not isinstance(branches, list) or only_demands(branches):
        return False
    return any(isinstance(each, Mapping) and not _DESCRIBING.isdisjoint(each) for each in branches)


def root_parts(reader: PropertyReader, root: Schema, schema: Schema) -> tuple[Field, ...] | None:
    """Return the fields of a root that has shapes: what they share, and the choice between them.

    `root` is `schema` without references at its root. None if it can only be written as JSON.
    """
    shapes = list(islice(_shapes_of(reader, root, (), 0), MOST_SHAPES + 1))
    if not shapes or len(shapes) > MOST_SHAPES or sum(len(_properties(each.merged)) for each in shapes) > MOST_FIELDS:
        return None
    own = {name for shape in shapes for name in _properties(shape.merged)}
    shared = {name: each for name, each in _properties(root).items() if name not in own}
    required = _required(root)
    fields = [reader.field(name, each, required=name in required) for name, each in shared.items()]
    parts = tuple([_part(reader, shape, root, schema, own) for shape in shapes])
    return (*fields, _choice(root, shapes, parts))


def _shapes_of(reader: PropertyReader, merged: Schema, above: tuple[Any, ...], depth: int) -> Iterator[_Shape]:
    """Yield the shapes of `merged`, those of choices within choices too. Raises UnreadableError."""
    choosing = [keyword for keyword in _KEYWORDS if not only_demands(merged.get(keyword))]
    if len(choosing) != 1 or depth > DEEPEST:
        raise UnreadableError(_("Its schema is too deep or too complex to be read."))
    for branch in merged[choosing[0]]:
        if not isinstance(branch, Mapping):
            raise UnreadableError(_("Its schema cannot be read."))
        inner = reader.resolver.whole(branch)
        if inner.get("type", "object") != "object":
            continue
        demands = (*above, branch)
        if has_shapes(inner):
            yield from _shapes_of(reader, _joined(_plain(merged), inner) if depth else inner, demands, depth + 1)
        else:
            yield _Shape(demands, _joined(_plain(merged), inner) if depth else inner, _name_of(branch, inner))


def _part(reader: PropertyReader, shape: _Shape, root: Schema, schema: Schema, own: set[str]) -> Field:
    """Return the group of a shape; its schema is the whole one, and demands this shape."""
    of_root = {name: each for name, each in _properties(root).items() if name in own}
    merged = _joined({**_plain(root), "properties": of_root}, shape.merged)
    known = {**_properties(root), **_properties(merged)}
    missing = {name: True for name in _required(shape.merged) if name not in known}
    needed = [name for name in _required(merged) if name in merged["properties"] or name in missing]
    described = {**merged, "properties": {**merged["properties"], **missing}, "required": needed}
    demanded = schema.get("allOf")
    return Field(
        name="",
        control="",
        kind="group",
        label=shape.name,
        schema={
            **{key: value for key, value in schema.items() if key != "default"},
            "allOf": [*(demanded if isinstance(demanded, list) else []), *shape.demands],
        },
        required=True,
        parts=parts_of(reader, described, 0) or (),
    )


def _choice(root: Schema, shapes: Sequence[_Shape], parts: tuple[Field, ...]) -> Field:
    seen = Counter(shape.name for shape in shapes)
    options = [
        Option(str(n), None, _label(shape.name, n + 1, seen[shape.name]), _detail(shape.merged))
        for n, shape in enumerate(shapes)
    ]
    named = tuple([part._replace(label=option.label) for part, option in zip(parts, options, strict=True)])
    return Field(
        name="",
        control="",
        kind="shapes",
        label=_("Choose one"),
        schema={"type": root.get("type", "object")},
        required=True,
        options=tuple(options),
        parts=named,
        spreads=True,
    )


def _label(name: str, number: int, count: int) -> str:
    """Return a name that no other of the shapes has."""
    if not name:
        return _("Option {n}").format(n=number)
    return f"{number}. {name}" if count > 1 else name


def _plain(schema: Schema) -> dict[str, Any]:
    """Return an object's schema without what chooses, names or describes it."""
    aside = (*_KEYWORDS, "title", "description", "default")
    return {key: value for key, value in schema.items() if key not in aside}


def _joined(above: Schema, inner: Schema) -> dict[str, Any]:
    return {
        **above,
        **inner,
        "properties": together([inner.get("properties"), above.get("properties")]),
        "required": [*_required(above), *_required(inner)],
    }


def _properties(schema: Schema) -> Mapping[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _required(schema: Schema) -> list[str]:
    required = schema.get("required")
    return [name for name in required if isinstance(name, str)] if isinstance(required, list) else []


def _name_of(branch: Schema, merged: Schema) -> str:
    """Return what the shape is called: its title, its constant, or its name among the definitions; "" if nothing."""
    if title := title_of(merged):
        return class_words(title)
    constants = [
        each["const"] for each in _properties(merged).values() if isinstance(each, Mapping) and "const" in each
    ]
    if constants:
        return value_text(constants[0])
    found = _NAME.search(str(branch.get("$ref", "")))
    return class_words(visible(found[1], 80)) if found else ""


def _detail(merged: Schema) -> str:
    description = merged.get("description")
    return visible(description, _DETAIL_LIMIT) if isinstance(description, str) else ""
