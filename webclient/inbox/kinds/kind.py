"""The base class of all kinds of input requests, with the behaviour that most of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import ClassVar, Literal

from webclient.content.forms import Parsed
from webclient.content.links import Link
from webclient.domain.errors import InvalidAnswerError
from webclient.domain.i18n import gettext as _
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
    Risk,
    Server,
)
from webclient.inbox.kinds.prepared import PreparedForm
from webclient.inbox.kinds.sampling_messages import Fault
from webclient.support.standard_json import canonical

EXCERPT = 2000
"""Characters of the message that are stored from a request that was too large to show."""

Symbol = Literal["form", "link", "confirmation", "sampling", "approval"]
"""A kind of question as people distinguish them: a confirmation is a form without fields."""

ACTION_OF = {
    RequestState.ACCEPTED: Action.ACCEPT,
    RequestState.WAITING: Action.ACCEPT,
    RequestState.COMPLETED: Action.ACCEPT,
    RequestState.DECLINED: Action.DECLINE,
}
"""The action that a server sees; every other state is `cancel`."""

_STATE_AFTER = {
    Action.ACCEPT: RequestState.ACCEPTED,
    Action.DECLINE: RequestState.DECLINED,
    Action.CANCEL: RequestState.CANCELLED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAnswer:
    """An answer to `request` that may be sent as it is; only `kinds` make one, by checking it.

    `secrets` names the values of `content` that may be secrets. `message` is what the person declines with, or their
    answer in the place of a tool; `reason` says what is special about the answer. The answer of a decision settles
    nothing unless that decision, with this `undo_until`, still stands. `looked_ms` is as in `InputRequest`.
    """

    request: InputRequest
    action: Action
    content: Json | None = None
    secrets: tuple[str, ...] = ()
    message: str | None = None
    reason: Reason | None = None
    undo_until: datetime | None = None
    looked_ms: int | None = None


class Kind(ABC):
    """One kind of input request; a subclass overrides the methods in which it differs.

    `name` is stored in rows and appears in the API. `mode` is the permission that a server needs, and `mode_off` the
    reason if the user switched it off; without a mode, no server may ask. `hidden` names parameters that no person
    sees. `carries_media`: its parameters may be as large as images are. `looks_back`: `placed` needs the earlier
    requests of its call. `template` shows a pending request.
    """

    name: str
    mode: ClassVar[Mode | None] = None
    mode_off: ClassVar[ReasonCode] = ReasonCode.KIND_UNSUPPORTED
    hidden: ClassVar[frozenset[str]] = frozenset({"_meta", "mode", "task"})
    has_form: ClassVar[bool] = False
    has_link: ClassVar[bool] = False
    carries_media: ClassVar[bool] = False
    looks_back: ClassVar[bool] = False

    def symbol(self, listed: ListedRequest) -> Symbol:
        """Return what a list shows the question as."""
        del listed
        return "form"

    def parts(self, params: Json) -> int:
        """Return how many fields or tools there are, for `asks` and `symbol`."""
        del params
        return 0

    @property
    def template(self) -> str:
        """The template of a pending card."""
        return f"requests/kinds/{self.name}.html"

    @abstractmethod
    def takes(self, method: str, params: Json) -> bool:
        """Return whether a server's message belongs to this kind."""

    def allows(self, server: Server) -> bool:
        """Return whether the user lets the server ask this."""
        return self.mode is not None and self.mode in server.modes

    def digest(self, params: Json) -> str:
        """Return a hash that is equal for requests in which a person sees the same.

        It is for hints and drafts, which a person checks. An answer without a person requires `json_equal` for all
        parameters.
        """
        shown = {name: value for name, value in params.items() if name not in self.hidden}
        return sha256(canonical([self.name, shown]).encode()).hexdigest()

    def withheld(self, request: InputRequest) -> tuple[str, ...]:
        """Return the names of values that are stored only until the request is answered."""
        return request.withheld

    def placed(self, request: InputRequest, earlier: Sequence[InputRequest]) -> InputRequest:
        """Return a new request with what follows from the `earlier` requests of its call."""
        del earlier
        return request

    def form(self, request: InputRequest) -> PreparedForm | None:
        """Return the form to fill in, if the kind has one."""
        del request
        return None

    def link(self, request: InputRequest) -> Link | None:
        """Return the link to open, if the kind has one."""
        del request
        return None

    def alarm(self, request: InputRequest, link: Link | None) -> Alarm | None:
        """Return what a list warns of, by the rules of the card; `link` has all its findings."""
        del request, link
        return None

    def risk(self, params: Json) -> Risk | None:
        """Return the gravest risk that can be seen of an approval."""
        del params
        return None

    def brief(self, request: InputRequest, withheld: Sequence[str]) -> Json | None:
        """Return what lists show of a proposed call, without the values that are `withheld`."""
        del request, withheld
        return None

    def is_long(self, request: InputRequest) -> bool:
        """Return whether checking an answer needs a thread of its own (see `schema_thread.py`)."""
        del request
        return False

    def read(self, request: InputRequest, posted: Sequence[tuple[str, str]]) -> Parsed | None:
        """Read and check the posted fields of the card; None if answers have no content."""
        del request, posted
        return None

    def check_parsed(self, request: InputRequest, parsed: Parsed) -> CheckedAnswer:
        """Return the accepting answer from the result of `read`. Raises InvalidAnswerError."""
        return self.check_accepted(request, dict(parsed.content))

    def check(self, request: InputRequest, action: Action, content: Json | None = None) -> CheckedAnswer:
        """Check an answer with the `content` from a program. Raises InvalidAnswerError."""
        if action is Action.ACCEPT:
            return self.check_accepted(request, content)
        return CheckedAnswer(request=request, action=action)

    def check_accepted(self, request: InputRequest, content: Json | None) -> CheckedAnswer:
        """Check the `content` of an accepting answer. Raises InvalidAnswerError, always if no person can accept it."""
        del request, content
        message = _("This client cannot give what the server asks for. Decline or cancel it.")
        raise InvalidAnswerError(message, {"": message})

    def fault(self, params: Json) -> Fault | None:
        """Return what is wrong with the parameters, by rules that the SDK does not check."""
        del params
        return None

    def result(self, request: InputRequest) -> Json | None:
        """Return what the server gets for a settled request, as MCP has it.

        None if MCP has no form for it: a pushed request gets an error, and a round or task ends its call.
        """
        action = ACTION_OF.get(request.state, Action.CANCEL)
        return {"action": action.value} | ({} if request.content is None else {"content": request.content})

    def state_after(self, action: Action) -> RequestState:
        """Return the state of a request after this answer."""
        return _STATE_AFTER[action]

    def excerpt(self, params: Json) -> Json:
        """Return the parameters that are stored from a request too large to show."""
        return {"mode": str(params.get("mode", "form"))[:EXCERPT], "message": str(params.get("message", ""))[:EXCERPT]}

    def asks(self, listed: ListedRequest) -> str:
        """Return what the person is asked for, in a few words for lists."""
        del listed
        return _("Cannot be answered here")

    def facts(self, request: InputRequest) -> list[tuple[str, str]]:
        """Return further facts for the history, as titles and texts."""
        del request
        return []

    def describe(self, request: InputRequest) -> str:
        """Return a sentence on the state of the request, for an error message."""
        sentences = {
            RequestState.PENDING: _("It waits for an answer."),
            RequestState.ACCEPTED: _("It was accepted and the answer was sent."),
            RequestState.DECLINED: _("It was declined."),
            RequestState.CANCELLED: _("It was cancelled."),
            RequestState.WITHDRAWN: _("The server withdrew it."),
            RequestState.EXPIRED: _("Its time ran out."),
            RequestState.INTERRUPTED: _("The connection to the server was lost."),
            RequestState.REFUSED: _("It was refused."),
        }
        return sentences.get(request.state, "")


class AutomaticKind(Kind):
    """Answered from what the user has set for the server, without a card; each answer is an entry of the history."""

    @property
    def template(self) -> str:
        """The template that shows the parameters as they came; no request waits."""
        return "requests/kinds/unsupported.html"

    @abstractmethod
    def answered(self, request: InputRequest, server: Server) -> InputRequest:
        """Return the request with its answer. It may read the disk."""


class UnsupportedKind(Kind):
    """No server may ask for it, and it cannot be accepted."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def template(self) -> str:
        """The template that shows the parameters as they came."""
        return "requests/kinds/unsupported.html"

    def takes(self, method: str, params: Json) -> bool:
        """Return False: it is the kind of stored requests only."""
        del method, params
        return False
