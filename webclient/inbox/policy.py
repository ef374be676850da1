"""The rules under which a server may ask, as pure functions: what is refused, why, and in which words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from webclient.i18n import gettext as _
from webclient.model import InputRequest, Mode, RequestKind, Server


class Limit(StrEnum):
    """What stood in the way of a question."""

    KIND = "kind"
    MODE = "mode"
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a question is not put: `reason` is for the person, `told` is what the server is told."""

    limit: Limit
    reason: str
    told: str


class RefusedError(Exception):
    """A question is not put; the message is the reason, for the person."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


def refusal(server: Server, request: InputRequest) -> Refusal | None:
    """Return why `server` may not ask this, or None if it may.

    What was not announced must not be asked: sampling and roots never are, a mode is not when the user switched it
    off (MCP 2025-11-25, Elicitation, Capabilities: MUST NOT).
    """
    if request.kind not in (RequestKind.FORM, RequestKind.URL):
        return Refusal(
            Limit.KIND,
            _("The server asked for {kind}, which this client does not offer.").format(kind=request.kind),
            f"This client does not offer {request.kind}.",
        )
    mode = Mode(request.kind)
    if mode in server.modes:
        return None
    reasons = {
        Mode.FORM: _("It asked you to fill in a form, which you switched off for this server."),
        Mode.URL: _("It asked you to open a web page, which you switched off for this server."),
    }
    return Refusal(Limit.MODE, reasons[mode], f"This client did not announce elicitation in {mode} mode.")
