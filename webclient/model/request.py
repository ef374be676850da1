"""An input request: what a server asks of a person, and the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from webclient.json_equality import digest
from webclient.model.call import CallKind
from webclient.model.common import Json, ServerKey, Via, new_id, now
from webclient.model.reason import Reason, ReasonCode


class RequestState(StrEnum):
    """Where an input request stands."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    CANCELLED = "cancelled"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    INTERRUPTED = "interrupted"
    REFUSED = "refused"
    WAITING = "waiting"
    COMPLETED = "completed"


class Came(StrEnum):
    """How a question came, which decides what its server hears of the answer.

    `pushed`: as a request, which is answered. `round`: in a result of 2026-07-28; the answer goes with the call that is
    made again. `required`: in error -32042; nothing is answered, the call is made again when everything is finished.
    """

    PUSHED = "pushed"
    ROUND = "round"
    REQUIRED = "required"


WITHOUT_ANSWER = (RequestState.WITHDRAWN, RequestState.EXPIRED, RequestState.INTERRUPTED)
"""How a question ends when it was put to a person, and something was quicker than they."""


class Action(StrEnum):
    """What a person answers (MCP 2025-11-25, elicitation, Response Actions)."""

    ACCEPT = "accept"
    DECLINE = "decline"
    CANCEL = "cancel"


class Delivery(StrEnum):
    """How far an answer has come on its way to the server."""

    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedBy:
    """Who asks, as it stood when the question came: the user's label and the address are trusted, the claim is not."""

    label: str
    address: str
    claims: str | None = None
    protocol_version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedDuring:
    """The call during which a question came, as far as the protocol lets one know.

    `withheld` names the arguments that may be secrets; their values are not in `arguments`.
    """

    kind: CallKind
    name: str
    arguments: Json | None = None
    withheld: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRequest:
    """One question of a server to the person, and what became of it.

    `kind` names one of `inbox.kinds`. `came` is how it came, `params` are the server's, verbatim. `round` counts
    from 1; `position` of `total` numbers the requests of one round. `during` is None when the protocol does not
    tell the call; `possible_calls` are then the ids of those of which it may be. `reason` is why it stands as it
    does, `opened_at` when the person agreed to open a link, `via` where they answered, `ended_via` where they said
    that they had finished at a link or gave it up, `delivery` how far the answer has come; `count` is how many the
    row stands for, more than one for a flood that was refused.
    """

    id: str = field(default_factory=new_id)
    user_id: str
    server_id: str
    call_id: str | None = None
    possible_calls: tuple[str, ...] = ()
    kind: str
    came: Came = Came.PUSHED
    params: Json
    asked_by: AskedBy
    during: AskedDuring | None = None
    round: int | None = None
    position: int = 1
    total: int = 1
    state: RequestState = RequestState.PENDING
    reason: Reason | None = None
    content: Json | None = None
    via: Via | None = None
    ended_via: Via | None = None
    delivery: Delivery | None = None
    count: int = 1
    expires_at: datetime | None = None
    created_at: datetime = field(default_factory=now)
    opened_at: datetime | None = None
    settled_at: datetime | None = None
    withheld: tuple[str, ...] = ()
    erased_at: datetime | None = None

    @property
    def reason_code(self) -> ReasonCode | None:
        """The code of the reason, if there is one."""
        return self.reason.code if self.reason else None

    @property
    def server_key(self) -> ServerKey:
        """The user and the server, for what is kept in memory."""
        return self.user_id, self.server_id

    @property
    def gone(self) -> tuple[str, ...]:
        """The values of the answer that are no longer kept; there is nothing but their names."""
        return tuple(name for name in self.withheld if (self.content or {}).get(name) is None)

    @property
    def open(self) -> bool:
        """Whether it waits for the person, here or elsewhere."""
        return self.state in (RequestState.PENDING, RequestState.WAITING)

    @property
    def pending(self) -> bool:
        """Whether the question still waits for the person."""
        return self.state is RequestState.PENDING

    @property
    def digest(self) -> str:
        """What is asked, in short: the same only if all is that a person reads and sends."""
        return digest(self.kind, self.params)

    @property
    def ended_unanswered(self) -> bool:
        """Whether it ended before the person answered; what they had typed until then is kept for a while."""
        with_its_call = self.state is RequestState.CANCELLED and self.via is None
        return self.state in WITHOUT_ANSWER or with_its_call

    @property
    def is_opened(self) -> bool:
        """Whether it is a link that the person agreed to open, and did not give up."""
        return self.state in (RequestState.WAITING, RequestState.COMPLETED)

    @property
    def given_up(self) -> bool:
        """Whether the person agreed to open the link, and then did not want to wait for what comes of it."""
        return self.state is RequestState.CANCELLED and self.opened_at is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What goes back to the server: `content` for an accepted form only."""

    action: Action
    content: Json | None = None
