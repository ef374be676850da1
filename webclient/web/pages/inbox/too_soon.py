"""Refuses an answer that comes sooner than a person can have read its card, such as the second of two clicks."""

from __future__ import annotations

from webclient.domain.errors import InvalidAnswerError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import InputRequest, now
from webclient.web.pages.posted_form import Posted, first

SHOWN = "shown"
"""The control with the moment at which the card was rendered, in milliseconds since 1970."""

SOONEST = 250
"""Milliseconds from rendering a card until its answer is taken; it is seen even later."""

_LONGEST = 15
_DAY = 24 * 3600 * 1000


def refuse_too_soon(request: InputRequest, posted: Posted) -> None:
    """Check that the pending request was shown long enough. Raises InvalidAnswerError."""
    if request.pending and is_too_soon(posted):
        message = _("Not sent: this question appeared just before your click. Read it, then answer.")
        raise InvalidAnswerError(message, {"": message})


def is_too_soon(posted: Posted) -> bool:
    """Return whether the form was posted sooner than a person can have read it."""
    # Safe without the control: no other site can post here, and a program that does has not clicked.
    shown = milliseconds_shown(posted)
    return shown is not None and shown < SOONEST


def milliseconds_shown(posted: Posted) -> int | None:
    """Return how long the card was shown, up to a day; None if that is unknown."""
    shown = first(posted, SHOWN)
    if not (shown.isascii() and shown.isdigit() and len(shown) <= _LONGEST):
        return None
    return min(_DAY, round(now().timestamp() * 1000) - int(shown))
