"""Makes a form from a schema, with its fields in the server's order.

An answer may contain texts, numbers, booleans and lists of texts (MCP 2025-11-25, ElicitResult.content). A property of
any other type is left out if it is optional and makes the form unanswerable if it is required; the form says so either
way. The arguments of a call may be any JSON, so each of their properties has a field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from webclient.content.forms import filling
from webclient.content.forms.defaults import with_defaults
from webclient.content.forms.field import Field, Option
from webclient.content.forms.form import Form
from webclient.content.forms.properties import LABEL_LIMIT, PropertyReader, class_words, description_of, title_of
from webclient.content.forms.references import UnreadableError
from webclient.content.forms.schema import Resolver, Schema
from webclient.content.forms.shapes import has_shapes, root_parts
from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _

__all__ = ["Field", "Form", "Option", "read_arguments", "read_form", "read_program_form"]

MOST_FIELDS = 1_000

_DIALECTS = ("json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema", "json-schema.org/draft-0")


def read_form(schema: Mapping[str, Any], *, files: bool = False) -> Form:
    """Return the form for an answer to `schema`, a server's `requestedSchema`; `files`: texts may be files."""
    if not isinstance(schema, Mapping):
        return Form(schema=schema, unanswerable=_("The server's schema does not describe a form."))
    resolver = Resolver(schema)
    try:
        root = resolver.whole()
    except UnreadableError as unreadable:
        return Form(schema=schema, unanswerable=str(unreadable))
    properties, wanted = _properties(root), _wanted(root)
    fields = with_defaults(root, tuple(_fields(PropertyReader(resolver, files=files), properties, frozenset(wanted))))
    description, more = description_of(root)
    return Form(
        title=class_words(title_of(root)),
        description=description,
        more=more,
        fields=fields,
        schema=schema,
        unanswerable=_why_unanswerable(root, fields, wanted),
        notes=tuple(_notes(root, len(properties))),
        texts=filling.first(fields),
    )


def read_program_form(schema: Any) -> Form:
    """Return the form for an answer to a program's `schema`: a choice at its root is one, and its values may nest."""
    if not has_shapes(schema):
        return read_form(schema, files=True)
    form = read_arguments(schema)
    return replace(form, title=class_words(form.title))


def read_arguments(schema: Any, *, first: int = 0) -> Form:
    """Return the form for the arguments of a call; `schema` is a tool's `inputSchema`.

    If the schema describes no properties, or cannot be read, the form has no fields and is `as_json`. The controls are
    numbered from `first` on, so that a page can have the fields of several tools in one form.
    """
    only_json = Form(schema=schema, deep=True, as_json=True)
    if not isinstance(schema, Mapping):
        return only_json
    resolver = Resolver(schema)
    reader = PropertyReader(resolver, deep=True)
    try:
        root = resolver.whole()
        parts = root_parts(reader, root, schema) if has_shapes(root) else reader.root(root)
    except UnreadableError:
        return only_json
    if parts is None or len(parts) > MOST_FIELDS:
        return only_json
    fields = with_defaults(root, tuple([part._replace(control=f"f{n}") for n, part in enumerate(parts, first)]))
    description, more = description_of(root)
    return Form(
        title=title_of(root),
        description=description,
        more=more,
        fields=fields,
        schema=schema,
        deep=True,
        notes=tuple(_notes(root, len(fields))),
        texts=filling.first(fields),
    )


def _properties(root: Schema) -> Mapping[str, Any]:
    return root["properties"] if isinstance(root.get("properties"), Mapping) else {}


def _wanted(root: Schema) -> list[str]:
    required = root["required"] if isinstance(root.get("required"), list) else []
    return [name for name in required if isinstance(name, str)]


def _fields(reader: PropertyReader, properties: Mapping[str, Any], required: frozenset[str]) -> Iterator[Field]:
    for index, (name, schema) in enumerate(islice(properties.items(), MOST_FIELDS)):
        yield reader.field(name, schema, required=name in required)._replace(control=f"f{index}")


def _why_unanswerable(root: Schema, fields: tuple[Field, ...], wanted: Sequence[str]) -> str | None:
    for field in fields:
        if field.required and field.kind == "unfillable":
            return _("The required field “{name}” can't be filled in. {reason}").format(
                name=field.label, reason=field.reason
            )
    known = {field.name for field in fields}
    missing = next((name for name in wanted if name not in known), None)
    if missing is not None and len(fields) == MOST_FIELDS:
        return _("The server requires more fields than can be shown here: at most {n}.").format(n=MOST_FIELDS)
    if missing is not None:
        return _("The server requires “{name}”, but its form has no such field.").format(
            name=visible(missing, LABEL_LIMIT)
        )
    named = root.get("type", "object")
    if "object" not in (named if isinstance(named, list) else [named]):
        return _("The server asks for a value that is not an object, which a form cannot give.")
    return None


def _notes(root: Schema, count: int) -> Iterator[str]:
    dialect = root.get("$schema")
    if isinstance(dialect, str) and not any(known in dialect for known in _DIALECTS):
        yield _("The server's schema has an unknown dialect ({dialect}). It is read as JSON Schema 2020-12.").format(
            dialect=visible(dialect, 100)
        )
    if count > MOST_FIELDS:
        yield _("The server asks for {count} fields; the first {most} are shown.").format(count=count, most=MOST_FIELDS)
