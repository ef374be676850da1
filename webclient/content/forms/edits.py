"""The buttons within a form: add or remove an entry, or switch one field between JSON and controls.

Text in all other fields stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from webclient.content.forms import filling
from webclient.content.forms.controls import EMPTY
from webclient.content.forms.field import ITEMS, JSON, MOST_ENTRIES, Entered, Field, Texts
from webclient.content.forms.filling import ABSENT
from webclient.content.forms.form import Form
from webclient.content.forms.parse import Reading
from webclient.content.forms.writing import json_text
from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _


class Edited(NamedTuple):
    """The new texts of all controls, the control to focus, an announcement, and errors by control."""

    texts: Entered
    focus: str = ""
    said: str = ""
    wrong: Mapping[str, str] = {}


def edit(form: Form, entered: Texts, wanted: str) -> Edited:
    """Return the form's texts after a button was pressed; `wanted` is its value, such as `add f2`.

    `entered` are the texts before. An unknown button changes nothing.
    """
    verb, _space, control = wanted.partition(" ")
    texts = {name: list(typed) for name, typed in entered.items()}
    field = _find(form, texts, control)
    known = {"add": _add, "json": _to_json, "fields": _to_fields}
    if verb == "remove" and "." in control:
        owner = _find(form, texts, control.rpartition(".")[0])
        return _remove(owner, texts, control) if owner is not None else Edited(texts)
    return known[verb](field, texts) if field is not None and verb in known else Edited(texts)


def _find(form: Form, texts: Texts, control: str) -> Field | None:
    """Return the shown field that has this control, or None."""
    fields: Sequence[Field] = form.fields
    first, *steps = control.split(".")
    found = next((each for each in fields if each.control == first), None)
    for step in steps:
        if found is None:
            return None
        inner = found.inner if found.kind in ("group", "shapes") else [entry for _key, entry in found.entries(texts)]
        found = next((each for each in inner if each.control == f"{found.control}.{step}"), None)
    return found


def _add(field: Field, texts: Entered) -> Edited:
    keys = [key for key, _entry in field.entries(texts)]
    if field.kind not in ("list", "map"):
        return Edited(texts)
    if len(keys) >= MOST_ENTRIES:
        sentence = _("At most {n} entries are shown. Switch to JSON for more.")
        return Edited(texts, field.control, wrong={field.control: sentence.format(n=MOST_ENTRIES)})
    key = str(max(map(int, keys), default=-1) + 1)
    texts[field.control + ITEMS] = [*keys, key]
    texts.pop(field.control + EMPTY, None)
    texts |= filling.entry(field, key)
    entry = field.entries(texts)[-1][1]
    return Edited(texts, f"{entry.control}-entry", _("{entry} was added.").format(entry=entry.label))


def _remove(field: Field, texts: Entered, control: str) -> Edited:
    gone = next((each for each in field.entries(texts) if each[1].control == control), None)
    if gone is None:
        return Edited(texts)
    key, entry = gone
    left = _without(texts, control)
    left[field.control + ITEMS] = [each for each in texts[field.control + ITEMS] if each != key]
    return Edited(left, field.control, _("{entry} was removed.").format(entry=entry.label))


def _to_json(field: Field, texts: Entered) -> Edited:
    value = Reading(texts, lenient=True).field(field, ())
    text = "" if value is ABSENT else json_text.write_json(value)
    return Edited(_without(texts, field.control) | {field.control + JSON: [text]}, field.control)


def _to_fields(field: Field, texts: Entered) -> Edited:
    text = texts.get(field.control + JSON, [""])[-1]
    try:
        value = json_text.read_json(text) if text.strip() else ABSENT
    except ValueError as wrong:
        return Edited(texts, field.control, wrong={field.control: str(wrong)})
    entered = filling.fill(field, value)
    if field.control + JSON in entered and field.kind != "json":
        sentence = _("The fields of “{name}” cannot show this value, so it stays JSON.")
        return Edited(texts, field.control, wrong={field.control: sentence.format(name=visible(field.label, 80))})
    return Edited(_without(texts, field.control) | entered, field.control)


def _without(texts: Entered, control: str) -> Entered:
    return {name: typed for name, typed in texts.items() if name != control and not name.startswith(control + ".")}
