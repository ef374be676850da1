"""What an answer becomes: the content that is sent for it, and the sentence in which its outcome is told."""

from __future__ import annotations

from webclient.consent import Severity
from webclient.errors import InvalidAnswerError
from webclient.forms.check import check, prefilled
from webclient.forms.fields import read_form
from webclient.i18n import gettext as _
from webclient.inbox.links import link_of
from webclient.model import Action, Answer, InputRequest, Json, RequestKind, RequestState

_ACTION_OF = {
    RequestState.ACCEPTED: Action.ACCEPT,
    RequestState.WAITING: Action.ACCEPT,
    RequestState.COMPLETED: Action.ACCEPT,
    RequestState.DECLINED: Action.DECLINE,
}


def answer_of(request: InputRequest) -> Answer:
    """Return what goes back to the server for a request that is settled; whatever ended otherwise is a cancel."""
    return Answer(action=_ACTION_OF.get(request.state, Action.CANCEL), content=request.content)


def content_to_send(request: InputRequest, action: Action, content: Json | None) -> Json | None:
    """Return the content that goes out with the answer: the given one unchanged, or the prefilled form.

    Raises InvalidAnswerError when the schema, or the protocol, does not allow it.
    """
    if action is not Action.ACCEPT:
        return None
    if request.kind is RequestKind.URL:
        _check_link(request, content)
        return None
    schema = request.params.get("requestedSchema") or {}
    form = read_form(schema)
    if form.unanswerable:
        raise InvalidAnswerError(form.unanswerable, {"": form.unanswerable})
    chosen = prefilled(form) if content is None else content
    errors = check(schema, chosen)
    if errors:
        raise InvalidAnswerError(_("The answer does not fit the form."), errors)
    return chosen


def _check_link(request: InputRequest, content: Json | None) -> None:
    if content:
        message = _("A link is accepted without content; leave it out.")
        raise InvalidAnswerError(message, {"": message})
    link = link_of(request)
    if link.blocked:
        reasons = " ".join(finding.message for finding in link.of(Severity.BLOCK))
        message = _("This link cannot be accepted: {reasons} Decline or cancel it.").format(reasons=reasons)
        raise InvalidAnswerError(message, {"": message})


def describe(request: InputRequest) -> str:
    """Return one sentence that says how the request stands."""
    if request.given_up:
        return _("the link was accepted, and then you gave up waiting.")
    sentences = {
        RequestState.PENDING: _("it waits for an answer."),
        RequestState.ACCEPTED: _("it was accepted and the answer was sent."),
        RequestState.DECLINED: _("it was declined."),
        RequestState.CANCELLED: _("it was cancelled."),
        RequestState.WITHDRAWN: _("the server took it back."),
        RequestState.EXPIRED: _("its time ran out."),
        RequestState.INTERRUPTED: _("the connection to the server was lost."),
        RequestState.REFUSED: _("it was refused."),
        RequestState.WAITING: _("the link was accepted; the server waits for you to finish there."),
        RequestState.COMPLETED: _("the link was accepted and you finished there."),
    }
    return sentences[request.state]
