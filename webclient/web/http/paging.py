"""Cursors in addresses, as pages and API read them."""

from __future__ import annotations

from webclient.domain.errors import InvalidInputError
from webclient.domain.i18n import gettext as _
from webclient.store import HistoryCursor


def read_history_cursor(text: str | None) -> HistoryCursor | None:
    """Return the place in the history that a cursor names. Raises InvalidInputError."""
    if not text:
        return None
    try:
        return HistoryCursor.read(text)
    except ValueError:
        message = _("Invalid cursor. Pass the `next` value of the previous page.")
        raise InvalidInputError(message, {"before": message}) from None
