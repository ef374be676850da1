"""A form as plain text to read and copy: each label with its value."""

from __future__ import annotations

from typing import Any

from webclient.content.forms import numbers
from webclient.content.forms.field import Field
from webclient.content.forms.form import Form
from webclient.content.forms.json_form import JSON_CONTROL
from webclient.content.forms.parse import Parsed
from webclient.content.forms.values import same


def as_plain_text(form: Form, parsed: Parsed) -> str:
    """Return a line for each non-empty field of `form`; JSON as it was written."""
    if JSON_CONTROL in parsed.texts:
        return parsed.texts[JSON_CONTROL][-1]
    by_hand = [field for field in form.fields if field.kind not in ("constant", "unfillable")]
    lines = [(field.label, _text(field, parsed)) for field in by_hand]
    return "\n".join(f"{label}: {text}" for label, text in lines if text)


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
