"""From what a browser posted to the content of an answer or the arguments of a call, or to a sentence per field.

Nothing is invented: an untouched optional field, list or group is absent, null is not sent unless it was written as
JSON, and what was typed is not trimmed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webclient.forms.check import MOST_SENTENCES, check, placed
from webclient.forms.field import Field
from webclient.forms.form import Form
from webclient.forms.reading import Reading
from webclient.forms.typed import names_of, normal
from webclient.forms.verdict import Path, violations

__all__ = ["Parsed", "names_of", "parse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A posted form.

    `content` is ready to be sent if `is_right`. `errors` maps a property's name, or "" for the whole, to a sentence,
    `inside` the control of a field that is part of another one. `texts` is what was typed, by control, to show the
    form again.
    """

    content: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    inside: dict[str, str] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_right(self) -> bool:
        """Whether nothing is wrong with it."""
        return not self.errors and not self.inside


def parse(form: Form, posted: Sequence[tuple[str, str]]) -> Parsed:
    """Return what `posted`, the pairs of an HTML form in order, says to `form`; keys of others are ignored."""
    held = held_by(form, posted)
    reading = Reading(held)
    content = reading.object(form.fields, ())
    names = {each.control: each.name for each in form.fields if not each.spreads}
    errors = {name: reading.errors[control] for control, name in names.items() if control in reading.errors}
    inside = {control: said for control, said in reading.errors.items() if control not in names}
    if not form.deep:
        if form.unanswerable:
            errors.setdefault("", form.unanswerable)
        # a field that could not be read is not also missing: the first sentence is the helpful one
        return Parsed(content=content, errors={**check(form.schema, content), **errors}, texts=held)
    for place, sentence in _judged(form, content, reading.places)[:MOST_SENTENCES]:
        if place in names:
            errors.setdefault(names[place], sentence)
        elif place or not (errors or inside):
            (inside if place else errors).setdefault(place, sentence)
    return Parsed(content=content, errors=errors, inside=inside, texts=held)


def held_by(form: Form, posted: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Return what was posted of the controls of `form`."""
    ours = _of_fields(form.fields)
    held: dict[str, list[str]] = {}
    for name, text in posted:
        if name in ours or (form.deep and _WITHIN.fullmatch(name) and name.split(".", 1)[0] in ours):
            held.setdefault(name, []).append(normal(text))
    return held


_WITHIN = re.compile(r"f[0-9]{1,4}(\.[0-9]{1,6}){0,20}(\.(zone|empty|items|key|json))?", re.ASCII)
"""Controls of a field that nests, or of one within it."""


def _of_fields(fields: Sequence[Field]) -> frozenset[str]:
    return frozenset(name for each in fields for name in names_of(each))


def _judged(form: Form, content: Mapping[str, Any], places: Mapping[Path, str]) -> list[tuple[str, str]]:
    """What is wrong with `content` by the schema, each at the control of the innermost field that it is about."""
    found = []
    for violation in violations(form.schema, content):
        depth = next(n for n in range(len(violation.path), -1, -1) if n == 0 or violation.path[:n] in places)
        inner = violation.path[depth:] if depth else violation.path
        found.append((places.get(violation.path[:depth], "") if depth else "", placed(inner, violation.sentence)))
    return found
