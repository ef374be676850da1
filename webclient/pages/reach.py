"""Whether a server can be reached by whoever answers it now, in a sentence for the card."""

from __future__ import annotations

from webclient.i18n import gettext as _
from webclient.model import InputRequest, ServerState, ServerStatus
from webclient.visible_text import visible

_COMING = (ServerState.CONNECTING, ServerState.RECONNECTING)


def reach(request: InputRequest, status: ServerStatus) -> str:
    """Return what is to be said on the card of a pending question while its server cannot be reached; else ""."""
    if not request.pending:
        return ""
    label = visible(request.asked_by.label, 60)
    if status.state in _COMING:
        return _("{label} cannot be reached right now. Your answer is sent when it is back.").format(label=label)
    if status.quiet_since:
        return _("{label} does not answer at the moment; it may be busy. Your answer goes out all the same.").format(
            label=label
        )
    return ""
