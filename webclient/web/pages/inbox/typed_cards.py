"""The cards of requests with what a person has typed into them, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from webclient.content.forms import Parsed, secrets_to_confirm
from webclient.domain.errors import InvalidAnswerError
from webclient.domain.model import Action, InputRequest
from webclient.inbox import RESPOND, kind_of
from webclient.web.pages.inbox.cards import PendingCard


def filled(
    request: InputRequest, parsed: Parsed, errors: Mapping[str, str] | None = None, *, confirmed: bool = False
) -> PendingCard:
    """Return the card with the typed text and `errors` at its fields.

    `confirmed`: the person confirmed to send values that look like credentials.
    """
    found = kind_of(request).form(request)
    return PendingCard(
        request=request,
        form=found.form if found else None,
        warnings=found.warnings if found else {},
        texts=parsed.texts,
        errors=errors or {},
        inside=parsed.inside,
        content=parsed.content,
        missing={**parsed.inside, **parsed.errors},
        secrets=secrets_to_confirm(parsed.content, found.form, found.warnings) if confirmed and found else {},
        confirmed=confirmed,
    )


def with_wrong_words(card: PendingCard, action: Action, wrong: InvalidAnswerError) -> PendingCard:
    """Return the card with an error at the words to which it belongs."""
    if action is Action.DECLINE:
        return replace(card, errors={}, message_error=str(wrong))
    return replace(card, errors={}, response_error=str(wrong)) if RESPOND in wrong.errors else card


def as_posted(card: PendingCard) -> Sequence[tuple[str, str]]:
    """Return the card's typed text as a browser would post it."""
    return [(name, text) for name, typed in (card.texts or {}).items() for text in typed]


def stopped(request: InputRequest, parsed: Parsed) -> PendingCard | None:
    """Return the card that asks to confirm credentials; None if nothing looks like one."""
    card = filled(request, parsed)
    secrets = secrets_to_confirm(parsed.content, card.form, card.warnings) if card.form else {}
    return replace(card, secrets=secrets) if secrets else None
