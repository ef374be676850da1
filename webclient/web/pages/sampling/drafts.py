"""Drafts of what is typed into the card of a sampling request: what was changed, without what may be a secret."""

from __future__ import annotations

from collections.abc import Sequence

from webclient.content.forms import Texts
from webclient.content.secrets import looks_secret, may_become_secret
from webclient.domain.i18n import gettext as _
from webclient.domain.model import InputRequest
from webclient.web.pages.sampling import answer_parts, request_edits
from webclient.web.pages.sampling.view import CONFIRMED, MODEL, OF_ANSWER, OF_REQUEST, first_texts, typed_texts

_TYPED = (answer_parts.TEXT, answer_parts.JSON, request_edits.TEXT, request_edits.SYSTEM, "f")
"""The controls into which a person types."""


def storable(request: InputRequest, posted: Sequence[tuple[str, str]]) -> tuple[Texts, bool]:
    """Return the typed texts that may be stored, and whether any were left out."""
    typed = {name: texts for name, texts in typed_texts(request, posted).items() if name != CONFIRMED}
    if typed.keys() <= {MODEL}:
        # A browser always posts a choice of model, and nothing was typed.
        return {}, False
    remaining = {name: texts for name, texts in typed.items() if not any(map(_is_secret, texts))}
    if not remaining:
        return {}, bool(typed)
    # The names of what they were typed over: another request or answer takes none of them.
    first = first_texts(request)
    return {**remaining, OF_REQUEST: first[OF_REQUEST], OF_ANSWER: first[OF_ANSWER]}, len(remaining) < len(typed)


def said(remaining: Texts, *, withheld: bool) -> str:
    """Return the sentence on what was saved."""
    if withheld:
        without = _("Draft saved without text that may be secret.")
        return without if remaining else _("Draft not saved because it may contain a secret.")
    return _("Draft saved.") if remaining else ""


def as_plain_text(texts: Texts) -> str:
    """Return a draft as text to copy, after the question has ended."""
    return "\n\n".join(text for name, typed in texts.items() for text in typed if name.startswith(_TYPED) and text)


def _is_secret(text: str) -> bool:
    return bool(looks_secret(text) or may_become_secret(text))
