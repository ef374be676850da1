"""An input request of a server to a person, its states, and how its answer travels."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from webclient.domain.model.call import CallKind
from webclient.domain.model.common import Json, ServerKey, Via, new_id, now
from webclient.domain.model.reason import Reason, ReasonCode
from webclient.domain.model.sampling import Sampling, Stage, last_text


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


class Origin(StrEnum):
    """How an input request arrived; it decides how the server gets the answer.

    `pushed`: as a request of the server; the answer is its response. `round`: in a result of 2026-07-28; the answer
    goes out when the call is sent again. `required`: in error -32042; no answer goes out, and the call is sent again
    when all links are finished. `task`: with the state of a task of 2026-07-28; the answer goes out by itself, in an
    update of that task. `hosted`: as a request of the server that it wants as a task of ours (2025-11-25, Tasks); the
    server fetches the answer, also in another session. `program`: over the API, from a program that is not a server of
    ours; it fetches the answer, and holds no connection for it. `approval`: made here, before the call of an agent is
    sent; the answer decides on the call, and goes to no server.
    """

    PUSHED = "pushed"
    HOSTED = "hosted"
    ROUND = "round"
    REQUIRED = "required"
    TASK = "task"
    PROGRAM = "program"
    APPROVAL = "approval"


UNSENT = (
    RequestState.DECLINED,
    RequestState.CANCELLED,
    RequestState.WITHDRAWN,
    RequestState.EXPIRED,
    RequestState.INTERRUPTED,
)
"""The states of a request that ended while the text typed into its form was not sent."""


CHANGEABLE = (RequestState.ACCEPTED, RequestState.DECLINED, RequestState.CANCELLED)
"""The states after an answer that can be changed while it is saved."""


FETCH_TIME = timedelta(hours=1)
"""A server can fetch a hosted answer for at least so long after the last moment at which the person can give it."""


class Action(StrEnum):
    """The actions of an answer (MCP 2025-11-25, Elicitation, Response Actions)."""

    ACCEPT = "accept"
    DECLINE = "decline"
    CANCEL = "cancel"


class Delivery(StrEnum):
    """How far an answer got on its way to the server.

    `saved`: it waits for the other answers of its round, and can still be changed. `failed`: the server certainly does
    not have it. `unknown`: it was sent, and the connection, the server or this program ended before the server showed
    that it has it.
    """

    SAVED = "saved"
    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Alarm(StrEnum):
    """The worst that a question asks for, as its card says it; lists show it in a few words.

    `secret`: a form asks for one. The others are about a link: it cannot be opened, looks like another one, or
    has a warning of another sort.
    """

    SECRET = "secret"  # noqa: S105  (no password)
    BLOCKED = "blocked-link"
    DISGUISED = "disguised-link"
    WARNED = "warned-link"


class Risk(StrEnum):
    """The gravest that a proposed call may do, as far as its tool and its arguments show; the first are the gravest.

    `destructive` and `outside` (it reaches others) are what the server says of its tool; `money` and `address` are
    among the arguments.
    """

    DESTRUCTIVE = "destructive"
    MONEY = "money"
    OUTSIDE = "outside"
    ADDRESS = "address"


UNREAD = 2_000
"""Milliseconds: a card that was there so long at most was not read."""


def weight_of(risk: Risk | None) -> int:
    """Return the weight by which lists are ordered: 2 for what is hard to undo, 1 for another risk, 0 for none."""
    if risk in (Risk.DESTRUCTIVE, Risk.MONEY):
        return 2
    return 1 if risk else 0


class RequesterKind(StrEnum):
    """The type of the requester: a server with a connection, a program with a token, or an agent at the gateway."""

    SERVER = "server"
    PROGRAM = "program"
    AGENT = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requester:
    """The server or program that asks, as it was when the request came.

    The user's `label` and the `address` are trusted; `claims`, the name that it gives itself, is not. A program has no
    address, and the `token_id` of its token; an embedding application has the name of its `embedder` instead. `made_by`
    is the name of the administrator whose token it is, if that is not the person who is asked.
    """

    kind: RequesterKind = RequesterKind.SERVER
    label: str
    address: str
    claims: str | None = None
    protocol_version: str | None = None
    token_id: str | None = None
    embedder: str | None = None
    made_by: str | None = None

    @property
    def is_agent(self) -> bool:
        """Whether an agent asks whether its call may run."""
        return self.kind is RequesterKind.AGENT

    @property
    def is_program(self) -> bool:
        """Whether a program asks, and no server."""
        return self.kind is RequesterKind.PROGRAM


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """The call during which a request came, as far as the protocol tells.

    `withheld` names the arguments that may be secrets; their values are not in `arguments`. `agent` is the user's name
    for the agent that made it, and `agent_claims` what that says of itself.
    """

    kind: CallKind
    name: str
    arguments: Json | None = None
    withheld: tuple[str, ...] = ()
    agent: str = ""
    agent_claims: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequesterIds:
    """The ids by which its requester knows a request, as far as there are any.

    `wire_id` is the JSON-RPC id of a pushed request. `task_id` is the task of the server to which the request belongs.
    `hosted_task_id` is our task as which a hosted request is answered. A program fetches its answer in the same way, so
    there it is the id of the request.
    """

    wire_id: str | int | None = None
    task_id: str | None = None
    hosted_task_id: str | None = None


class Standing:
    """Conclusions from the state of a request, whether its parameters are known or not."""

    __slots__ = ()

    origin: Origin
    state: RequestState
    delivery: Delivery | None
    via: Via | None
    opened_at: datetime | None
    decided: Action | None

    @property
    def is_by_itself(self) -> bool:
        """Whether it came as a request of its own, in no round."""
        return self.origin in (Origin.PUSHED, Origin.HOSTED, Origin.PROGRAM, Origin.APPROVAL)

    @property
    def open(self) -> bool:
        """Whether it waits for the person, here or at an opened link."""
        return self.state in (RequestState.PENDING, RequestState.WAITING)

    @property
    def pending(self) -> bool:
        """Whether it waits for an answer."""
        return self.state is RequestState.PENDING

    @property
    def undoable(self) -> bool:
        """Whether the person has declined or cancelled it, and can still undo that."""
        return self.pending and self.decided is not None

    @property
    def changeable(self) -> bool:
        """Whether its answer is saved and can be changed; a link that was opened cannot be closed again."""
        return self.delivery is Delivery.SAVED and self.state in CHANGEABLE

    @property
    def reopened(self) -> bool:
        """Whether it was answered before, and the answer is being changed."""
        return self.pending and self.via is not None

    @property
    def ended_unsent(self) -> bool:
        """Whether it ended without sending typed text, which is then kept for a while."""
        return self.state in UNSENT

    @property
    def is_opened(self) -> bool:
        """Whether the person agreed to open its link and did not stop waiting."""
        return self.state in (RequestState.WAITING, RequestState.COMPLETED)

    @property
    def given_up(self) -> bool:
        """Whether the person opened its link and then stopped waiting."""
        return self.state is RequestState.CANCELLED and self.opened_at is not None


EXCERPT = 300
"""Characters of a message that lists have; they show fewer, and say that there are more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRequest(Standing):
    """A request as lists show it: without its parameters, its answer and the arguments of its call.

    Reading a list must cost the same however much each question says. `words` is the beginning of the message, `parts`
    counts the fields of a form or the tools of a sampling request, and `size` is about the bytes of the whole. `during`
    is None also if it is long. `has_draft`: the person typed something that was saved. `stage` and `started_at` are
    those of a sampling request. `brief` is what lists show of a proposed call, by `ApprovalKind.brief`.
    """

    id: str
    user_id: str
    server_id: str
    call_id: str | None
    possible_calls: tuple[str, ...]
    kind: str
    origin: Origin
    asked_by: Requester
    call_name: str | None
    during: CallContext | None
    words: str
    parts: int
    size: int
    round: int | None
    position: int
    total: int
    state: RequestState
    delivery: Delivery | None
    via: Via | None
    expires_at: datetime | None
    created_at: datetime
    opened_at: datetime | None
    settled_at: datetime | None
    reason_code: ReasonCode | None
    decided: Action | None
    undo_until: datetime | None
    alarm: Alarm | None
    risk: Risk | None
    brief: Json | None
    has_draft: bool
    stage: Stage
    started_at: str | None

    @property
    def server_key(self) -> ServerKey:
        """The user and the server: the key of their counters in memory."""
        return self.user_id, self.server_id


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRequest(Standing):
    """One request of a server to the person, with its state and answer.

    `kind` names one of `inbox.kinds`; `params` are the server's, verbatim; `digest`, which `Inbox.put` sets, is equal
    if a person reads and sends the same. `round` counts from 1; `position` of `total` numbers the requests of one
    round. `parts`, `alarm`, `risk` and `brief`, which `Inbox.put` sets as well, are for lists (see `ListedRequest`).
    `during` is None when the protocol does not tell the call; `possible_calls` are then the ids of the calls that it
    may belong to.
    `reason` explains the state. `decline_message` is what the person declined with, in words. `via` is where they
    answered, `opened_at` when they agreed to open a link, `ended_via` where they finished it or stopped waiting.
    `withheld` names the values of the answer that are not stored for good. `decided` is the decline or cancel that the
    person can undo until about `undo_until`, while it is pending. `sampling` is where a sampling request stands.
    `server_id` of a question from a program names its program. `looked_ms` is how long the card of an approval was
    there before it was accepted on a page, None if that is not known; `rule_id` is the rule that had it asked. `count`
    is the number of requests that this row counts, more than one for a refused flood.
    """

    id: str = field(default_factory=new_id)
    user_id: str
    server_id: str
    call_id: str | None = None
    possible_calls: tuple[str, ...] = ()
    kind: str
    origin: Origin = Origin.PUSHED
    params: Json
    digest: str = ""
    parts: int = 0
    asked_by: Requester
    during: CallContext | None = None
    round: int | None = None
    position: int = 1
    total: int = 1
    state: RequestState = RequestState.PENDING
    reason: Reason | None = None
    content: Json | None = None
    decline_message: str | None = None
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
    decided: Action | None = None
    undo_until: datetime | None = None
    alarm: Alarm | None = None
    risk: Risk | None = None
    brief: Json | None = None
    sampling: Sampling | None = None
    looked_ms: int | None = None
    rule_id: str | None = None
    ids: RequesterIds = field(default_factory=RequesterIds)

    @property
    def words(self) -> str:
        """What the server says: its message or, for sampling, the last text of the conversation.

        For an approval without a message, what its tool is called.
        """
        return str(self.params.get("message", "")) or last_text(self.params) or _title(self.params.get("tool"))

    @property
    def call_name(self) -> str | None:
        """The name of its call, if that is known."""
        return self.during.name if self.during else None

    @property
    def reason_code(self) -> ReasonCode | None:
        """The code of the reason, if there is one."""
        return self.reason.code if self.reason else None

    @property
    def server_key(self) -> ServerKey:
        """The user and the server: the key of their counters in memory."""
        return self.user_id, self.server_id

    @property
    def gone(self) -> tuple[str, ...]:
        """The names of the answer's values that are no longer stored."""
        return tuple(name for name in self.withheld if (self.content or {}).get(name) is None)


def _title(tool: Json | None) -> str:
    return str(tool.get("title") or tool.get("name") or "") if isinstance(tool, dict) else ""


AnyRequest = InputRequest | ListedRequest
"""A request, of which it does not matter whether its parameters are known."""
