"""Drafts: which typed texts may be saved until they are sent, and the form as it was left.

Text that may be a secret is never saved: text in a field that asks for one, text that looks like one, and text that
begins like one, because drafts are saved during typing.
"""

from __future__ import annotations

from collections.abc import Sequence

from webclient.content.forms.field import Field, Texts
from webclient.content.forms.form import Form
from webclient.content.forms.json_form import JSON_CONTROL
from webclient.content.forms.parse import names_of, posted_texts
from webclient.content.forms.secrets import asks_for_secret, is_secret_field
from webclient.content.secrets import looks_secret, may_become_secret


def typed_texts(form: Form, posted: Sequence[tuple[str, str]]) -> Texts:
    """Return the texts posted to the form's controls or as JSON, unchecked."""
    written = next((text for name, text in posted if name == JSON_CONTROL), None)
    return posted_texts(form, posted) if written is None else {JSON_CONTROL: [written]}


def draftable(form: Form, texts: Texts, message: str = "") -> dict[str, list[str]]:
    """Return the part of `texts` that may be saved; `message` is the server's text above the form.

    It has every control of a saved field, also empty ones, to distinguish cleared fields from withheld ones.
    """
    warnings = asks_for_secret(form, message)
    if JSON_CONTROL in texts:
        # In incomplete JSON nothing says which text belongs to which field.
        return {} if warnings or _look_secret(texts[JSON_CONTROL]) else {JSON_CONTROL: list(texts[JSON_CONTROL])}
    saved: dict[str, list[str]] = {}
    for field in _filled_in_by_hand(form):
        entered = {name: list(texts.get(name, ())) for name in names_of(field)}
        if not is_secret_field(field, warnings) and not any(map(_look_secret, entered.values())):
            saved |= entered
    return saved


def withheld_fields(form: Form, saved: Texts) -> list[Field]:
    """Return the fields that were left out of the draft."""
    return [field for field in _filled_in_by_hand(form) if field.control not in saved and JSON_CONTROL not in saved]


def touched(form: Form, typed: Texts) -> list[Field]:
    """Return the fields whose texts differ from the form's first ones."""
    return [
        field for field in _filled_in_by_hand(form) if _entered_texts(field, typed) != _entered_texts(field, form.texts)
    ]


def as_posted(form: Form, saved: Texts) -> Sequence[tuple[str, str]]:
    """Return the draft as a browser would post it; withheld fields have their first texts."""
    entered = saved if JSON_CONTROL in saved else {**form.texts, **saved}
    return [(name, text) for name, typed in entered.items() for text in typed]


def _filled_in_by_hand(form: Form) -> list[Field]:
    return [field for field in form.fields if field.kind not in ("constant", "unfillable")]


def _look_secret(texts: Sequence[str]) -> bool:
    return any(looks_secret(text) or may_become_secret(text) for text in texts)


def _entered_texts(field: Field, typed: Texts) -> list[list[str]]:
    text, zone, empty = ([text for text in typed.get(name, ()) if text] for name in names_of(field))
    # Pages fill in the zone themselves; without a date it means nothing.
    return [text, zone if text else [], empty]
