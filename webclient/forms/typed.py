"""What was typed into the controls of one field, as the value that it says.

Nothing is invented: an untouched optional field is absent, and what was typed is not trimmed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from webclient.forms import controls, dates, numbers
from webclient.forms.field import Field
from webclient.forms.values import is_typable
from webclient.i18n import gettext as _

LONGEST_TEXT = 200_000
"""Characters in one control; what is longer is refused, not cut."""

Held = Mapping[str, Sequence[str]]


def names_of(each: Field) -> tuple[str, ...]:
    """Return the names under which a browser may post the field."""
    return (each.control, *(each.control + suffix for suffix in (controls.ZONE, controls.EMPTY)))


def normal(text: str) -> str:
    """Return `text` as it was typed: browsers send CR LF for a line break (HTML, "normalize newlines")."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def value_of(each: Field, held: Held) -> Any:
    """Return the value that the controls of `each`, which is not made of further ones, say; None if it is left out.

    Raises ValueError with a sentence.
    """
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


def _is_untouched(each: Field, held: Held) -> bool:
    """What still reads as it was prefilled stands for the default itself, to the last character."""
    if each.default is None:
        return False
    prefilled = controls.of(each, each.default)
    return all(held.get(name, []) == [normal(text) for text in shown] for name, shown in prefilled.items())


def _empty(each: Field, held: Held) -> Any:
    if each.may_be_empty and controls.TICKED in held.get(each.control + controls.EMPTY, ()):
        return [] if each.kind in ("choices", "lines") else ""
    return None


def _text(_each: Field, typed: list[str], _held: Held) -> str:
    return typed[-1]


def _number(each: Field, typed: list[str], _held: Held) -> float:
    return numbers.read(typed[-1], whole=each.kind == "integer")


def _boolean(_each: Field, typed: list[str], _held: Held) -> bool:
    if typed[-1] not in (controls.YES, controls.NO):
        raise ValueError(_("Choose Yes or No."))
    return typed[-1] == controls.YES


def _datetime(each: Field, typed: list[str], held: Held) -> str:
    zones = held.get(each.control + controls.ZONE) or [""]
    joined = dates.join(typed[-1], zones[-1])
    return each.default if each.default is not None and dates.equal(joined, each.default) else joined


def _choice(each: Field, typed: list[str], _held: Held) -> Any:
    for option in each.options:
        if typed[-1] == (option.text if each.widget == "combobox" else option.key):
            return option.value
    raise ValueError(_("Choose one of the options that are listed."))


def _choices(each: Field, typed: list[str], _held: Held) -> list[str]:
    if not {option.key for option in each.options}.issuperset(typed):
        raise ValueError(_("Choose among the options that are listed."))
    return [option.value for option in each.options if option.key in set(typed)]


def _lines(_each: Field, typed: list[str], _held: Held) -> list[str]:
    return [line for line in typed[-1].split("\n") if line]


_READERS: dict[str, Callable[[Field, list[str], Held], Any]] = {
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


def missing(each: Field) -> str:
    """Return the sentence for a required field that says nothing."""
    if each.kind in ("list", "map"):
        return _("Add an entry, or tick the last box to send it empty.") if each.may_be_empty else _("Add an entry.")
    if each.may_be_empty:
        return _("Fill this in, or tick the last box to send it empty.")
    if each.kind == "boolean":
        return _("Choose Yes or No.")
    if each.kind == "choice":
        return _("Choose one of the options.")
    if each.kind == "choices":
        return _("Choose at least one of the options.")
    return _("Fill this in: the server requires it.")
