"""From `requestedSchema` to the fields that a person fills in, in the server's order.

An answer may hold texts, numbers, yes or no, and lists of texts (MCP 2025-11-25, ElicitResult.content). A property
that wants anything else is left out if it is optional, and makes the form unanswerable if it is required; both are
said in so many words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from webclient.forms import texts
from webclient.forms.defaults import with_defaults
from webclient.forms.form import Field, Form, Option
from webclient.forms.kinds import Control, control_of
from webclient.forms.references import UnreadableError
from webclient.forms.schema import Resolved, Resolver, Schema
from webclient.forms.text import parted, visible
from webclient.forms.values import is_encodable
from webclient.i18n import gettext as _

__all__ = ["Field", "Form", "Option", "read_form"]

MOST_FIELDS = 1_000
LABEL_LIMIT = 200

_DIALECTS = ("json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema", "json-schema.org/draft-0")


def read_form(schema: Mapping[str, Any]) -> Form:
    """Return the form that asks for what `schema`, a server's `requestedSchema` or `inputSchema`, describes."""
    if not isinstance(schema, Mapping):
        return Form(schema=schema, flat=False, unanswerable=_("What the server sent describes no form."))
    resolver = Resolver(schema)
    try:
        root = resolver.whole()
    except UnreadableError as unreadable:
        return Form(schema=schema, flat=False, unanswerable=str(unreadable))
    properties = root["properties"] if isinstance(root.get("properties"), Mapping) else {}
    required = root["required"] if isinstance(root.get("required"), list) else []
    wanted = [name for name in required if isinstance(name, str)]
    fields = with_defaults(root, tuple(_fields(resolver, properties, frozenset(wanted))))
    description, more = _description(root)
    unanswerable = _why_unanswerable(root, fields, wanted)
    whole = len(fields) == len(properties) and not any(each.kind == "unfillable" or each.guessed for each in fields)
    return Form(
        title=_title(root),
        description=description,
        more=more,
        fields=fields,
        schema=schema,
        unanswerable=unanswerable,
        flat=whole and unanswerable is None,
        notes=tuple(_notes(root, len(properties))),
        texts=texts.first(fields),
    )


def _title(schema: Schema) -> str:
    title = schema.get("title")
    return visible(title, LABEL_LIMIT) if isinstance(title, str) else ""


def _description(schema: Schema) -> tuple[str, str]:
    description = schema.get("description")
    return parted(description) if isinstance(description, str) else ("", "")


def _fields(resolver: Resolver, properties: Mapping[str, Any], required: frozenset[str]) -> Iterator[Field]:
    for index, (name, schema) in enumerate(islice(properties.items(), MOST_FIELDS)):
        yield _field(name, f"f{index}", schema, resolver, required=name in required)


def _field(name: str, control: str, schema: Any, resolver: Resolver, *, required: bool) -> Field:
    resolved, made, reason = _read(name, schema, resolver)
    # a title that a reference leads to names the type, and two fields may share it
    own_title = _title(schema) if isinstance(schema, dict) else ""
    description, more = _description(resolved.schema)
    return Field(
        name=name,
        control=control,
        kind=made.kind,
        label=own_title or visible(name, LABEL_LIMIT) or _("(no name)"),
        description=description,
        more=more,
        required=required,
        default=made.default,
        options=made.options,
        constraints=made.constraints,
        guessed=made.guessed,
        reason=reason,
        schema=resolved.schema,
    )


def _read(name: str, schema: Any, resolver: Resolver) -> tuple[Resolved, Control, str | None]:
    resolved = _UNREAD
    if not is_encodable(name):
        return resolved, _UNFILLABLE, _("Its name holds half a character, which cannot be sent.")
    try:
        resolved = resolver.resolve(schema)
        return resolved, control_of(resolver, resolved), None
    except UnreadableError as unreadable:
        return resolved, _UNFILLABLE, str(unreadable)


_UNREAD, _UNFILLABLE = Resolved({}), Control("unfillable")


def _why_unanswerable(root: Schema, fields: tuple[Field, ...], wanted: Sequence[str]) -> str | None:
    for field in fields:
        if field.required and field.kind == "unfillable":
            return _("The server requires “{name}”, which cannot be filled in here. {reason}").format(
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
        return _("The server asks for something else than a form.")
    return None


def _notes(root: Schema, count: int) -> Iterator[str]:
    dialect = root.get("$schema")
    if isinstance(dialect, str) and not any(known in dialect for known in _DIALECTS):
        yield _(
            "The server describes this form in a dialect that is not known here ({dialect}). "
            "It is read as JSON Schema 2020-12."
        ).format(dialect=visible(dialect, 100))
    if count > MOST_FIELDS:
        yield _("The server asks for {count} fields; the first {most} are shown.").format(count=count, most=MOST_FIELDS)
