"""Says on a card that its server cannot be reached now."""

from __future__ import annotations

from webclient.content.visible_text import visible
from webclient.domain.i18n import gettext as _
from webclient.domain.model import InputRequest, ServerState, ServerStatus

_COMING = (ServerState.CONNECTING, ServerState.RECONNECTING)


def reach(request: InputRequest, status: ServerStatus) -> str:
    """Return the sentence for a pending request whose server cannot be reached, or ""."""
    if not request.pending:
        return ""
    label = visible(request.asked_by.label, 60)
    if status.state in _COMING:
        return _("{label} is offline. Your answer will be sent when it reconnects.").format(label=label)
    if status.quiet_since:
        return _("{label} does not answer at the moment; it may be busy. Your answer goes out all the same.").format(
            label=label
        )
    return ""
