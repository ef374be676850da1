"""Reads a posted form: the content of an answer or arguments of a call, or a sentence for each wrong field.

Nothing is invented: an untouched optional field, list or group is absent, null is sent only if it was written as JSON,
and typed text is not trimmed.
"""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webclient.content.forms import controls, filling
from webclient.content.forms.controls import missing, names_of, normal, value_of
from webclient.content.forms.field import JSON, KEY, Field, Texts
from webclient.content.forms.filling import ABSENT
from webclient.content.forms.form import Form
from webclient.content.forms.validation import MOST_SENTENCES, Path, check, placed, violations
from webclient.content.forms.writing import json_text
from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _

__all__ = ["Parsed", "names_of", "parse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A posted form.

    `content` can be sent if `is_right`. `errors` maps a property's name, or "" for the whole, to a sentence; `inside`
    does so for the controls of fields inside others. `texts` are the typed texts by control, to show the form again.
    """

    content: dict[str, Any] = dataclasses.field(default_factory=dict)
    errors: dict[str, str] = dataclasses.field(default_factory=dict)
    inside: dict[str, str] = dataclasses.field(default_factory=dict)
    texts: dict[str, list[str]] = dataclasses.field(default_factory=dict)

    @property
    def is_right(self) -> bool:
        """Whether there are no errors."""
        return not self.errors and not self.inside


def parse(form: Form, posted: Sequence[tuple[str, str]]) -> Parsed:
    """Read `posted`, the pairs of an HTML form in order, by the fields of `form`; others are ignored."""
    entered = posted_texts(form, posted)
    reading = Reading(entered)
    content = reading.object(form.fields, ())
    names = {each.control: each.name for each in form.fields if not each.spreads}
    errors = {name: reading.errors[control] for control, name in names.items() if control in reading.errors}
    inside = {control: said for control, said in reading.errors.items() if control not in names}
    if not form.deep:
        if form.unanswerable:
            errors.setdefault("", form.unanswerable)
        # an unreadable field is not missing as well: its own sentence is the helpful one
        return Parsed(content=content, errors={**check(form.schema, content), **errors}, texts=entered)
    found = _violations_by_control(form.schema_for(entered), content, reading.places)
    # What is wrong with the whole is said if nothing else is.
    for place, sentence in sorted(found, key=lambda each: not each[0])[:MOST_SENTENCES]:
        if place in names:
            errors.setdefault(names[place], sentence)
        elif place or not (errors or inside):
            (inside if place else errors).setdefault(place, sentence)
    return Parsed(content=content, errors=errors, inside=inside, texts=entered)


def posted_texts(form: Form, posted: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the posted texts of the controls of `form`."""
    ours = _of_fields(form.fields)
    entered: dict[str, list[str]] = {}
    for name, text in posted:
        if name in ours or (form.deep and _WITHIN.fullmatch(name) and name.split(".", 1)[0] in ours):
            entered.setdefault(name, []).append(normal(text))
    return entered


_WITHIN = re.compile(r"f[0-9]{1,4}(\.[0-9]{1,6}){0,20}(\.(zone|empty|items|key|json))?", re.ASCII)
"""Controls of a nesting field, or of one inside it."""


def _of_fields(fields: Sequence[Field]) -> frozenset[str]:
    return frozenset(name for each in fields for name in names_of(each))


def _violations_by_control(
    schema: Any, content: Mapping[str, Any], places: Mapping[Path, str]
) -> list[tuple[str, str]]:
    """Return the violations of `schema` in `content`, each with the control of the innermost field it is about."""
    found = []
    for violation in violations(schema, content):
        depth = next(n for n in range(len(violation.path), -1, -1) if n == 0 or violation.path[:n] in places)
        inner = violation.path[depth:] if depth else violation.path
        found.append((places.get(violation.path[:depth], "") if depth else "", placed(inner, violation.sentence)))
    return found


class Reading:
    """Reads the texts in `entered`, which are by control.

    `errors` has a sentence by control, `places` the control by the path of a value. A `lenient` reading gives the typed
    text for a field that cannot be read.
    """

    def __init__(self, entered: Texts, *, lenient: bool = False) -> None:
        self.errors: dict[str, str] = {}
        self.places: dict[Path, str] = {}
        self._entered = entered
        self._lenient = lenient
        self._names = sorted(entered)

    def object(self, fields: Sequence[Field], path: Path) -> dict[str, Any]:
        """Return the object for `fields` at `path`, without absent ones."""
        found: dict[str, Any] = {}
        for field in fields:
            if field.kind == "shapes":
                self._add_shape(field, path, found)
                continue
            if field.spreads:
                self._add_others(field, path, found)
                continue
            value = self.field(field, (*path, field.name))
            if value is not ABSENT:
                found[field.name] = value
        return found

    def _add_shape(self, field: Field, path: Path, found: dict[str, Any]) -> None:
        """Add the values of the chosen shape."""
        shape = field.shape(self._entered)
        if shape is None:
            self.errors[field.control] = missing(field)
            return
        for name, value in self.object(shape.inner, path).items():
            if name in found:
                self.errors[self.places[(*path, name)]] = _twice(name)
            else:
                found[name] = value

    def _add_others(self, field: Field, path: Path, found: dict[str, Any]) -> None:
        """Add further properties, none of which may have the name of a field."""
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
        if field.control + JSON in self._entered:
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
        value = value_of(field, self._entered)
        return ABSENT if value is None else value

    def _written(self, field: Field) -> Any:
        text = self._entered[field.control + JSON][-1]
        return json_text.read_json(text) if text.strip() else ABSENT

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
        for _key, entry in field.entries(self._entered):
            value = self.field(entry, (*path, len(found)))
            if value is not ABSENT:
                found.append(value)
        return found

    def _pairs(self, field: Field, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for _key, entry in field.entries(self._entered):
            name = (self._entered.get(entry.control + KEY) or [""])[-1]
            value = self.field(entry, (*path, name))
            if not name or name in found:
                self.errors[entry.control] = _unnamed() if not name else _twice(name)
            elif value is not ABSENT:
                found[name] = value
        return found

    def _sends_empty(self, field: Field) -> bool:
        return controls.TICKED in self._entered.get(field.control + controls.EMPTY, ())

    def _as_typed(self, field: Field) -> Any:
        if not self._lenient:
            return ABSENT
        if field.control + JSON in self._entered:
            return self._entered[field.control + JSON][-1]
        return controls.typed_text(field, self._entered) or ABSENT

    def _said(self, field: Field) -> dict[str, list[str]]:
        """Return the non-empty texts of the controls within `field`."""
        start, end = (bisect_left(self._names, field.control + next_to) for next_to in (".", "/"))
        return filling.said(field, {name: self._entered[name] for name in self._names[start:end]})


def _unnamed() -> str:
    return _("Give this a name, or remove it.")


def _twice(name: str) -> str:
    return _("“{name}” appears twice, and only one can be sent.").format(name=visible(name, 80))
