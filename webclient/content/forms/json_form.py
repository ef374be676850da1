"""An answer written as JSON instead of in fields: checked by the same rules, and converted both ways."""

from __future__ import annotations

from typing import Any

from webclient.content.forms import controls
from webclient.content.forms.defaults import holdable
from webclient.content.forms.field import Field, Texts
from webclient.content.forms.filling import closest_texts, fill_most
from webclient.content.forms.form import Form
from webclient.content.forms.parse import Parsed, Reading, parse
from webclient.content.forms.validation import check, check_arguments
from webclient.content.forms.values import is_typable, same
from webclient.content.forms.writing import json_text
from webclient.domain.i18n import gettext as _

JSON_CONTROL = "json"
"""The control for an answer as JSON; fields are named f0, f1 and so on, so it cannot collide with one."""


def parse_json(form: Form, text: str) -> Parsed:
    """Read `text`, JSON that a person wrote, as an answer to `form`; nothing is added or removed."""
    entered = {JSON_CONTROL: [text]}
    try:
        content = json_text.read_json(text)
    except ValueError as wrong:
        return Parsed(errors={"": str(wrong)}, texts=entered)
    errors = check_answer(form, content)
    if form.unanswerable:
        errors.setdefault("", form.unanswerable)
    return Parsed(content=content if isinstance(content, dict) else {}, errors=errors, texts=entered)


def check_answer(form: Form, content: Any) -> dict[str, str]:
    """Return the errors in `content` as an answer to `form`, by property name or ""."""
    if not form.deep:
        return check(form.schema, content)
    fits = closest_texts(form, content) if isinstance(content, dict) else {}
    errors = check_arguments(form.schema_for(fits), content)
    # That the whole fits no shape says less than what is wrong with one of them.
    return {name: said for name, said in errors.items() if name} or errors


def json_from_fields(form: Form, parsed: Parsed) -> str:
    """Return the present values of a form as JSON; unreadable ones as they were typed."""
    return json_text.write_json(Reading(parsed.texts, lenient=True).object(form.fields, ()))


def fields_from_json(form: Form, text: str) -> tuple[Texts, dict[str, Any]]:
    """Return the texts of the controls for `text`, and the values they cannot show.

    Raises ValueError with a sentence when `text` is not a JSON object.
    """
    content = _read_object(text)
    if form.deep:
        texts, others, _is_exact = fill_most(form.fields, content)
        return texts, others
    entered = {
        control: typed
        for field in form.fields
        for control, typed in _control_texts(field, content.get(field.name)).items()
    }
    parsed = parse(form, [(control, each) for control, typed in entered.items() for each in typed])
    fields = {field.name: field for field in form.fields}
    left = {name: value for name, value in content.items() if not _stands(fields.get(name), value, parsed)}
    return entered, left


def _read_object(text: str) -> dict[str, Any]:
    content = json_text.read_json(text)
    if isinstance(content, dict):
        return content
    raise ValueError(_("Expected an object with a value for each field."))


def _control_texts(field: Field, value: Any) -> Texts:
    fitting = holdable(field, value)
    if fitting is None and isinstance(value, str) and is_typable(value) and field.takes_any_text:
        return {**controls.of(field, None), field.control: [value]}
    return controls.of(field, fitting)


def _stands(field: Field | None, value: Any, parsed: Parsed) -> bool:
    """Whether the fields have `value`, or show it as it was written."""
    if field is None:
        return False
    read = parsed.content.get(field.name)
    if isinstance(value, str) and value and read is None and parsed.texts.get(field.control) == [value]:
        return True
    if isinstance(value, list) and isinstance(read, list):
        return sorted(map(str, value)) == sorted(map(str, read))
    return same(value, read)
