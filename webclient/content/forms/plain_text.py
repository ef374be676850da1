"""A form and the content of an answer in words: each label with its value."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Any

from webclient.content.forms.field import Field
from webclient.content.forms.filling import fitting
from webclient.content.forms.form import Form
from webclient.content.forms.json_form import JSON_CONTROL
from webclient.content.forms.parse import Parsed
from webclient.content.forms.values import same
from webclient.content.forms.writing import numbers
from webclient.content.visible_text import counted, visible
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import labelled, listed
from webclient.domain.languages import day


def as_plain_text(form: Form, parsed: Parsed) -> str:
    """Return a line for each non-empty field of `form`; JSON as it was written."""
    if JSON_CONTROL in parsed.texts:
        return parsed.texts[JSON_CONTROL][-1]
    fields = form.chosen(parsed.texts).fields
    by_hand = [field for field in fields if not field.spreads and field.kind not in ("constant", "unfillable")]
    lines = [(field.label, _text(field, parsed)) for field in by_hand]
    return "\n".join(f"{label}: {text}" for label, text in lines if text)


LONGEST_LABEL, LONGEST_VALUE = 80, 300
"""The most characters of a label and of a value in words; all of a value is in its JSON."""


def in_words(form: Form, content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the values of `content` in words, each with its label; all of it is safe to look at."""
    fields = {field.name: field for field in fitting(form, content).fields if not field.spreads}
    ordered = [*(name for name in fields if name in content), *(name for name in content if name not in fields)]
    return [_labelled(fields.get(name), name, content[name]) for name in ordered]


def _labelled(field: Field | None, name: str, value: Any) -> tuple[str, str]:
    label = field.label if field else visible(name, LONGEST_LABEL)
    return label, counted(_read(field, value), LONGEST_VALUE, newlines=True)


def _read(field: Field | None, value: Any) -> str:
    """Return a value in words, by the field that it was entered in."""
    if isinstance(value, list) and not any(isinstance(each, dict) for each in value):
        return listed(_read(field, each) for each in value) or _("Nothing")
    if isinstance(value, dict):
        inner = Form(fields=field.parts) if field and field.kind == "group" else Form()
        return labelled(in_words(inner, value)) or _("Nothing")
    if isinstance(value, list):
        part = field.parts[0] if field and field.parts else None
        return "\n".join(_read(part, each) for each in value)
    if field and field.kind == "date" and isinstance(value, str) and value:
        return _date(value)
    return _scalar(field, value)


def _scalar(field: Field | None, value: Any) -> str:
    if value == "":
        return _("Empty text")
    if isinstance(value, bool) and not (field and field.options):
        return _("Yes") if value else _("No")
    if value is None:
        return _("None")
    return _written(field, value) if field else value if isinstance(value, str) else numbers.to_text(value)


def _date(text: str) -> str:
    try:
        return day(datetime.combine(date.fromisoformat(text), time(12), UTC))
    except ValueError:
        return text


def _text(field: Field, parsed: Parsed) -> str:
    if field.name in parsed.content:
        return _written(field, parsed.content[field.name])
    # Unreadable text is shown as typed: it is the most work to type again.
    return " ".join(parsed.texts.get(field.control, ())).strip() if field.kind not in _CHOSEN else ""


_CHOSEN = ("boolean", "choice", "choices")


def _written(field: Field, value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_written(field, each) for each in value)
    chosen = next((option for option in field.options if same(option.value, value)), None)
    if chosen is not None:
        return chosen.text
    return value if isinstance(value, str) else numbers.to_text(value)
