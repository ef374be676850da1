"""The fate of a request: how it stands or ended, as a person tells it apart. Each has words of its own on all pages."""

from __future__ import annotations

from enum import StrEnum

from webclient.domain.model.common import Via
from webclient.domain.model.reason import ReasonCode
from webclient.domain.model.request import Action, AnyRequest, Delivery, RequestState


class Fate(StrEnum):
    """How a request stands or ended; finer than its state, which only the protocol needs."""

    PENDING = "pending"
    SAVED = "saved"
    ANSWERED = "answered"
    APPROVED = "approved"
    ANSWERED_BY_RULE = "answered_by_rule"
    FOLDERS_SHARED = "folders_shared"
    DECLINED = "declined"
    DISMISSED = "dismissed"
    DISMISSED_BY_ITSELF = "dismissed_by_itself"
    CALL_STOPPED = "call_stopped"
    ENDED_BY_DEMO = "ended_by_demo"
    LINK_OPEN = "link_open"
    LINK_FINISHED = "link_finished"
    LINK_GIVEN_UP = "link_given_up"
    NOT_DELIVERED = "not_delivered"
    DELIVERY_UNKNOWN = "delivery_unknown"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    INTERRUPTED = "interrupted"
    REFUSED = "refused"


def fate_of(request: AnyRequest) -> Fate:
    """Return the fate of a request; of a decision that can be undone, the one that it will have."""
    if request.pending:
        return _DECIDED[request.decided] if request.decided else Fate.PENDING
    if request.state in _PLAIN:
        return _PLAIN[request.state]
    if request.state is RequestState.CANCELLED and (ended := _ended_otherwise(request)):
        return ended
    if request.delivery in _LOST:
        return _LOST[request.delivery]
    return _answered(request) if request.state is RequestState.ACCEPTED else _CHOSEN[request.state]


def _ended_otherwise(request: AnyRequest) -> Fate | None:
    """Return the fate of a cancelled request that the person did not just dismiss; None if they did."""
    if request.reason_code is ReasonCode.ENDED_BY_DEMO:
        return Fate.ENDED_BY_DEMO
    if request.reason_code is ReasonCode.CALL_CANCELLED:
        return Fate.CALL_STOPPED
    if request.given_up:
        return Fate.LINK_GIVEN_UP
    return Fate.DISMISSED_BY_ITSELF if request.via is None else None


def _answered(request: AnyRequest) -> Fate:
    if request.delivery is Delivery.SAVED:
        return Fate.SAVED
    if request.kind == "roots":
        return Fate.FOLDERS_SHARED
    if request.via is Via.RULE:
        return Fate.ANSWERED_BY_RULE
    if request.kind == "approval":
        return Fate.ANSWERED if request.reason_code is ReasonCode.ANSWERED_FOR_TOOL else Fate.APPROVED
    # A form without fields asks for a yes.
    return Fate.APPROVED if request.kind == "form" and not request.parts else Fate.ANSWERED


_DECIDED = {Action.ACCEPT: Fate.APPROVED, Action.DECLINE: Fate.DECLINED, Action.CANCEL: Fate.DISMISSED}
_LOST = {Delivery.FAILED: Fate.NOT_DELIVERED, Delivery.UNKNOWN: Fate.DELIVERY_UNKNOWN}
_CHOSEN = {
    RequestState.DECLINED: Fate.DECLINED,
    RequestState.CANCELLED: Fate.DISMISSED,
    RequestState.COMPLETED: Fate.LINK_FINISHED,
}
_PLAIN = {
    RequestState.WAITING: Fate.LINK_OPEN,
    RequestState.WITHDRAWN: Fate.WITHDRAWN,
    RequestState.EXPIRED: Fate.EXPIRED,
    RequestState.INTERRUPTED: Fate.INTERRUPTED,
    RequestState.REFUSED: Fate.REFUSED,
}
