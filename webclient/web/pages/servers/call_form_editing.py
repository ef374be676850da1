"""A call form while it is filled in: add and remove entries, switch to JSON and back, preview."""

from __future__ import annotations

from dataclasses import replace

from webclient.content.forms import edit, fill_all, json_from_fields, parse, posted_texts, read_json, review
from webclient.domain.i18n import gettext as _
from webclient.domain.model import CallKind
from webclient.web.pages.posted_form import Posted, first
from webclient.web.pages.servers.call_forms import JSON_CONTROL, CallForm, FilledForm, Preview, fill

CONTROL = "edit"
"""The name of the buttons that change the form without running anything."""

AS_JSON, AS_FIELDS, PREVIEW = "json", "form", "preview"


def change(call_form: CallForm, posted: Posted) -> FilledForm:
    """Apply the pressed button to the posted form."""
    wanted, written = first(posted, CONTROL), [text for name, text in posted if name == JSON_CONTROL]
    if wanted == PREVIEW:
        return replace(fill(call_form, posted), errors={}, inside={}, preview=preview(call_form, posted))
    if written:
        return (
            _as_fields(call_form, written[0]) if wanted == AS_FIELDS else _typed(call_form, {JSON_CONTROL: written[:1]})
        )
    if wanted == AS_JSON:
        return replace(
            _typed(call_form, {JSON_CONTROL: [json_from_fields(call_form.form, parse(call_form.form, posted))]}),
            focus="json",
        )
    texts, focus, said, wrong = edit(call_form.form, posted_texts(call_form.form, posted), wanted)
    names = {field.control: field.name for field in call_form.form.fields if not field.spreads}
    return replace(
        _typed(call_form, texts),
        focus=focus,
        said=said,
        errors={names[control]: sentence for control, sentence in wrong.items() if control in names},
        inside={control: sentence for control, sentence in wrong.items() if control not in names},
    )


def preview(call_form: CallForm, posted: Posted) -> Preview:
    """Return the arguments that the posted form would send."""
    filled = fill(call_form, posted)
    content, missing = filled.arguments or {}, {**filled.inside, **filled.errors}
    return Preview(
        content=content,
        missing=missing,
        review=review(call_form.form, content, missing, filled.texts),
        scope=call_form.scope,
    )


def _as_fields(call_form: CallForm, text: str) -> FilledForm:
    written = _typed(call_form, {JSON_CONTROL: [text]})
    try:
        arguments = read_json(text)
    except ValueError as wrong:
        return replace(written, errors={"": str(wrong)})
    texts = fill_all(call_form.form.fields, arguments) if isinstance(arguments, dict) else None
    if texts is None:
        return replace(written, errors={"": _("Not all of this fits into the fields, so it stays as JSON.")})
    return replace(_typed(call_form, texts), focus=AS_FIELDS)


def _typed(call_form: CallForm, texts: dict[str, list[str]]) -> FilledForm:
    return FilledForm(kind=CallKind(call_form.kind), name=call_form.name, texts=texts)
