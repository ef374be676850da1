"""Answers: one that was judged and may be sent, and what goes back to the server for a settled request."""

from __future__ import annotations

from dataclasses import dataclass

from webclient.model import Action, Answer, InputRequest, Json, RequestState

_ACTION_OF = {
    RequestState.ACCEPTED: Action.ACCEPT,
    RequestState.WAITING: Action.ACCEPT,
    RequestState.COMPLETED: Action.ACCEPT,
    RequestState.DECLINED: Action.DECLINE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAnswer:
    """An answer to `request` that may be sent as it is. Only the kinds of requests make it, by judging.

    `secrets` names the values of `content` that may be secrets.
    """

    request: InputRequest
    action: Action
    content: Json | None = None
    secrets: tuple[str, ...] = ()


def answer_of(request: InputRequest) -> Answer:
    """Return what goes back to the server for a settled request; any other end than an answer is a cancel."""
    return Answer(action=_ACTION_OF.get(request.state, Action.CANCEL), content=request.content)
