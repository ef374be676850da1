"""Reads the controls of fields, at any depth: their values, what is wrong with which, and where each value is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from webclient.forms import controls, filling, json_text
from webclient.forms.display import visible
from webclient.forms.field import JSON, KEY, Field
from webclient.forms.filling import ABSENT
from webclient.forms.typed import Held, missing, value_of
from webclient.forms.verdict import Path
from webclient.i18n import gettext as _


class Reading:
    """One reading of what is `held`, by control.

    `errors` has a sentence by control, `places` the control by the path of a value. If it is `lenient`, a field that
    cannot be read gives what was typed, as text.
    """

    def __init__(self, held: Held, *, lenient: bool = False) -> None:
        self.errors: dict[str, str] = {}
        self.places: dict[Path, str] = {}
        self._held = held
        self._lenient = lenient
        self._names = sorted(held)

    def object(self, fields: Sequence[Field], path: Path) -> dict[str, Any]:
        """Return the object that `fields` describe at `path`, without those that are left out."""
        found: dict[str, Any] = {}
        for field in fields:
            if field.spreads:
                self._add_others(field, path, found)
                continue
            value = self.field(field, (*path, field.name))
            if value is not ABSENT:
                found[field.name] = value
        return found

    def _add_others(self, field: Field, path: Path, found: dict[str, Any]) -> None:
        """Take further properties, none of which may be called as one of the fields."""
        listed = set(found)
        for name, value in self._pairs(field, path).items():
            if name in listed:
                self.errors[self.places[(*path, name)]] = _twice(name)
            else:
                found[name] = value

    def field(self, field: Field, path: Path) -> Any:
        """Return the value of `field`, or ABSENT."""
        self.places[path] = field.control
        try:
            value = self._value(field, path)
        except ValueError as wrong:
            self.errors[field.control] = str(wrong)
            return self._as_typed(field)
        if value is ABSENT and field.required and field.kind != "unfillable":
            self.errors.setdefault(field.control, missing(field))
        return value

    def _value(self, field: Field, path: Path) -> Any:
        if field.control + JSON in self._held:
            return self._written(field)
        match field.kind:
            case "group":
                return self._group(field, path)
            case "list":
                return self._entries(field, self._list(field, path))
            case "map":
                return self._entries(field, self._pairs(field, path))
            case "json":
                return ABSENT
        value = value_of(field, self._held)
        return ABSENT if value is None else value

    def _written(self, field: Field) -> Any:
        text = self._held[field.control + JSON][-1]
        return json_text.read(text) if text.strip() else ABSENT

    def _group(self, group: Field, path: Path) -> Any:
        if not group.required and not self._sends_empty(group):
            said = self._said(group)
            if not said or (group.default is None and said == filling.said(group, filling.first([group]))):
                return ABSENT
        return self.object(group.inner, path)

    def _entries(self, field: Field, found: Any) -> Any:
        return found if found or (field.may_be_empty and self._sends_empty(field)) else ABSENT

    def _list(self, field: Field, path: Path) -> list[Any]:
        found: list[Any] = []
        for _key, entry in field.entries(self._held):
            value = self.field(entry, (*path, len(found)))
            if value is not ABSENT:
                found.append(value)
        return found

    def _pairs(self, field: Field, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for _key, entry in field.entries(self._held):
            name = (self._held.get(entry.control + KEY) or [""])[-1]
            value = self.field(entry, (*path, name))
            if not name or name in found:
                self.errors[entry.control] = _unnamed() if not name else _twice(name)
            elif value is not ABSENT:
                found[name] = value
        return found

    def _sends_empty(self, field: Field) -> bool:
        return controls.TICKED in self._held.get(field.control + controls.EMPTY, ())

    def _as_typed(self, field: Field) -> Any:
        if not self._lenient:
            return ABSENT
        if field.control + JSON in self._held:
            return self._held[field.control + JSON][-1]
        return controls.typed(field, self._held) or ABSENT

    def _said(self, field: Field) -> dict[str, list[str]]:
        """What the controls within `field` say."""
        start, end = (bisect_left(self._names, field.control + next_to) for next_to in (".", "/"))
        return filling.said(field, {name: self._held[name] for name in self._names[start:end]})


def _unnamed() -> str:
    return _("Give this a name, or remove it.")


def _twice(name: str) -> str:
    return _("“{name}” is there twice, and only one can be sent.").format(name=visible(name, 80))
