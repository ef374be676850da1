"""The shapes of the JSON that the API gives (design, section 7), as its description states them.

Our own keys are snake_case; what came from MCP is passed through as it is.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from webclient.consent import Severity
from webclient.inbox import KINDS
from webclient.model import CallKind, CallState, Delivery, Era, Mode, ReasonCode, RequestState, ServerState, Via

Verbatim = dict[str, Any]


class ErrorShape(TypedDict):
    """What went wrong: `message` is a sentence of ours if there is a `reason_code`, and the server's otherwise.

    `code`, `data` and `said` are the server's, as they came. `http_status` is what an HTTP server answered in place of
    a session. `forgotten`: the server no longer knew what it had asked; starting the call over may help.
    `reconnect_with`: the era in which the server may be able to ask. `gave_up`: the server's own time limit for an
    answer ran out; what was typed is filled in when the call is run again. `ran`: the server ran the call; only its
    result was discarded.
    """

    message: str
    reason_code: NotRequired[ReasonCode]
    code: NotRequired[int]
    http_status: NotRequired[int]
    data: NotRequired[Any]
    reconnect_with: NotRequired[str]
    said: NotRequired[str]
    forgotten: NotRequired[bool]
    gave_up: NotRequired[bool]
    ran: NotRequired[bool]


class SkippedShape(TypedDict):
    """How many lines were skipped, and the beginning of the first."""

    count: int
    first: str


class ServerShape(TypedDict):
    """A configured server and how its connection stands. Values of headers and environment are not shown.

    `quiet_since` is there while a connected server does not answer when it is asked whether it is there,
    `startup_output`, the end of its standard error, while a stdio server starts. `skipped_lines` counts the lines on
    its standard output that were not MCP messages. `era_reason` is why the connection speaks its era: it was
    `chosen`, or the server `announced` 2026-07-28, `refused` it, or was `silent` about it; `also_speaks` is another era
    that it is known to speak.
    """

    id: str
    label: str
    transport: Verbatim
    era: Era
    modes: list[Mode]
    muted: bool
    state: ServerState
    protocol_version: NotRequired[str]
    server_info: NotRequired[Verbatim]
    capabilities: NotRequired[Verbatim]
    error: NotRequired[ErrorShape]
    quiet_since: NotRequired[str]
    startup_output: NotRequired[str]
    skipped_lines: NotRequired[SkippedShape]
    era_reason: NotRequired[Literal["chosen", "announced", "refused", "silent"]]
    also_speaks: NotRequired[Era]


class CallShape(TypedDict):
    """One call; `name` is the URI for a resource, `retry_of` the call that it starts over.

    `result` is what the server sent, verbatim; a list leaves it out unless its `fields` name it.

    `server_label` is the user's own name for the server as it was then, `via` where the call was started.
    `withheld` names the arguments that are no longer kept and stand as null, `erased_at` is when all were erased.
    `may_wait` is there while it is `input_required` only as one of several calls of which the server does not say which
    one asks: such a question has this call among its `possible_calls`.
    """

    id: str
    server_id: str
    server_label: str
    kind: CallKind
    name: str
    arguments: Verbatim | None
    state: CallState
    round: int
    may_wait: NotRequired[bool]
    progress: NotRequired[Verbatim]
    result: NotRequired[Verbatim]
    error: NotRequired[ErrorShape]
    retry_of: NotRequired[str]
    via: Via
    withheld: NotRequired[list[str]]
    erased_at: NotRequired[str]
    created_at: str
    updated_at: str


class DuringShape(TypedDict):
    """The call in which a server asked; `withheld` names the arguments that may be secrets and are not in it."""

    kind: CallKind
    name: str
    arguments: Verbatim | None
    withheld: list[str]


class FindingShape(TypedDict):
    """One thing to know of a link before it is opened; with a `block` it cannot be accepted."""

    code: str
    severity: Severity
    message: str


class RequestShape(TypedDict):
    """One question of a server; `params` are the server's, verbatim, `findings` ours on the link of a url request.

    `reason` says in a sentence why it stands as it does, `reason_code` says the same for programs.

    `server_label` is the user's own name for the server as it was then, `during` the call if the protocol tells which;
    otherwise `possible_calls` are the ids of the calls of which it may be. `via` is where the person answered,
    `ended_via` where they said that they had finished at a link or gave it up.
    `delivery` is how far the person's answer has come: `delivered` once the server took it. `withheld` names the values
    of `content` that are no longer kept and stand as null, `erased_at` is when all were erased. `count` is there when
    the request stands for several that were turned away for the same `reason`.
    """

    id: str
    kind: Annotated[str, Field(json_schema_extra={"enum": [kind.name for kind in KINDS]})]
    state: RequestState
    reason: NotRequired[str]
    reason_code: NotRequired[ReasonCode]
    server_id: str
    server_label: str
    call_id: NotRequired[str]
    possible_calls: NotRequired[list[str]]
    during: NotRequired[DuringShape]
    round: NotRequired[int]
    params: Verbatim
    findings: NotRequired[list[FindingShape]]
    content: NotRequired[Verbatim]
    via: NotRequired[Via]
    ended_via: NotRequired[Via]
    withheld: NotRequired[list[str]]
    erased_at: NotRequired[str]
    delivery: NotRequired[Delivery]
    count: NotRequired[int]
    expires_at: NotRequired[str]
    created_at: str
    opened_at: NotRequired[str]
    settled_at: NotRequired[str]


class ServersShape(TypedDict):
    """A list of servers."""

    servers: list[ServerShape]


class CallsShape(TypedDict):
    """A page of calls, newest first; `next` is the cursor of the page with older ones, if there is one."""

    calls: list[CallShape]
    next: NotRequired[str]


class RequestsShape(TypedDict):
    """A page of input requests, oldest first; `next` is the cursor of the page with older ones, if there is one."""

    requests: list[RequestShape]
    next: NotRequired[str]


class RequestEntryShape(RequestShape):
    """A settled request in the history."""

    type: Literal["request"]


class CallEntryShape(CallShape):
    """A call that has ended, in the history."""

    type: Literal["call"]


HistoryEntryShape = Annotated[RequestEntryShape | CallEntryShape, Field(discriminator="type")]


class HistoryShape(TypedDict):
    """A page of the history, newest first; `next` is the cursor of the page that follows, if there is one."""

    entries: list[HistoryEntryShape]
    next: NotRequired[str]


class ListShape(TypedDict):
    """A list of a server; `notes` are sentences on what is not in it, if anything is not."""

    notes: NotRequired[list[str]]


class ToolsShape(ListShape):
    """The tools of a server, verbatim."""

    tools: list[Verbatim]


class PromptsShape(ListShape):
    """The prompts of a server, verbatim."""

    prompts: list[Verbatim]


class ResourcesShape(ListShape):
    """The resources of a server, verbatim."""

    resources: list[Verbatim]


class ResourceTemplatesShape(ListShape):
    """The resource templates of a server, verbatim."""

    resource_templates: list[Verbatim]


class ProblemShape(BaseModel):
    """What went wrong (RFC 9457). `errors` by field with 422; `request` as it stands with 409 to an answer."""

    type: str
    title: str
    status: int
    detail: str
    errors: dict[str, str] | None = None
    request: RequestShape | None = None
