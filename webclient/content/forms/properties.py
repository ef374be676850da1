"""Makes a field of each property of a schema, at any depth and at bounded cost.

Objects become groups or maps, arrays become lists. In the arguments of a call, a property that fits no control is
written as JSON: a value of several shapes, a tuple, anything that the schema does not describe.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from webclient.content.forms.control_kinds import Control, control_of, is_guess, type_of
from webclient.content.forms.field import Field, Option
from webclient.content.forms.files import file_hints, is_file
from webclient.content.forms.hints import hints
from webclient.content.forms.options import read_options, value_text
from webclient.content.forms.references import UnreadableError
from webclient.content.forms.schema import Resolved, Resolver, Schema, only_demands
from webclient.content.forms.values import is_encodable, is_json
from webclient.content.visible_text import preview, visible
from webclient.domain.i18n import gettext as _

LABEL_LIMIT = 200
MOST_WITHIN, MOST_NESTED = 150, 1_000
"""The most fields inside one property, and inside all properties of a form; more are written as JSON."""


AS_JSON = Control("json")
DEEPEST = 6
"""Levels of groups, lists and maps; deeper values are written as JSON."""

_CLASS_NAME = re.compile(r"(?:[A-Z][a-z0-9]{3,}){2,}\Z")
"""The title that Pydantic and its kin give a form: the name of its class. Names such as GitHub stay as they are."""

_CLASS_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_PICKED = frozenset({"date", "date-time"})
_UNREAD, _UNFILLABLE = Resolved({}), Control("unfillable")


class TooManyError(Exception):
    """A property contains more fields than are shown."""


class PropertyReader:
    """Reads the properties of one document. `deep`: their values may nest; `files`: they may be files."""

    def __init__(self, resolver: Resolver, *, deep: bool = False, files: bool = False) -> None:
        self.resolver = resolver
        self._deep = deep
        self._files = files or deep
        self._left = MOST_NESTED
        self._room = 0

    def root(self, schema: Schema) -> tuple[Field, ...] | None:
        """Return the fields for the root; None if it can only be written as JSON."""
        return parts_of(self, schema, 0, is_root=True)

    def field(self, name: str, schema: Any, *, required: bool, level: int = 0) -> Field:
        """Return the field for the property `name`; `level` counts the nesting above it."""
        if level:
            self._count()
        else:
            self._room = MOST_WITHIN
        resolved, made, reason = self._read(name, schema, level)
        # a referenced title names the type, and two fields may share it
        own_title = title_of(schema) if isinstance(schema, dict) else ""
        description, more = description_of(resolved.schema)
        return Field(
            name=name,
            control="",
            kind=made.kind,
            label=own_title or visible(name, LABEL_LIMIT) or _("(no name)"),
            description=description,
            more=more,
            required=required,
            default=made.default,
            options=made.options,
            constraints=made.constraints,
            format=made.format,
            guessed=made.guessed,
            reason=reason,
            schema=resolved.schema,
            parts=made.parts,
        )

    def _count(self) -> None:
        self._left -= 1
        self._room -= 1
        if self._left < 0 or self._room < 0:
            raise TooManyError

    def _read(self, name: str, schema: Any, level: int) -> tuple[Resolved, Control, str | None]:
        resolved = _UNREAD
        if not is_encodable(name):
            return resolved, _UNFILLABLE, _("Its name contains half of a surrogate pair, which cannot be sent.")
        try:
            resolved = self.resolver.resolve(schema)
            return resolved, self._control(resolved, level), None
        except UnreadableError as unreadable:
            return resolved, AS_JSON if self._deep else _UNFILLABLE, str(unreadable)
        except TooManyError:
            if level:
                raise
            return resolved, AS_JSON, None

    def _control(self, resolved: Resolved, level: int) -> Control:
        if self._files and is_file(resolved.schema):
            return Control("file", file_hints(resolved.schema))
        made = nested_control(self, resolved, level) if self._deep else None
        return control_of(self.resolver, resolved) if made is None else made


def title_of(schema: Schema) -> str:
    """Return the title in `schema`, with hidden characters made visible."""
    title = schema.get("title")
    return visible(title, LABEL_LIMIT) if isinstance(title, str) else ""


def class_words(title: str) -> str:
    """Return a title in words if it is the name of a class."""
    return _CLASS_WORDS.sub(" ", title) if _CLASS_NAME.match(title) else title


def description_of(schema: Mapping[str, Any]) -> tuple[str, str]:
    """Return the description in two parts: a preview, and the rest."""
    description = schema.get("description")
    return preview(description) if isinstance(description, str) else ("", "")


def nested_control(reader: PropertyReader, resolved: Resolved, level: int) -> Control | None:
    """Return the control for a nesting property, or JSON; None if a simple control fits."""
    schema = resolved.schema
    if "const" in schema:
        return _constant(schema["const"])
    if resolved.only_null:
        return AS_JSON
    if read_options(schema) is not None:
        return None
    match type_of(schema):
        case "object":
            return AS_JSON if resolved.others or level >= DEEPEST else _object(reader, resolved, level)
        case "array":
            return AS_JSON if resolved.others or level >= DEEPEST else _array(reader, resolved, level)
    return AS_JSON if is_guess(schema) else None


def parts_of(reader: PropertyReader, schema: Schema, level: int, *, is_root: bool = False) -> tuple[Field, ...] | None:
    """Return the fields for the listed and further properties of an object.

    None if the schema describes no properties, or several shapes.
    """
    if not all(only_demands(schema.get(keyword)) for keyword in ("anyOf", "oneOf")):
        return None
    properties = schema["properties"] if isinstance(schema.get("properties"), Mapping) else {}
    others = _others(schema, bool(properties))
    if not properties and others is None and not (is_root and _takes_nothing(schema)):
        return None
    required = [name for name in _listed(schema.get("required")) if isinstance(name, str)]
    # a required property without a schema may have any value
    described = dict(properties) | {name: True for name in required if name not in properties}
    wanted = frozenset(required)
    fields = [reader.field(name, each, required=name in wanted, level=level) for name, each in described.items()]
    more = None if others is None else _map(reader, others, level)
    if more is not None:
        fields.append(more)
    elif not properties and others is not None:
        return None
    return tuple(fields)


def _constant(value: Any) -> Control:
    if value is None or not is_json(value):
        return AS_JSON
    return Control("constant", default=value, options=(Option(key="0", value=value, label=value_text(value)),))


def _object(reader: PropertyReader, resolved: Resolved, level: int) -> Control:
    parts = parts_of(reader, resolved.schema, level + 1)
    if parts is None:
        return AS_JSON
    if len(parts) == 1 and parts[0].spreads:
        return Control("map", hints(resolved, "map"), parts=parts[0].parts)
    return Control("group", hints(resolved, "group"), parts=parts)


def _array(reader: PropertyReader, resolved: Resolved, level: int) -> Control | None:
    items = resolved.schema.get("items")
    if not isinstance(items, Mapping) or "prefixItems" in resolved.schema:
        return AS_JSON
    inner = reader.resolver.resolve(items)
    options = read_options(inner.schema)
    if options and all(isinstance(option.value, str) for option in options) and not inner.others:
        return None
    if type_of(inner.schema) == "string" and not _is_beyond_lines(inner):
        return None
    entry = reader.field("", items, required=True, level=level + 1)
    if entry.kind == "json":
        # a list of JSON values is easier to write as one JSON text
        return AS_JSON
    return Control("list", hints(resolved, "list"), parts=(_named(entry),))


def _is_beyond_lines(inner: Resolved) -> bool:
    """Whether an entry needs more than a line of text."""
    return (
        bool(inner.others)
        or is_file(inner.schema)
        or "const" in inner.schema
        or is_guess(inner.schema)
        or inner.schema.get("format") in _PICKED
    )


def _map(reader: PropertyReader, schema: Any, level: int) -> Field | None:
    value = reader.field("", schema, required=True, level=level + 1)
    if value.kind == "json":
        return None
    return Field(
        name="",
        control="",
        kind="map",
        label=_("Further values"),
        schema={"type": "object", "additionalProperties": schema},
        parts=(_named(value, _("Value")),),
        spreads=True,
    )


def _named(entry: Field, label: str = "") -> Field:
    return entry if entry.label != _("(no name)") else entry._replace(label=label or _("Entry"))


def _others(schema: Schema, has_properties: bool) -> Any:
    """Return the schema of unlisted properties, if there is one."""
    others, by_name = schema.get("additionalProperties"), schema.get("patternProperties")
    if isinstance(others, Mapping) and others:
        return others
    if not has_properties and isinstance(by_name, Mapping) and len(by_name) == 1:
        return next(iter(by_name.values()))
    return None


def _takes_nothing(schema: Schema) -> bool:
    """Whether a tool takes no arguments; nearly all such tools list no properties."""
    others = schema.get("additionalProperties", "properties" not in schema)
    return others is False and "patternProperties" not in schema


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
