"""From values to what the controls of a form hold; `parse` is the way back."""

from __future__ import annotations

from typing import Any

from webclient.forms import dates, numbers
from webclient.forms.field import TEXT_KINDS, Field, Texts
from webclient.forms.values import same

ZONE = ".zone"
EMPTY = ".empty"
TICKED = "1"
YES, NO, UNANSWERED = "yes", "no", ""

Held = dict[str, list[str]]


def of(field: Field, value: Any) -> Held:
    """Return what the controls of `field` hold when it is filled in with `value`; None is not filled in."""
    match field.kind:
        case "unfillable" | "constant" | "json":
            return {}
        case "boolean":
            return {field.control: [UNANSWERED if value is None else YES if value else NO]}
        case "choice":
            return {field.control: [_choice(field, value)]}
        case "datetime":
            local, zone = dates.split(value or "")
            return {field.control: [local], field.control + ZONE: [zone]}
        case "integer" | "number":
            return {field.control: ["" if value is None else numbers.written(value)]}
        case _:
            return _text_or_list(field, value)


def _text_or_list(field: Field, value: Any) -> Held:
    empty = {field.control + EMPTY: [TICKED]} if field.may_be_empty and value in ("", []) else {}
    if field.kind == "choices":
        # Both may have ten thousand entries.
        texts = frozenset(value or ())
        chosen = [option.key for option in field.options if option.value in texts]
        return {field.control: chosen, **empty}
    if field.kind == "lines":
        return {field.control: ["\n".join(value or ())], **empty}
    return {field.control: [value or ""], **empty} if field.kind in TEXT_KINDS else {field.control: [value or ""]}


def _choice(field: Field, value: Any) -> str:
    chosen = next((option for option in field.options if value is not None and same(option.value, value)), None)
    if chosen is None:
        return UNANSWERED
    return chosen.text if field.widget == "combobox" else chosen.key


def typed(field: Field, held: Texts) -> str:
    """Return the text of a field into which anything can be typed; a time that is none keeps its zone."""
    if not field.takes_any_text:
        return ""
    text, zone = ((held.get(control) or [""])[-1] for control in (field.control, field.control + ZONE))
    return f"{text} {zone}".strip(" ") if text else ""
