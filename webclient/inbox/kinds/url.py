"""A link: the server sends the person to an address of its own (MCP 2025-11-25, Elicitation, URL Mode)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from webclient.consent import Link, Severity, analyse
from webclient.errors import InvalidAnswerError
from webclient.i18n import gettext as _
from webclient.inbox.answers import CheckedAnswer
from webclient.inbox.kinds.kind import Kind
from webclient.model import Action, InputRequest, Json, Mode, RequestState
from webclient.visible_text import visible


class UrlKind(Kind):
    """Accepted without content; then it waits until the person, or the server, says that they have finished there."""

    name = "url"
    mode = Mode.URL
    has_link = True

    def takes(self, method: str, params: Json) -> bool:
        """Whether it is an elicitation in url mode."""
        return method == "elicitation/create" and params.get("mode") == "url"

    def link(self, request: InputRequest) -> Link:
        """Return the link to open, by what is known of the request alone."""
        return link_of(request)

    def check_accepted(self, request: InputRequest, content: Json | None) -> CheckedAnswer:
        """Check that the link may be opened and that there is no content. Raises InvalidAnswerError."""
        if content:
            message = _("A link is accepted without content; leave it out.")
            raise InvalidAnswerError(message, {"": message})
        link = link_of(request)
        if link.blocked:
            reasons = " ".join(finding.message for finding in link.of(Severity.BLOCK))
            message = _("This link cannot be accepted: {reasons} Decline or cancel it.").format(reasons=reasons)
            raise InvalidAnswerError(message, {"": message})
        return CheckedAnswer(request=request, action=Action.ACCEPT)

    def state_after(self, action: Action) -> RequestState:
        """Return the state of a request that was answered so: an accepted link waits."""
        return RequestState.WAITING if action is Action.ACCEPT else super().state_after(action)

    def facts(self, request: InputRequest) -> list[tuple[str, str]]:
        """Return the address as the server sent it."""
        return [(_("Address"), str(request.params.get("url", "")))]

    def steps(self, request: InputRequest) -> list[tuple[datetime, str]]:
        """Return when the server asked, and when the person agreed."""
        label = visible(request.asked_by.label, 60)
        host = visible(link_of(request).host or _("an address that cannot be opened"), 100)
        steps = [(request.created_at, _("{label} asked you to open {host}.").format(label=label, host=host))]
        if request.opened_at:
            steps.append((request.opened_at, _("You agreed to open {host}.").format(host=host)))
        return steps

    def describe(self, request: InputRequest) -> str:
        """Return one sentence that says how the request stands."""
        if request.given_up:
            return _("the link was accepted, and then you gave up waiting.")
        if request.state is RequestState.WAITING:
            return _("the link was accepted; the server waits for you to finish there.")
        if request.state is RequestState.COMPLETED:
            return _("the link was accepted and you finished there.")
        return super().describe(request)


def link_of(request: InputRequest, opened: Collection[str] | None = None) -> Link:
    """Return the link that a url request asks to open; `opened` as in `analyse`."""
    url = request.params.get("url")
    address = request.asked_by.address
    server_url = address if address.startswith(("http://", "https://")) else None
    return analyse(url if isinstance(url, str) else "", server_url=server_url, opened=opened)
