"""Which of the typed texts may be kept until they are sent, and the form as it was left.

What may be a secret is not kept: neither what was typed where the form asks for one, nor what looks like one, nor
what begins like one, as drafts are kept while it is being typed.
"""

from __future__ import annotations

from collections.abc import Sequence

from webclient.forms.credentials import grows_secret, looks_secret
from webclient.forms.field import Field, Texts
from webclient.forms.form import Form
from webclient.forms.json_form import CONTROL
from webclient.forms.parse import names_of
from webclient.forms.secrets import asks_for_secret, is_asked


def keepable(form: Form, texts: Texts, message: str = "") -> dict[str, list[str]]:
    """Return what of `texts` may be kept; `message` is what the server says beside the form.

    Every control of a field that is kept is there, so that what was cleared can be told from what was withheld.
    """
    asked = asks_for_secret(form, message)
    if CONTROL in texts:
        # Half-written JSON does not tell which text belongs to which field.
        return {} if asked or _look_secret(texts[CONTROL]) else {CONTROL: list(texts[CONTROL])}
    kept: dict[str, list[str]] = {}
    for field in _filled_in_by_hand(form):
        held = {name: list(texts.get(name, ())) for name in names_of(field)}
        if not is_asked(field, asked) and not any(map(_look_secret, held.values())):
            kept |= held
    return kept


def withheld(form: Form, kept: Texts) -> list[Field]:
    """Return the fields of which nothing was kept."""
    return [field for field in _filled_in_by_hand(form) if field.control not in kept and CONTROL not in kept]


def touched(form: Form, typed: Texts) -> list[Field]:
    """Return the fields that hold something else than when the form came."""
    return [field for field in _filled_in_by_hand(form) if _held(field, typed) != _held(field, form.texts)]


def as_posted(form: Form, kept: Texts) -> Sequence[tuple[str, str]]:
    """Return what a browser would post of the form as it was left; what was withheld is as at first."""
    held = kept if CONTROL in kept else {**form.texts, **kept}
    return [(name, text) for name, typed in held.items() for text in typed]


def _filled_in_by_hand(form: Form) -> list[Field]:
    return [field for field in form.fields if field.kind not in ("constant", "unfillable")]


def _look_secret(texts: Sequence[str]) -> bool:
    return any(looks_secret(text) or grows_secret(text) for text in texts)


def _held(field: Field, typed: Texts) -> list[list[str]]:
    text, zone, empty = ([text for text in typed.get(name, ()) if text] for name in names_of(field))
    # Pages fill in the zone by themselves; without a date it says nothing.
    return [text, zone if text else [], empty]
