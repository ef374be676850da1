"""The form of an offer while it is filled in: its buttons, the way to JSON and back, and what would be sent."""

from __future__ import annotations

from dataclasses import replace

from webclient.forms import json_text
from webclient.forms.edits import edit
from webclient.forms.filling import fill_all
from webclient.forms.json_form import from_fields
from webclient.forms.parse import held_by, parse
from webclient.forms.review import review
from webclient.i18n import gettext as _
from webclient.model import CallKind
from webclient.pages.call_forms import JSON_CONTROL, Filled, Offer, Preview, fill
from webclient.pages.posted import Posted, first

CONTROL = "edit"
"""The control of all buttons that change the form and do not run anything."""

AS_JSON, AS_FIELDS, PREVIEW = "json", "form", "preview"


def change(offer: Offer, posted: Posted) -> Filled:
    """Return the form of an offer as it was posted, after what the button that was pressed does."""
    wanted, written = first(posted, CONTROL), [text for name, text in posted if name == JSON_CONTROL]
    if wanted == PREVIEW:
        return replace(fill(offer, posted), errors={}, inside={}, preview=preview(offer, posted))
    if written:
        return _as_fields(offer, written[0]) if wanted == AS_FIELDS else _typed(offer, {JSON_CONTROL: written[:1]})
    if wanted == AS_JSON:
        return replace(
            _typed(offer, {JSON_CONTROL: [from_fields(offer.form, parse(offer.form, posted))]}), focus="json"
        )
    texts, focus, said, wrong = edit(offer.form, held_by(offer.form, posted), wanted)
    names = {field.control: field.name for field in offer.form.fields if not field.spreads}
    return replace(
        _typed(offer, texts),
        focus=focus,
        said=said,
        errors={names[control]: sentence for control, sentence in wrong.items() if control in names},
        inside={control: sentence for control, sentence in wrong.items() if control not in names},
    )


def preview(offer: Offer, posted: Posted) -> Preview:
    """Return what would be sent of the form as it was posted."""
    filled = fill(offer, posted)
    content, missing = filled.arguments or {}, {**filled.inside, **filled.errors}
    return Preview(content=content, missing=missing, review=review(offer.form, content, missing))


def _as_fields(offer: Offer, text: str) -> Filled:
    written = _typed(offer, {JSON_CONTROL: [text]})
    try:
        arguments = json_text.read(text)
    except ValueError as wrong:
        return replace(written, errors={"": str(wrong)})
    held = fill_all(offer.form.fields, arguments) if isinstance(arguments, dict) else None
    if held is None:
        return replace(written, errors={"": _("The fields have no place for all of this, so it stays JSON.")})
    return replace(_typed(offer, held), focus=AS_FIELDS)


def _typed(offer: Offer, texts: dict[str, list[str]]) -> Filled:
    return Filled(kind=CallKind(offer.kind), name=offer.name, texts=texts)
