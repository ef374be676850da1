"""Fills in the controls of fields, at any depth: with defaults, or with a value.

A value that the controls cannot show exactly is written as JSON instead, so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from webclient.content.forms import controls
from webclient.content.forms.controls import value_of
from webclient.content.forms.defaults import holdable
from webclient.content.forms.field import ITEMS, JSON, KEY, MOST_ENTRIES, NESTING, Entered, Field, Texts
from webclient.content.forms.form import Form
from webclient.content.forms.values import equal, is_typable
from webclient.content.forms.writing import json_text

ABSENT: Any = object()
"""The value of a field that is left out; None is a null that was written as JSON."""

MOST_CONTROLS = 2_000
"""The most controls for one property; a value that needs more is written as JSON."""


def first(fields: Iterable[Field]) -> Entered:
    """Return the first texts of controls: the defaults, and one entry in a required list."""
    return {name: entered for field in fields for name, entered in _first(field).items()}


def fill(field: Field, value: Any) -> Entered:
    """Return the texts of the controls of `field` for `value`, which may be ABSENT."""
    if value is ABSENT:
        return first([field]) if field.default is None and field.kind == "group" else _blank(field)
    entered = _filled(field, value)
    return _as_json(field, value) if entered is None or len(entered) > MOST_CONTROLS else entered


def fill_all(fields: Iterable[Field], content: Mapping[str, Any]) -> Entered | None:
    """Return the texts of all controls for `content`; None if they cannot show all of it."""
    entered, left, is_exact = fill_most(fields, content)
    return entered if is_exact and not left else None


def fill_most(fields: Iterable[Field], content: Mapping[str, Any]) -> tuple[Entered, dict[str, Any], bool]:
    """Return the texts of all controls for `content`, and the values that they cannot show.

    The last is False if they say more than `content`: a constant that it does not have.
    """
    entered: Entered = {}
    left, is_exact = dict(content), True
    for field in fields:
        if field.kind == "shapes":
            texts, left, fits = _shaped(field, left)
            entered |= texts
            is_exact = is_exact and fits
            continue
        if field.spreads:
            said = _filled(field, left)
            left = {} if said is not None else left
            entered |= said or {}
            continue
        value = left.pop(field.name, ABSENT)
        if field.kind == "constant" and (value is ABSENT or not equal(value, field.default)):
            is_exact = False
            left |= {} if value is ABSENT else {field.name: value}
        entered |= fill(field, value)
    return entered, left, is_exact


def closest(field: Field, content: Mapping[str, Any]) -> Field | None:
    """Return the shape that `content` fits best; None if it has nothing of any."""
    known = [shape for shape in field.inner if any(part.name in content for part in shape.parts)]
    return min(known, key=lambda shape: _misfit(shape, content), default=None)


def fitting(form: Form, content: Mapping[str, Any]) -> Form:
    """Return the form with the fields of the shape that `content` fits best."""
    return form.chosen(closest_texts(form, content))


def closest_texts(form: Form, content: Mapping[str, Any]) -> Texts:
    """Return the texts that choose the shape that `content` fits best."""
    shapes = [each for each in form.fields if each.kind == "shapes"]
    return {each.control: [_key_of(closest(each, content))] for each in shapes}


def said(field: Field, entered: Texts) -> dict[str, list[str]]:
    """Return the non-empty texts of the controls within `field`."""
    return dict(_saying(field.control + controls.EMPTY, entered))


def entry(field: Field, key: str) -> Entered:
    """Return the texts of the controls of a new entry."""
    name = {f"{field.control}.{key}{KEY}": [""]} if field.kind == "map" else {}
    return {**name, **first([field.entry(key)])}


def _shaped(field: Field, content: Mapping[str, Any]) -> tuple[Entered, dict[str, Any], bool]:
    """Return the same as `fill_most` for a choice of shapes."""
    shape = closest(field, content)
    if shape is None:
        return first([field]), dict(content), not content
    texts, left, is_exact = fill_most(shape.inner, content)
    return {**first([field]), field.control: [_key_of(shape)], **texts}, left, is_exact


def _misfit(shape: Field, content: Mapping[str, Any]) -> tuple[int, int]:
    """Return how badly a shape fits: the constants that differ first."""
    fields = {part.name: part for part in shape.inner if not part.spreads}
    constants = [each for each in fields.values() if each.kind == "constant"]
    differing = sum(each.name not in content or not equal(content[each.name], each.default) for each in constants)
    missing = sum(each.required and each.name not in content for each in fields.values())
    others = fields.keys() & content.keys() - {each.name for each in constants}
    unshown = sum(fields[name].kind != "json" and _filled(fields[name], content[name]) is None for name in others)
    return differing, missing + unshown + len(content.keys() - fields.keys())


def _key_of(shape: Field | None) -> str:
    return "" if shape is None else shape.control.rpartition(".")[2]


def _first(field: Field) -> Entered:
    if field.kind == "json":
        return {field.control + JSON: [""]} if field.default is None else _as_json(field, field.default)
    if field.kind not in NESTING:
        return controls.of(field, field.default)
    if field.kind == "shapes":
        return _unchosen(field)
    if field.default is not None or field.kind == "group":
        return first(field.inner) if field.default is None else fill(field, field.default)
    return {field.control + ITEMS: ["0"], **entry(field, "0")} if field.kind == "list" and field.required else {}


def _unchosen(field: Field) -> Entered:
    """Return the first texts of all shapes; a single one is chosen."""
    chosen = field.options[0].key if len(field.options) == 1 else ""
    return {field.control: [chosen], **first(each for shape in field.inner for each in shape.inner)}


def _blank(field: Field) -> Entered:
    if field.kind == "group":
        return {name: entered for part in field.inner for name, entered in _blank(part).items()}
    if field.kind == "json":
        return {field.control + JSON: [""]}
    return {} if field.kind in NESTING else controls.of(field, None)


def _as_json(field: Field, value: Any) -> Entered:
    return {field.control + JSON: [json_text.write_json(value)]}


def _filled(field: Field, value: Any) -> Entered | None:
    match field.kind:
        case "group":
            return _group(field, value)
        case "list":
            return _list(field, value)
        case "map":
            return _map(field, value)
        case "json" | "unfillable":
            return None
    return {} if field.kind == "constant" else _single(field, value)


def _group(group: Field, value: Any) -> Entered | None:
    entered = fill_all(group.inner, value) if isinstance(value, dict) else None
    if entered is None or group.required:
        return entered
    found = said(group, entered)
    # a group that looks untouched would be left out
    silent = not found or (group.default is None and found == said(group, first([group])))
    return {**entered, group.control + controls.EMPTY: [controls.TICKED]} if silent else entered


def _list(field: Field, value: Any) -> Entered | None:
    if not isinstance(value, list) or len(value) > MOST_ENTRIES:
        return None
    entered: Entered = {field.control + ITEMS: list(map(str, range(len(value))))}
    for index, each in enumerate(value):
        entered |= fill(field.entry(str(index)), each)
    return entered if value else _ticked(field)


def _map(field: Field, value: Any) -> Entered | None:
    if not isinstance(value, dict) or len(value) > MOST_ENTRIES:
        return None
    if not all(name and _is_line(name) for name in value):
        return None
    entered: Entered = {field.control + ITEMS: list(map(str, range(len(value))))}
    for index, (name, each) in enumerate(value.items()):
        entered |= {f"{field.control}.{index}{KEY}": [name], **fill(field.entry(str(index)), each)}
    return entered if value or field.spreads else _ticked(field)


def _ticked(field: Field) -> Entered | None:
    return {field.control + controls.EMPTY: [controls.TICKED]} if field.may_be_empty else None


def _is_line(text: str) -> bool:
    return is_typable(text) and not set("\r\n") & set(text)


def _single(field: Field, value: Any) -> Entered | None:
    if isinstance(value, str) and "\r" in value:
        return None  # a browser changes the line break
    fitting = holdable(field, value)
    if fitting is not None:
        entered = controls.of(field, fitting)
        if value in ("", []):
            entered[field.control + controls.EMPTY] = [controls.TICKED]
        return entered if equal(_read(field, entered), value) else None
    if isinstance(value, str) and field.takes_any_text and is_typable(value):
        # the text as typed, if it cannot be confused with a valid value
        entered = {**controls.of(field, None), field.control: [value]}
        return entered if _read(field, entered) is ABSENT else None
    return None


def _read(field: Field, entered: Texts) -> Any:
    try:
        return value_of(field, entered)
    except ValueError:
        return ABSENT


def _saying(tick: str, entered: Texts) -> Iterator[tuple[str, list[str]]]:
    """Yield the non-empty controls; a time zone without a date is none, because pages fill it in themselves."""
    for name, typed in entered.items():
        found = [text for text in typed if text]
        of_date = name.removesuffix(controls.ZONE)
        if found and name != tick and (of_date == name or any(entered.get(of_date, ()))):
            yield name, found
