"""The timeline of a call in sentences: asked, answered, opened, finished, sent again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from webclient.http import shown
from webclient.i18n import gettext as _
from webclient.i18n import ngettext
from webclient.inbox import kind_of, link_of
from webclient.model import Call, Came, InputRequest, RequestState, ServerState, ServerStatus
from webclient.visible_text import visible

MOST = 100
"""The number of steps that are shown, the newest."""

_ENDS = {
    RequestState.ACCEPTED: lambda: _("You answered."),
    RequestState.DECLINED: lambda: _("You declined."),
    RequestState.CANCELLED: lambda: _("Cancelled."),
    RequestState.WITHDRAWN: lambda: _("The question ended without your answer."),
    RequestState.EXPIRED: lambda: _("The question expired."),
    RequestState.INTERRUPTED: lambda: _("The question was interrupted."),
    RequestState.REFUSED: lambda: _("The question was refused automatically."),
    RequestState.COMPLETED: lambda: _("Finished."),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One event of the timeline; `because` is its reason."""

    at: datetime
    words: str
    because: str = ""


def timeline(call: Call, requests: Sequence[InputRequest]) -> list[Step]:
    """Return the steps of the call, oldest first; `requests` are its own."""
    steps = [step for request in requests for step in _steps(request)] + list(_made_again(call, requests))
    return sorted(steps, key=lambda step: step.at)[-MOST:]


def away(call: Call, requests: Sequence[InputRequest], status: ServerStatus) -> str:
    """Return the sentence for a call that waits only for its server's connection, or ""."""
    waits = any(request.pending for request in requests)
    if call.state.ended or waits or status.state is ServerState.CONNECTED:
        return ""
    if call.checkpoint is None:
        # One that was sent would end with its session; one that has asked was sent.
        return (
            ""
            if requests
            else _("Connecting to {label}. The call is sent when it is connected.").format(
                label=visible(call.server_label, 60)
            )
        )
    return _("{label} is offline. The call continues when it reconnects.").format(label=visible(call.server_label, 60))


def waits_for(call: Call, requests: Sequence[InputRequest]) -> str:
    """Return the sentence on what the call waits for: an answer, or a link to be finished."""
    if any(request.pending for request in requests):
        return _("Waiting for your answer.")
    if call.may_wait:
        return _("May be waiting for your answer: {label} does not say which of its calls is asking.").format(
            label=visible(call.server_label, 60)
        )
    links = [each for each in requests if each.state is RequestState.WAITING and each.came is not Came.PUSHED]
    if not links:
        return _("All questions are answered. The call continues.")
    if any(link.came is Came.REQUIRED for link in links):
        sentence = ngettext(
            "You opened {host}. The call is sent again when you have finished there.",
            "You opened {n} links. The call is sent again when you have finished there.",
            len(links),
        )
    else:
        sentence = ngettext(
            "You opened {host}. The server waits until you have finished there.",
            "You opened {n} links. The server waits until you have finished there.",
            len(links),
        )
    return sentence.format(host=_host(links[0]), n=len(links))


def _steps(request: InputRequest) -> Iterator[Step]:
    yield from (Step(at, words) for at, words in kind_of(request).steps(request))
    if request.settled_at and request.state in _ENDS:
        yield Step(request.settled_at, _ENDS[request.state](), shown(request.reason, 300))


def _host(request: InputRequest) -> str:
    return visible(link_of(request).host or _("an address that cannot be opened"), 100)


def _made_again(call: Call, requests: Sequence[InputRequest]) -> Iterator[Step]:
    """Yield a step for each time that the call was sent again after its required links."""
    required = [each for each in requests if each.came is Came.REQUIRED and each.state is not RequestState.REFUSED]
    waiting = (call.checkpoint or {}).get("round")
    for number in {each.round for each in required} - {waiting}:
        links = [each for each in required if each.round == number]
        finished = [each.settled_at for each in links if each.state is RequestState.COMPLETED and each.settled_at]
        if len(finished) == len(links):
            yield Step(max(finished), _("The call was sent again."))
