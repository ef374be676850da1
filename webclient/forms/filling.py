"""Fills in the controls of fields, at any depth: as they are at first, and with a value.

What the controls of a field cannot say to the last character is written as JSON in its place, so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from webclient.forms import controls, json_text
from webclient.forms.controls import Held
from webclient.forms.defaults import holdable
from webclient.forms.field import ITEMS, JSON, KEY, MOST_ENTRIES, NESTING, Field, Texts
from webclient.forms.typed import value_of
from webclient.forms.values import equal, is_typable

ABSENT: Any = object()
"""The value of a field that is left out; None is the null that somebody wrote as JSON."""

MOST_CONTROLS = 2_000
"""Controls that one property is shown in; a value that needs more is written as JSON."""


def first(fields: Iterable[Field]) -> Held:
    """Return what the controls hold before anybody typed: the defaults, and one entry where a list is required."""
    return {name: held for field in fields for name, held in _first(field).items()}


def fill(field: Field, value: Any) -> Held:
    """Return what the controls of `field` hold when they say `value`, or when it is ABSENT."""
    if value is ABSENT:
        return first([field]) if field.default is None and field.kind == "group" else _blank(field)
    held = _filled(field, value)
    return _as_json(field, value) if held is None or len(held) > MOST_CONTROLS else held


def fill_all(fields: Iterable[Field], content: Mapping[str, Any]) -> Held | None:
    """Return what the controls of `fields` hold when they say `content`; None if they have no place for all of it."""
    held: Held = {}
    others = dict(content)
    for field in fields:
        if field.spreads:
            said = _filled(field, others)
            others = {} if said is not None else others
            held |= said or {}
            continue
        value = others.pop(field.name, ABSENT)
        if field.kind == "constant" and (value is ABSENT or not equal(value, field.default)):
            return None
        held |= fill(field, value)
    return None if others else held


def said(field: Field, held: Texts) -> dict[str, list[str]]:
    """Return what of `held`, the controls within `field`, says something."""
    return dict(_saying(field.control + controls.EMPTY, held))


def entry(field: Field, key: str) -> Held:
    """Return what the controls of a new entry hold."""
    name = {f"{field.control}.{key}{KEY}": [""]} if field.kind == "map" else {}
    return {**name, **first([field.entry(key)])}


def _first(field: Field) -> Held:
    if field.kind == "json":
        return {field.control + JSON: [""]} if field.default is None else _as_json(field, field.default)
    if field.kind not in NESTING:
        return controls.of(field, field.default)
    if field.default is not None:
        return fill(field, field.default)
    if field.kind == "group":
        return first(field.inner)
    if field.kind == "list" and field.required:
        return {field.control + ITEMS: ["0"], **entry(field, "0")}
    return {}


def _blank(field: Field) -> Held:
    if field.kind == "group":
        return {name: held for part in field.inner for name, held in _blank(part).items()}
    if field.kind == "json":
        return {field.control + JSON: [""]}
    return {} if field.kind in NESTING else controls.of(field, None)


def _as_json(field: Field, value: Any) -> Held:
    return {field.control + JSON: [json_text.write(value)]}


def _filled(field: Field, value: Any) -> Held | None:
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


def _group(group: Field, value: Any) -> Held | None:
    held = fill_all(group.inner, value) if isinstance(value, dict) else None
    if held is None or group.required:
        return held
    found = said(group, held)
    # what looks untouched would be left out
    silent = not found or (group.default is None and found == said(group, first([group])))
    return {**held, group.control + controls.EMPTY: [controls.TICKED]} if silent else held


def _list(field: Field, value: Any) -> Held | None:
    if not isinstance(value, list) or len(value) > MOST_ENTRIES:
        return None
    held: Held = {field.control + ITEMS: list(map(str, range(len(value))))}
    for index, each in enumerate(value):
        held |= fill(field.entry(str(index)), each)
    return held if value else _ticked(field)


def _map(field: Field, value: Any) -> Held | None:
    if not isinstance(value, dict) or len(value) > MOST_ENTRIES:
        return None
    if not all(name and _is_line(name) for name in value):
        return None
    held: Held = {field.control + ITEMS: list(map(str, range(len(value))))}
    for index, (name, each) in enumerate(value.items()):
        held |= {f"{field.control}.{index}{KEY}": [name], **fill(field.entry(str(index)), each)}
    return held if value or field.spreads else _ticked(field)


def _ticked(field: Field) -> Held | None:
    return {field.control + controls.EMPTY: [controls.TICKED]} if field.may_be_empty else None


def _is_line(text: str) -> bool:
    return is_typable(text) and not set("\r\n") & set(text)


def _single(field: Field, value: Any) -> Held | None:
    if isinstance(value, str) and "\r" in value:
        return None  # a browser makes another line break of it
    fitting = holdable(field, value)
    if fitting is not None:
        held = controls.of(field, fitting)
        if value in ("", []):
            held[field.control + controls.EMPTY] = [controls.TICKED]
        return held if equal(_read(field, held), value) else None
    if isinstance(value, str) and field.takes_any_text and is_typable(value):
        # as it was typed, if it is not to be mistaken for something else
        held = {**controls.of(field, None), field.control: [value]}
        return held if _read(field, held) is ABSENT else None
    return None


def _read(field: Field, held: Texts) -> Any:
    try:
        return value_of(field, held)
    except ValueError:
        return ABSENT


def _saying(tick: str, held: Texts) -> Iterator[tuple[str, list[str]]]:
    """Pages fill in a time zone by themselves, and without a date it says nothing."""
    for name, typed in held.items():
        found = [text for text in typed if text]
        of_date = name.removesuffix(controls.ZONE)
        if found and name != tick and (of_date == name or any(held.get(of_date, ()))):
            yield name, found
