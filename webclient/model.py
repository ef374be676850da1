"""The nouns of the product as plain data: server, call, input request and answer, with their states.

Rows of the store, events and cards are all made from these; nothing here does I/O.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import PurePath
from secrets import token_urlsafe
from typing import Any

from webclient.addresses import masked
from webclient.sameness import digest

Json = dict[str, Any]

LOCAL_USER = "local"
"""The one user of local mode."""


def new_id() -> str:
    """Return an opaque id that nobody can guess, safe as an HTML id and in a URL."""
    return token_urlsafe(12).replace("-", "x").replace("_", "y")


def now() -> datetime:
    """Return the current time, aware, in UTC."""
    return datetime.now(UTC)


class Era(StrEnum):
    """How a connection speaks, or is asked to."""

    AUTO = "auto"
    PUSH = "2025-11-25"
    ROUNDS = "2026-07-28"


class ServerState(StrEnum):
    """Where a connection stands."""

    DISCONNECTED = "disconnected"
    CONNECTING = "connecting"
    CONNECTED = "connected"
    RECONNECTING = "reconnecting"
    ERROR = "error"


class CallState(StrEnum):
    """Where a call stands."""

    RUNNING = "running"
    INPUT_REQUIRED = "input_required"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen to the call."""
        return self not in (CallState.RUNNING, CallState.INPUT_REQUIRED)


class CallKind(StrEnum):
    """What a call asks the server for."""

    TOOL = "tool"
    PROMPT = "prompt"
    RESOURCE = "resource"


class RequestKind(StrEnum):
    """What a server asks of the person."""

    FORM = "form"
    URL = "url"
    SAMPLING = "sampling"
    ROOTS = "roots"


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


class Mode(StrEnum):
    """How a server may elicit (MCP 2025-11-25, Elicitation, Capabilities)."""

    FORM = "form"
    URL = "url"


class Via(StrEnum):
    """Where a person acted."""

    PAGE = "page"
    API = "api"


class Delivery(StrEnum):
    """How far an answer has come on its way to the server."""

    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A configured MCP server.

    `transport` is `{type: "stdio", command, args, env, cwd}` or `{type: "http"|"sse", url, headers}`; that of a server
    from the config file has no secrets, which stay in memory (`Connections.use`). `detect` in it says that nobody chose
    between http and sse, so that `type` is what was found, or is to be tried first.
    `name` is the key in the config file, or None for one that was added in the page or the API.
    `modes` are the ways to elicit that the user leaves it; everything it asks since `muted_at` is cancelled.
    `learned` is what connecting has shown: `{speaks, lacks, silent}`, the first two lists of eras.
    """

    id: str = field(default_factory=new_id)
    user_id: str
    name: str | None = None
    label: str
    transport: Json
    era: Era = Era.AUTO
    modes: tuple[Mode, ...] = tuple(Mode)
    muted_at: datetime | None = None
    learned: Json = field(default_factory=dict)
    created_at: datetime = field(default_factory=now)

    @property
    def address(self) -> str:
        """Where the server is reached, in one line: its URL without what may be a secret, or `stdio: COMMAND`.

        Of a command only its name: arguments often hold secrets, and this stands on every card.
        """
        if "url" in self.transport:
            return masked(self.transport["url"])
        return f"stdio: {PurePath(self.transport.get('command', '')).name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStatus:
    """What is known of the connection to a server at this moment. The server's own words are untrusted.

    `quiet_since` is since when a connected server has not answered when it was asked whether it is there.
    `startup_output` is the end of what a child has written to standard error, while it is being connected. `skipped` is
    `{count, first}` of the lines on its standard output that were not messages. `era_reason` is why the session speaks
    the era that it speaks: `chosen`, `announced`, `refused` or `silent`.
    """

    state: ServerState = ServerState.DISCONNECTED
    protocol_version: str | None = None
    server_info: Json | None = None
    capabilities: Json | None = None
    instructions: str | None = None
    error: Json | None = None
    quiet_since: datetime | None = None
    startup_output: str | None = None
    skipped: Json | None = None
    era_reason: str | None = None

    @property
    def claims(self) -> str | None:
        """What the server calls itself."""
        info = self.server_info or {}
        return info.get("title") or info.get("name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One `tools/call`, `prompts/get` or `resources/read` of a user, with all its rounds, until its result.

    `name` is the tool's or prompt's name, or the resource's URI. `result` travels verbatim from the server;
    `error` is `{code?, message, data?, forgotten?, gave_up?, ran?}`, `forgotten` where the server no longer knew what
    it had asked, `gave_up` where its own time limit for an answer ran out, `ran` where only the result was not taken;
    `progress` is `{progress, total?, message?}`. `held` is the round that the call waits for, with all it needs to go
    on: `{round, requests: {key: request id}, state, error, before}`.
    `may_wait`: it is `input_required` only as one of several calls of which the server does not say which one asks.
    `via` is where it was started, `retry_of` the call that it starts over. `withheld` names the arguments that are kept
    no longer than the call needs them, `erased_at` is when all values were erased.
    """

    id: str = field(default_factory=new_id)
    user_id: str
    server_id: str
    server_label: str
    kind: CallKind
    name: str
    arguments: Json | None = None
    state: CallState = CallState.RUNNING
    round: int = 0
    may_wait: bool = False
    progress: Json | None = None
    result: Json | None = None
    error: Json | None = None
    held: Json | None = None
    via: Via = Via.API
    retry_of: str | None = None
    withheld: tuple[str, ...] = ()
    erased_at: datetime | None = None
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)

    @property
    def gone(self) -> tuple[str, ...]:
        """The arguments that are no longer kept; there is nothing but their names."""
        return tuple(name for name in self.withheld if (self.arguments or {}).get(name) is None)

    @property
    def hidden(self) -> tuple[str, ...]:
        """The arguments that may be secrets and are still kept, since the call needs them."""
        return tuple(name for name in self.withheld if name not in self.gone)

    @property
    def shown_arguments(self) -> Json | None:
        """The arguments without those that may be secrets."""
        return self.arguments and {name: each for name, each in self.arguments.items() if name not in self.withheld}

    @property
    def reports_error(self) -> bool:
        """Whether the server ended it with a result that is an error; a call that was read without its result: no."""
        return self.state is CallState.DONE and bool((self.result or {}).get("isError"))

    @property
    def can_start_over(self) -> bool:
        """Whether it ended by a fault, so that the same once more may well succeed."""
        error = self.error or {}
        return self.state is CallState.INTERRUPTED or bool(error.get("forgotten") or error.get("gave_up"))


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """A log message that a server sent while it worked; `shared`: during one of several calls, it is not known which.

    `text` is what it says, as JSON where it is no text, and shortened.
    """

    at: datetime
    level: str
    logger: str = ""
    text: str
    shared: bool = False

    @property
    def is_grave(self) -> bool:
        """Whether something went wrong (the levels are those of RFC 5424)."""
        return self.level in ("error", "critical", "alert", "emergency")


@dataclass(frozen=True, slots=True)
class CallLog:
    """The newest log messages of one call, oldest first, and how many older ones are not kept."""

    entries: tuple[LogEntry, ...] = ()
    omitted: int = 0


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

    `came` is how it came, `params` are the server's, verbatim. `round` counts from 1; `position` of `total` numbers the
    questions of one round. `during` is None when the protocol does not tell the call; `possible_calls` are then the ids
    of those of which it may be. `reason` is why it stands as it
    does, `opened_at` when the person agreed to open a link, `via` where they answered, `ended_via` where they said that
    they had finished at a link or gave it up, `delivery` how far the answer has come; `count` is how many the row
    stands for, more than one for a flood that was refused.
    """

    id: str = field(default_factory=new_id)
    user_id: str
    server_id: str
    call_id: str | None = None
    possible_calls: tuple[str, ...] = ()
    kind: RequestKind
    came: Came = Came.PUSHED
    params: Json
    asked_by: AskedBy
    during: AskedDuring | None = None
    round: int | None = None
    position: int = 1
    total: int = 1
    state: RequestState = RequestState.PENDING
    reason: str | None = None
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
    def given_up(self) -> bool:
        """Whether the person agreed to open the link, and then did not want to wait for what comes of it."""
        return self.state is RequestState.CANCELLED and self.opened_at is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What goes back to the server: `content` for an accepted form only."""

    action: Action
    content: Json | None = None
