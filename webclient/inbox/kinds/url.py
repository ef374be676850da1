"""A link: the server asks the person to open an address (MCP 2025-11-25, Elicitation, URL Mode)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from webclient.content.links import Link, Severity, analyse
from webclient.domain.errors import InvalidAnswerError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import sentences
from webclient.domain.model import (
    Action,
    Alarm,
    InputRequest,
    Json,
    ListedRequest,
    Mode,
    Reason,
    ReasonCode,
    RequestState,
)
from webclient.inbox.kinds.kind import CheckedAnswer, Kind, Symbol


class UrlKind(Kind):
    """Accepted without content; then it waits until the person or the server says that they finished there."""

    name = "url"
    mode = Mode.URL
    mode_off = ReasonCode.URL_MODE_OFF
    # Servers give each request for the same link another id.
    hidden = Kind.hidden | {"elicitationId"}
    has_link = True
    looks_back = True

    def takes(self, method: str, params: Json) -> bool:
        """Return whether it is an elicitation in url mode."""
        return method == "elicitation/create" and params.get("mode") == "url"

    def placed(self, request: InputRequest, earlier: Sequence[InputRequest]) -> InputRequest:
        """Return the request, with a remark if the person finished its link before."""
        url = request.params.get("url")
        finished = [each for each in earlier if each.state is RequestState.COMPLETED and each.params.get("url") == url]
        if not finished:
            return request
        same = any(each.digest == self.digest(request.params) for each in finished)
        return replace(request, reason=Reason(ReasonCode.LINK_REPEATED if same else ReasonCode.LINK_REPEATED_CHANGED))

    def link(self, request: InputRequest) -> Link:
        """Return the link to open, without a look at links that were opened before."""
        return link_of(request)

    def check_accepted(self, request: InputRequest, content: Json | None) -> CheckedAnswer:
        """Check that the link may be opened and that there is no content. Raises InvalidAnswerError."""
        if content:
            message = _("A link is accepted without content; leave it out.")
            raise InvalidAnswerError(message, {"": message})
        link = link_of(request)
        if link.blocked:
            reasons = sentences(finding.message for finding in link.of(Severity.BLOCK))
            message = _("This link cannot be accepted: {reasons} Decline or cancel it.").format(reasons=reasons)
            raise InvalidAnswerError(message, {"": message})
        return CheckedAnswer(request=request, action=Action.ACCEPT)

    def alarm(self, request: InputRequest, link: Link | None) -> Alarm | None:
        """Return whether the link is blocked, disguised, or has another warning."""
        link = link or link_of(request)
        if link.blocked:
            return Alarm.BLOCKED
        if link.disguised:
            return Alarm.DISGUISED
        return Alarm.WARNED if link.of(Severity.WARN) else None

    def state_after(self, action: Action) -> RequestState:
        """Return the state of a request after this answer: an accepted link waits."""
        return RequestState.WAITING if action is Action.ACCEPT else super().state_after(action)

    def asks(self, listed: ListedRequest) -> str:
        """Return what the person is asked for."""
        del listed
        return _("Open a link")

    def facts(self, request: InputRequest) -> list[tuple[str, str]]:
        """Return the address as the server sent it."""
        return [(_("Address"), str(request.params.get("url", "")))]

    def symbol(self, listed: ListedRequest) -> Symbol:
        """Return what a list shows the question as."""
        del listed
        return "link"

    def describe(self, request: InputRequest) -> str:
        """Return a sentence on the state of the request, for an error message."""
        if request.given_up:
            return _("The link was accepted, and then you gave up waiting.")
        if request.state is RequestState.WAITING:
            return _("The link was accepted; the server waits for you to finish there.")
        if request.state is RequestState.COMPLETED:
            return _("The link was accepted and you finished there.")
        return super().describe(request)


def link_of(request: InputRequest, opened: Collection[str] | None = None) -> Link:
    """Return the link that a url request asks to open; `opened` as in `analyse`."""
    url = request.params.get("url")
    address = request.asked_by.address
    server_url = address if address.startswith(("http://", "https://")) else None
    return analyse(url if isinstance(url, str) else "", server_url=server_url, opened=opened)
