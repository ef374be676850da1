"""Which of the typed texts may be saved until they are sent, and the form as it was left.

What may be a secret is not saved: neither what was typed where the form asks for one, nor what looks like one, nor
what begins like one, as drafts are saved while it is being typed.
"""

from __future__ import annotations

from collections.abc import Sequence

from webclient.forms.field import Field, Texts
from webclient.forms.form import Form
from webclient.forms.json_form import JSON_CONTROL
from webclient.forms.parse import names_of
from webclient.forms.secrets import asks_for_secret, is_secret_field
from webclient.secret_detection import looks_secret, may_become_secret


def draftable(form: Form, texts: Texts, message: str = "") -> dict[str, list[str]]:
    """Return what of `texts` may be saved; `message` is what the server says beside the form.

    Every control of a field that is saved is there, so that what was cleared can be told from what was withheld.
    """
    warnings = asks_for_secret(form, message)
    if JSON_CONTROL in texts:
        # Half-written JSON does not tell which text belongs to which field.
        return {} if warnings or _look_secret(texts[JSON_CONTROL]) else {JSON_CONTROL: list(texts[JSON_CONTROL])}
    saved: dict[str, list[str]] = {}
    for field in _filled_in_by_hand(form):
        entered = {name: list(texts.get(name, ())) for name in names_of(field)}
        if not is_secret_field(field, warnings) and not any(map(_look_secret, entered.values())):
            saved |= entered
    return saved


def withheld_fields(form: Form, saved: Texts) -> list[Field]:
    """Return the fields of which nothing was saved."""
    return [field for field in _filled_in_by_hand(form) if field.control not in saved and JSON_CONTROL not in saved]


def touched(form: Form, typed: Texts) -> list[Field]:
    """Return the fields that hold something else than when the form came."""
    return [
        field for field in _filled_in_by_hand(form) if _entered_texts(field, typed) != _entered_texts(field, form.texts)
    ]


def as_posted(form: Form, saved: Texts) -> Sequence[tuple[str, str]]:
    """Return what a browser would post of the form as it was left; what was withheld is as at first."""
    entered = saved if JSON_CONTROL in saved else {**form.texts, **saved}
    return [(name, text) for name, typed in entered.items() for text in typed]


def _filled_in_by_hand(form: Form) -> list[Field]:
    return [field for field in form.fields if field.kind not in ("constant", "unfillable")]


def _look_secret(texts: Sequence[str]) -> bool:
    return any(looks_secret(text) or may_become_secret(text) for text in texts)


def _entered_texts(field: Field, typed: Texts) -> list[list[str]]:
    text, zone, empty = ([text for text in typed.get(name, ()) if text] for name in names_of(field))
    # Pages fill in the zone by themselves; without a date it says nothing.
    return [text, zone if text else [], empty]
