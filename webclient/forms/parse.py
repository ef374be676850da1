"""From what a browser posted to the content of an answer, or to a sentence per field.

Nothing is invented: an untouched optional field is absent, null is never sent, and what was typed is not trimmed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webclient.forms import dates, numbers, texts
from webclient.forms.check import check
from webclient.forms.form import Field, Form
from webclient.forms.values import is_typable
from webclient.i18n import gettext as _

LONGEST_TEXT = 200_000
"""Characters in one control; what is longer is refused, not cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A posted form.

    `content` is ready to be sent if `errors` is empty. `errors` maps a property's name, or "" for the whole, to a
    sentence. `texts` is what was typed, by control, to show the form again.
    """

    content: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)


def parse(form: Form, posted: Sequence[tuple[str, str]]) -> Parsed:
    """Return what `posted`, the pairs of an HTML form in order, says to `form`; keys of others are ignored."""
    held = _held(form, posted)
    content: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for each in form.fields:
        try:
            value = _value(each, held)
        except ValueError as wrong:
            errors[each.name] = str(wrong)
            continue
        if value is not None:
            content[each.name] = value
        elif each.required and each.kind != "unfillable":
            errors[each.name] = _missing(each)
    if form.unanswerable:
        errors.setdefault("", form.unanswerable)
    # a field that could not be read is not also missing: the first sentence is the helpful one
    errors = {**check(form.schema, content), **errors}
    return Parsed(content=content, errors=errors, texts=held)


def _held(form: Form, posted: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Browsers send CR LF for every line break in a text box (HTML, "normalize newlines")."""
    ours = {name for each in form.fields for name in controls(each)}
    held: dict[str, list[str]] = {}
    for name, text in posted:
        if name in ours:
            held.setdefault(name, []).append(_normal(text))
    return held


def controls(each: Field) -> tuple[str, ...]:
    """Return the names under which a browser may post the field."""
    return (each.control, *(each.control + suffix for suffix in (texts.ZONE, texts.EMPTY)))


def _normal(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _value(each: Field, held: Mapping[str, Sequence[str]]) -> Any:
    if each.kind == "constant":
        return each.default
    if each.kind == "unfillable":
        return None
    typed = list(held.get(each.control, ()))
    if sum(map(len, typed)) > LONGEST_TEXT:
        raise ValueError(_("This is too long: at most {n} characters can be sent.").format(n=LONGEST_TEXT))
    if not all(map(is_typable, typed)):
        raise ValueError(_("This holds a character that no field can show, such as NUL or half of one."))
    if _is_untouched(each, held):
        return each.default
    if not any(typed):
        return _empty(each, held)
    return _READERS[each.kind](each, typed, held)


def _is_untouched(each: Field, held: Mapping[str, Sequence[str]]) -> bool:
    """What still reads as it was prefilled stands for the default itself, to the last character."""
    if each.default is None:
        return False
    prefilled = texts.of(each, each.default)
    return all(held.get(name, []) == [_normal(text) for text in shown] for name, shown in prefilled.items())


def _empty(each: Field, held: Mapping[str, Sequence[str]]) -> Any:
    if each.may_be_empty and texts.TICKED in held.get(each.control + texts.EMPTY, ()):
        return [] if each.kind in ("choices", "lines") else ""
    return None


def _text(_each: Field, typed: list[str], _held: Mapping[str, Sequence[str]]) -> str:
    return typed[-1]


def _number(each: Field, typed: list[str], _held: Mapping[str, Sequence[str]]) -> float:
    return numbers.read(typed[-1], whole=each.kind == "integer")


def _boolean(_each: Field, typed: list[str], _held: Mapping[str, Sequence[str]]) -> bool:
    if typed[-1] not in (texts.YES, texts.NO):
        raise ValueError(_("Choose Yes or No."))
    return typed[-1] == texts.YES


def _datetime(each: Field, typed: list[str], held: Mapping[str, Sequence[str]]) -> str:
    zones = held.get(each.control + texts.ZONE) or [""]
    joined = dates.join(typed[-1], zones[-1])
    return each.default if each.default is not None and dates.equal(joined, each.default) else joined


def _choice(each: Field, typed: list[str], _held: Mapping[str, Sequence[str]]) -> Any:
    for option in each.options:
        if typed[-1] == (option.text if each.widget == "combobox" else option.key):
            return option.value
    raise ValueError(_("Choose one of the options that are listed."))


def _choices(each: Field, typed: list[str], _held: Mapping[str, Sequence[str]]) -> list[str]:
    if not {option.key for option in each.options}.issuperset(typed):
        raise ValueError(_("Choose among the options that are listed."))
    return [option.value for option in each.options if option.key in set(typed)]


def _lines(_each: Field, typed: list[str], _held: Mapping[str, Sequence[str]]) -> list[str]:
    return [line for line in typed[-1].split("\n") if line]


_READERS: dict[str, Callable[[Field, list[str], Mapping[str, Sequence[str]]], Any]] = {
    "text": _text,
    "textarea": _text,
    "email": _text,
    "uri": _text,
    "date": _text,
    "datetime": _datetime,
    "integer": _number,
    "number": _number,
    "boolean": _boolean,
    "choice": _choice,
    "choices": _choices,
    "lines": _lines,
}


def _missing(each: Field) -> str:
    if each.may_be_empty:
        return _("Fill this in, or tick the last box to send it empty.")
    if each.kind == "boolean":
        return _("Choose Yes or No.")
    if each.kind == "choice":
        return _("Choose one of the options.")
    if each.kind == "choices":
        return _("Choose at least one of the options.")
    return _("Fill this in: the server requires it.")
