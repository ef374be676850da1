"""Switches an answer between fields and JSON without losing typed text."""

from __future__ import annotations

from dataclasses import replace

from webclient.content.forms import Parsed, edit, fields_from_json, json_from_fields, parse, parse_json
from webclient.domain.model import InputRequest
from webclient.web.pages.inbox import cards, typed_cards
from webclient.web.pages.inbox.cards import PendingCard

CONTROL = "edit"
"""The name of the buttons that switch."""

AS_JSON = "json"
AS_FORM = "form"


def switch(request: InputRequest, parsed: Parsed, *, to: str, confirmed: bool = False) -> PendingCard:
    """Return the card with its typed text as JSON, or back in fields.

    Invalid JSON stays, with an error; values that do not fit into the fields are in the card's `left`.
    `confirmed`: the person confirmed to send what looks like a credential.
    """
    card = typed_cards.filled(request, parsed, confirmed=confirmed)
    if to not in (AS_JSON, AS_FORM):
        return _edited(card, parsed, to)
    if (to == AS_JSON) == (card.json is not None):
        return card
    if card.json is None:
        return _as_json(card, parsed, confirmed)
    try:
        return _as_fields(card, card.json, confirmed)
    except ValueError as wrong:
        return replace(card, errors={"": str(wrong)})


def _edited(card: PendingCard, parsed: Parsed, wanted: str) -> PendingCard:
    """Return the card after a button within its form: an entry more or less, or one field as JSON."""
    form = cards.form_of(card.request)
    edited = edit(form, parsed.texts, wanted)
    posted = [(name, each) for name, typed in edited.texts.items() for each in typed]
    read = parse(form, posted)
    # A field that is not filled in yet is not wrong before it is sent.
    return replace(
        typed_cards.filled(card.request, read),
        texts=edited.texts,
        errors={},
        inside=dict(edited.wrong),
        focus=edited.focus and f"{card.request.id}-{edited.focus}",
    )


def _as_json(card: PendingCard, parsed: Parsed, confirmed: bool) -> PendingCard:
    form = cards.form_of(card.request)
    written = parse_json(form, json_from_fields(form, parsed))
    return replace(typed_cards.filled(card.request, written, confirmed=confirmed), switched=True)


def _as_fields(card: PendingCard, text: str, confirmed: bool) -> PendingCard:
    form = cards.form_of(card.request)
    texts, left = fields_from_json(form, text)
    parsed = parse(form, [(name, each) for name, typed in texts.items() for each in typed])
    return replace(typed_cards.filled(card.request, parsed, confirmed=confirmed), left=left, switched=True)
