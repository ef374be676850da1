"""Drafts: which typed texts may be saved until they are sent, and the form as it was left.

Text that may be a secret is never saved: text in a field that asks for one, text that looks like one, and text that
begins like one, because drafts are saved during typing.
"""

from __future__ import annotations

from collections.abc import Sequence

from webclient.content.forms.controls import ZONE
from webclient.content.forms.field import KEY, Field, Texts
from webclient.content.forms.form import Form
from webclient.content.forms.json_form import JSON_CONTROL
from webclient.content.forms.parse import names_of, posted_texts
from webclient.content.forms.secrets import asks_for_secret, asks_within, is_secret_field
from webclient.content.secrets import looks_secret, may_become_secret, names_secret


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
    grouped = _by_field(form, texts)
    for field in _filled_in_by_hand(form):
        if _has_file(field):
            continue  # as large as many drafts, and on the person's disk
        entered: Texts = {**{name: [] for name in names_of(field)}, **grouped.get(field.control, {})}
        if not is_secret_field(field, warnings) and not _may_hold_secret(field, entered):
            saved |= {name: list(typed) for name, typed in entered.items()}
    return saved


def withheld_fields(form: Form, saved: Texts) -> list[Field]:
    """Return the fields that the draft leaves out because they may have a secret."""
    fields = [field for field in _filled_in_by_hand(form) if not _has_file(field)]
    return [field for field in fields if field.control not in saved and JSON_CONTROL not in saved]


def files_to_choose(form: Form, saved: Texts) -> list[Field]:
    """Return the file fields, none of which is in a draft."""
    return [field for field in _filled_in_by_hand(form) if _has_file(field) and JSON_CONTROL not in saved]


def touched(form: Form, typed: Texts) -> list[Field]:
    """Return the fields whose texts differ from the form's first ones."""
    first, now = _by_field(form, form.texts), _by_field(form, typed)
    return [
        field
        for field in _filled_in_by_hand(form)
        if _saying(first.get(field.control, {})) != _saying(now.get(field.control, {}))
    ]


def as_posted(form: Form, saved: Texts) -> Sequence[tuple[str, str]]:
    """Return the draft as a browser would post it; withheld fields have their first texts."""
    shaped = _shaped(form)
    first = {name: typed for name, typed in form.texts.items() if _owner(name, shaped) not in saved}
    entered = saved if JSON_CONTROL in saved else {**first, **saved}
    return [(name, text) for name, typed in entered.items() for text in typed]


def _filled_in_by_hand(form: Form) -> list[Field]:
    fields = [*form.every, *(field._replace(parts=()) for field in form.fields if field.kind == "shapes")]
    return [field for field in fields if field.kind not in ("constant", "unfillable")]


def _shaped(form: Form) -> frozenset[str]:
    return frozenset(field.control for field in form.fields if field.kind == "shapes")


def _owner(control: str, shaped: frozenset[str]) -> str:
    """Return the control of the outermost field that has this control in it; those in a shape count as such."""
    first, *steps = control.split(".")
    return ".".join([first, *steps[:2]]) if first in shaped else first


def _by_field(form: Form, texts: Texts) -> dict[str, dict[str, list[str]]]:
    """Return the texts by the control of the outermost field, and in it by control."""
    shaped = _shaped(form)
    found: dict[str, dict[str, list[str]]] = {}
    for name, typed in texts.items():
        found.setdefault(_owner(name, shaped), {})[name] = list(typed)
    return found


def _may_hold_secret(field: Field, entered: Texts) -> bool:
    """Whether a text looks like a secret, or a field or a pair inside this one has the name of one."""
    named = any(name.endswith(KEY) and any(map(names_secret, typed)) for name, typed in entered.items())
    return named or any(map(_look_secret, entered.values())) or asks_within(field)


def _has_file(field: Field) -> bool:
    return field.kind == "file" or any(map(_has_file, field.parts))


def _look_secret(texts: Sequence[str]) -> bool:
    return any(looks_secret(text) or may_become_secret(text) for text in texts)


def _saying(entered: Texts) -> dict[str, list[str]]:
    """Return the controls that say something; a time zone without a date does not, pages fill it in themselves."""
    return {
        name: found
        for name, typed in entered.items()
        if (found := [text for text in typed if text])
        and (not name.endswith(ZONE) or any(entered.get(name[: -len(ZONE)], ())))
    }
