"""What differs by the kind of an input request, with what holds for most kinds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from webclient.consent import Link
from webclient.forms import Parsed
from webclient.i18n import gettext as _
from webclient.inbox.answers import CheckedAnswer
from webclient.inbox.kinds.prepared import PreparedForm
from webclient.model import Action, InputRequest, Json, Mode, RequestState
from webclient.visible_text import visible

EXCERPT = 2000
"""Characters of the message that are kept of a request that was too large to show."""

_STATE_AFTER = {
    Action.ACCEPT: RequestState.ACCEPTED,
    Action.DECLINE: RequestState.DECLINED,
    Action.CANCEL: RequestState.CANCELLED,
}


class Kind(ABC):
    """One kind of input request; a subclass overrides what differs.

    `name` stands in rows and in the API. `mode` is the permission that a server needs to ask this; None: no server
    has it. `template` shows a pending request.
    """

    name: str
    mode: ClassVar[Mode | None] = None
    has_form: ClassVar[bool] = False
    has_link: ClassVar[bool] = False

    @property
    def template(self) -> str:
        """The template of a pending card."""
        return f"requests/kinds/{self.name}.html"

    @abstractmethod
    def takes(self, method: str, params: Json) -> bool:
        """Whether a message of the server with this method and these parameters is of this kind."""

    def form(self, request: InputRequest) -> PreparedForm | None:
        """Return the form to fill in, if the kind has one."""
        del request
        return None

    def link(self, request: InputRequest) -> Link | None:
        """Return the link to open, if the kind has one."""
        del request
        return None

    def is_long(self, request: InputRequest) -> bool:
        """Whether reading and judging an answer takes so long that it needs a thread (see `schema_thread.py`)."""
        del request
        return False

    def read(self, request: InputRequest, posted: Sequence[tuple[str, str]]) -> Parsed | None:
        """Read and judge what the card's form posted; None if an answer of this kind has no content."""
        del request, posted
        return None

    def check_parsed(self, request: InputRequest, parsed: Parsed) -> CheckedAnswer:
        """Return the accepting answer that `read` has read. Raises InvalidAnswerError."""
        return self.check_accepted(request, dict(parsed.content))

    def check(self, request: InputRequest, action: Action, content: Json | None = None) -> CheckedAnswer:
        """Judge an answer with the `content` that a program gave. Raises InvalidAnswerError."""
        if action is Action.ACCEPT:
            return self.check_accepted(request, content)
        return CheckedAnswer(request=request, action=action)

    @abstractmethod
    def check_accepted(self, request: InputRequest, content: Json | None) -> CheckedAnswer:
        """Judge the `content` of an accepting answer. Raises InvalidAnswerError."""

    def state_after(self, action: Action) -> RequestState:
        """Return the state of a request that was answered so."""
        return _STATE_AFTER[action]

    def excerpt(self, params: Json) -> Json:
        """Return what is kept of the parameters of a request that was too large to show."""
        return {"mode": str(params.get("mode", "form"))[:EXCERPT], "message": str(params.get("message", ""))[:EXCERPT]}

    def facts(self, request: InputRequest) -> list[tuple[str, str]]:
        """Return what else the history shows of a request: titles and texts."""
        del request
        return []

    def steps(self, request: InputRequest) -> list[tuple[datetime, str]]:
        """Return what happened to a request before it ended: moments and sentences."""
        label = visible(request.asked_by.label, 60)
        return [(request.created_at, _("{label} asked a question.").format(label=label))]

    def describe(self, request: InputRequest) -> str:
        """Return one sentence that says how the request stands."""
        sentences = {
            RequestState.PENDING: _("it waits for an answer."),
            RequestState.ACCEPTED: _("it was accepted and the answer was sent."),
            RequestState.DECLINED: _("it was declined."),
            RequestState.CANCELLED: _("it was cancelled."),
            RequestState.WITHDRAWN: _("the server took it back."),
            RequestState.EXPIRED: _("its time ran out."),
            RequestState.INTERRUPTED: _("the connection to the server was lost."),
            RequestState.REFUSED: _("it was refused."),
        }
        return sentences.get(request.state, "")
