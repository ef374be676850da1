"""The controls of a single field: which texts they contain for a value, and which value their texts stand for.

Fields that consist of further fields are read by `parse` and filled in by `filling`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from webclient.content.forms.field import TEXT_KINDS, Entered, Field, Texts
from webclient.content.forms.files import file_value
from webclient.content.forms.hints import count_hint
from webclient.content.forms.values import is_typable, same
from webclient.content.forms.writing import dates, numbers
from webclient.domain.i18n import gettext as _

LONGEST_TEXT = 200_000
"""Characters in one control; longer texts are refused, not cut."""

ZONE = ".zone"
EMPTY = ".empty"
TICKED = "1"
YES, NO, UNANSWERED = "yes", "no", ""


def of(field: Field, value: Any) -> Entered:
    """Return the texts of the controls of `field` for `value`; None leaves it empty."""
    match field.kind:
        case "unfillable" | "constant" | "json":
            return {}
        case "boolean":
            return {field.control: [UNANSWERED if value is None else YES if value else NO]}
        case "choice":
            return {field.control: [_choice_text(field, value)]}
        case "datetime":
            local, zone = dates.split(value or "")
            return {field.control: [local], field.control + ZONE: [zone]}
        case "integer" | "number":
            return {field.control: ["" if value is None else numbers.to_text(value)]}
        case _:
            return _text_or_list(field, value)


def _text_or_list(field: Field, value: Any) -> Entered:
    empty = {field.control + EMPTY: [TICKED]} if field.may_be_empty and value in ("", []) else {}
    if field.kind == "choices":
        # Options and value may each have ten thousand entries.
        texts = frozenset(value or ())
        chosen = [option.key for option in field.options if option.value in texts]
        return {field.control: chosen, **empty}
    if field.kind == "lines":
        return {field.control: ["\n".join(value or ())], **empty}
    return {field.control: [value or ""], **empty} if field.kind in TEXT_KINDS else {field.control: [value or ""]}


def _choice_text(field: Field, value: Any) -> str:
    chosen = next((option for option in field.options if value is not None and same(option.value, value)), None)
    if chosen is None:
        return UNANSWERED
    return chosen.text if field.widget == "combobox" else chosen.key


def typed_text(field: Field, entered: Texts) -> str:
    """Return the typed text of a free-text field; an invalid time keeps its zone."""
    if not field.takes_any_text:
        return ""
    text, zone = ((entered.get(control) or [""])[-1] for control in (field.control, field.control + ZONE))
    return f"{text} {zone}".strip(" ") if text else ""


def names_of(each: Field) -> tuple[str, ...]:
    """Return the control names under which a browser may post the field."""
    return (each.control, *(each.control + suffix for suffix in (ZONE, EMPTY)))


def normal(text: str) -> str:
    """Return `text` with LF for line breaks: browsers send CR LF (HTML, "normalize newlines")."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def value_of(each: Field, entered: Texts) -> Any:
    """Return the value of a single field, from the texts of its controls; None if it is left out.

    `each` has no fields in it. Raises ValueError with a sentence.
    """
    if each.kind == "constant":
        return each.default
    if each.kind == "unfillable":
        return None
    typed = list(entered.get(each.control, ()))
    if each.kind == "file":
        typed = typed[-1:]
    elif sum(map(len, typed)) > LONGEST_TEXT:
        raise ValueError(_("This is too long: at most {n} characters can be sent.").format(n=LONGEST_TEXT))
    if not all(map(is_typable, typed)):
        raise ValueError(_("This contains a character that cannot be sent, such as NUL or half of a surrogate pair."))
    if _is_untouched(each, entered):
        return each.default
    if not any(typed):
        return _empty(each, entered)
    return _READERS[each.kind](each, typed, entered)


def _is_untouched(each: Field, entered: Texts) -> bool:
    """Whether the controls still show the prefilled text, which then means exactly the default."""
    if each.default is None:
        return False
    prefilled = of(each, each.default)
    return all(entered.get(name, []) == [normal(text) for text in shown] for name, shown in prefilled.items())


def _empty(each: Field, entered: Texts) -> Any:
    if each.may_be_empty and TICKED in entered.get(each.control + EMPTY, ()):
        return [] if each.kind in ("choices", "lines") else ""
    return None


def _text(_each: Field, typed: list[str], _entered: Texts) -> str:
    return typed[-1]


def _file(each: Field, typed: list[str], _entered: Texts) -> str:
    return file_value(each.schema, typed[-1])


def _number(each: Field, typed: list[str], _entered: Texts) -> float:
    return numbers.from_text(typed[-1], whole=each.kind == "integer")


def _boolean(_each: Field, typed: list[str], _entered: Texts) -> bool:
    if typed[-1] not in (YES, NO):
        raise ValueError(_("Choose Yes or No."))
    return typed[-1] == YES


def _datetime(each: Field, typed: list[str], entered: Texts) -> str:
    zones = entered.get(each.control + ZONE) or [""]
    joined = dates.join(typed[-1], zones[-1])
    return each.default if each.default is not None and dates.equal(joined, each.default) else joined


def _choice(each: Field, typed: list[str], _entered: Texts) -> Any:
    for option in each.options:
        if typed[-1] == (option.text if each.widget == "combobox" else option.key):
            return option.value
    raise ValueError(_("Choose an option from the list."))


def _choices(each: Field, typed: list[str], _entered: Texts) -> list[str]:
    if not {option.key for option in each.options}.issuperset(typed):
        raise ValueError(_("Choose options from the list."))
    return [option.value for option in each.options if option.key in set(typed)]


def _lines(_each: Field, typed: list[str], _entered: Texts) -> list[str]:
    return [line for line in typed[-1].split("\n") if line]


_READERS: dict[str, Callable[[Field, list[str], Texts], Any]] = {
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
    "file": _file,
}


def missing(each: Field) -> str:
    """Return the sentence for a required field that is empty."""
    if each.kind in ("list", "map"):
        return _("Add an entry.")
    if each.kind == "choices" and (bounds := count_hint(each.schema)):
        return bounds
    match each.kind:
        case "boolean":
            return _("Choose Yes or No.")
        case "choice" | "shapes":
            return _("Choose an option.")
        case "file":
            return _("Choose a file.")
        case _:
            return _("Required")
