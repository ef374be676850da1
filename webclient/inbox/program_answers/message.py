"""The message of a webhook: how a question of a program ended, without values that may be secret."""

from __future__ import annotations

from webclient.domain.model import Action, InputRequest, Json, RequestState, now
from webclient.domain.reasons import sentence

TYPE = "request.settled"

_ACTIONS = {
    RequestState.ACCEPTED: Action.ACCEPT,
    RequestState.WAITING: Action.ACCEPT,
    RequestState.COMPLETED: Action.ACCEPT,
    RequestState.DECLINED: Action.DECLINE,
}
"""The action of MCP by the state of a question; every other one is `cancel`."""


def message_of(request: InputRequest) -> Json:
    """Return the body of the webhook of a settled request; the program fetches the values that are withheld."""
    data: Json = {
        "id": request.id,
        "state": request.state,
        "action": _ACTIONS.get(request.state, Action.CANCEL),
    }
    if request.content is not None:
        # Safe for any receiver: values that may be secret, or that are not to be stored, are not in it.
        hidden = request.withheld
        data["content"] = {name: None if name in hidden else each for name, each in request.content.items()}
    if request.decline_message:
        data["message"] = request.decline_message
    if request.withheld:
        data["withheld"] = list(request.withheld)
    if request.reason:
        data["reason"] = sentence(request.reason)
        data["reason_code"] = request.reason.code
    if request.settled_at:
        data["settled_at"] = request.settled_at.isoformat()
    return {"type": TYPE, "timestamp": now().isoformat(), "data": data}
