"""Reasons why a request for a message did not go to a model, or came back from it without one."""

from __future__ import annotations

from collections.abc import Mapping

from webclient.domain.i18n import N_
from webclient.domain.model import ReasonCode
from webclient.domain.reasons.plural import Plural, Sentence

FAILED: Mapping[ReasonCode, Sentence] = {
    ReasonCode.SAMPLING_NO_MODEL: N_("No model is configured, so write the message yourself."),
    ReasonCode.SAMPLING_BUSY: N_("A model is working on this message. Stop it first."),
    ReasonCode.SAMPLING_OTHER_KIND: N_("This question does not ask for a message from a model."),
    ReasonCode.SAMPLING_NOT_REVIEWED: N_("The model has not written a message that you could change."),
    ReasonCode.SAMPLING_INTERRUPTED: N_("mcp-webclient was stopped while the model was working. Run it again."),
    ReasonCode.SAMPLING_FAILED: N_("The model gave no message that can be used. Run it again, or write one yourself."),
    ReasonCode.SAMPLING_TURN_LIMIT: Plural(
        "This conversation has had {n} turn, which is your limit for this server.",
        "This conversation has had {n} turns, which is your limit for this server.",
    ),
    ReasonCode.SAMPLING_REQUEST_LIMIT: Plural(
        "This server has used a model {n} time today, which is your limit. Raise it in the permissions of the server, "
        "or write the message yourself.",
        "This server has used a model {n} times today, which is your limit. Raise it in the permissions of the server, "
        "or write the message yourself.",
    ),
    ReasonCode.SAMPLING_TOKEN_LIMIT: N_(
        "This may take {wanted:,} tokens, and the server has used {used:,} of the {most:,} that you allow for a day. "
        "Lower the limit of the message, or raise that of the server."
    ),
    ReasonCode.SAMPLING_COST_LIMIT: N_(
        "This may cost {wanted} {currency}, and the server has used {used} of the {most} that you allow for a day. "
        "Lower the limit of the message, or raise that of the server."
    ),
}
