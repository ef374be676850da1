"""One property of a schema as a field, with all that is in it: at any depth the same, and at a bounded price.

Where values may nest, a property that no control suits is a field that is written as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webclient.forms import nested
from webclient.forms.display import parted, visible
from webclient.forms.field import Field
from webclient.forms.kinds import Control, control_of
from webclient.forms.references import UnreadableError
from webclient.forms.schema import Resolved, Resolver, Schema
from webclient.forms.values import is_encodable
from webclient.i18n import gettext as _

LABEL_LIMIT = 200
MOST_WITHIN, MOST_NESTED = 150, 1_000
"""Fields within one property, and within all properties of a form; more than that are written as JSON."""


class TooManyError(Exception):
    """A property has more fields in it than are shown."""


class PropertyReader:
    """Reads the properties of one document. `deep`: their values may nest."""

    def __init__(self, resolver: Resolver, *, deep: bool = False) -> None:
        self.resolver = resolver
        self._deep = deep
        self._left = MOST_NESTED
        self._room = 0

    def root(self, schema: Schema) -> tuple[Field, ...] | None:
        """Return the fields for an object that `schema` describes; None if it is to be written as JSON as a whole."""
        return nested.parts_of(self, schema, 0, is_root=True)

    def field(self, name: str, schema: Any, *, required: bool, level: int = 0) -> Field:
        """Return the field for the property `name`, which is `level` groups, lists or maps below the top."""
        if level:
            self._count()
        else:
            self._room = MOST_WITHIN
        resolved, made, reason = self._read(name, schema, level)
        # a title that a reference leads to names the type, and two fields may share it
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
            return resolved, _UNFILLABLE, _("Its name holds half a character, which cannot be sent.")
        try:
            resolved = self.resolver.resolve(schema)
            return resolved, self._control(resolved, level), None
        except UnreadableError as unreadable:
            return resolved, nested.AS_JSON if self._deep else _UNFILLABLE, str(unreadable)
        except TooManyError:
            if level:
                raise
            return resolved, nested.AS_JSON, None

    def _control(self, resolved: Resolved, level: int) -> Control:
        made = nested.control_of(self, resolved, level) if self._deep else None
        return control_of(self.resolver, resolved) if made is None else made


_UNREAD, _UNFILLABLE = Resolved({}), Control("unfillable")


def title_of(schema: Schema) -> str:
    """Return the title that `schema` has of its own, safe to look at."""
    title = schema.get("title")
    return visible(title, LABEL_LIMIT) if isinstance(title, str) else ""


def description_of(schema: Mapping[str, Any]) -> tuple[str, str]:
    """Return what to show at once of the description in `schema`, and the rest."""
    description = schema.get("description")
    return parted(description) if isinstance(description, str) else ("", "")
