"""The types of the API's JSON, as its OpenAPI description has them.

Our own keys are snake_case; values from MCP are passed through verbatim.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from webclient.content.links import Severity
from webclient.domain.model import (
    CallKind,
    CallState,
    Delivery,
    Era,
    LogLevel,
    Mode,
    ReasonCode,
    RequestState,
    ServerState,
    Via,
)
from webclient.inbox import KINDS
from webclient.web.api.program_shapes import RequesterShape, WebhookShape
from webclient.web.api.sampling_shapes import SamplingRuleShape, SamplingShape
from webclient.web.api.task_shapes import TaskShape

Verbatim = dict[str, Any]


class ErrorShape(TypedDict):
    """An error: `message` is our own sentence if there is a `reason_code`, otherwise the server's.

    `code`, `data` and `said` are the server's, verbatim. `http_status` is what an HTTP server answered in place of
    a session. `forgotten`: the server no longer knew its own request; starting the call over may help.
    `reconnect_with`: the era in which the server may be able to ask. `gave_up`: the server's own time limit for an
    answer passed; typed text is filled in when the call is run again. `ran`: the server ran the call; only its
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
    """The number of skipped lines, and the beginning of the first."""

    count: int
    first: str


class AuthShape(TypedDict):
    """A sign-in that a server wants of its user, who opens `authorization_url` in a browser before `expires_at`.

    `issuer` is the authorization server. `new_scopes` are the requested `scopes` that were not granted before.
    """

    id: str
    authorization_url: str
    issuer: str
    scopes: list[str]
    new_scopes: list[str]
    expires_at: str


class AuthErrorShape(TypedDict):
    """Why a sign-in is not possible, or the last one failed."""

    code: ReasonCode
    message: str


class SignedInShape(TypedDict):
    """The sign-in that is used; without `expires_at` its end is unknown."""

    issuer: str
    scopes: list[str]
    expires_at: NotRequired[str]


class ServerShape(TypedDict):
    """A configured server and the state of its connection, without the values of headers and environment.

    `quiet_since` is present while a connected server does not respond to pings,
    `startup_output` (the end of its standard error) while a stdio server starts. `skipped_lines` counts lines on
    its standard output that were not MCP messages. `era_reason` is why the connection has its era: it was `chosen`,
    or the server `announced` 2026-07-28, `refused` it, or was `silent` about it; `also_speaks` is another era that it
    is known to support.

    `auth` is present while the server wants a sign-in, beside its state: it may be connected, and want one for a call,
    which waits as `input_required` then. `oauth` are the settings of the sign-in without their secrets,
    `oauth_secrets` the names of those.
    """

    id: str
    label: str
    transport: Verbatim
    era: Era
    modes: list[Mode]
    log_level: LogLevel
    followed: list[str]
    roots: NotRequired[list[Verbatim]]
    muted: bool
    sampling: SamplingRuleShape
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
    oauth: NotRequired[Verbatim]
    oauth_secrets: NotRequired[list[str]]
    auth: NotRequired[AuthShape]
    auth_error: NotRequired[AuthErrorShape]
    signed_in: NotRequired[SignedInShape]


class CallShape(TypedDict):
    """A call; `name` is the URI of a resource, `retry_of` the id of the call that this one repeats.

    `result` is the server's, verbatim; lists omit it unless `fields` names it.

    `server_label` is the user's own name for the server at that time, `via` where the call was started.
    `withheld` names arguments that are no longer stored and are null, `erased_at` is when all were erased.
    `cursor` is present while the call is open, in the answers to `POST` and to `GET /calls/{call_id}`: the place after
    the newest change of state, for the `since` of the next long poll.
    `may_wait` is present while the call may be the one that waits: the server does not say which of several calls
    is asking. Such a request has this call among its `possible_calls`.
    `task` is present if the call runs, or ran, as a task.
    """

    id: str
    server_id: str
    server_label: str
    kind: CallKind
    name: str
    arguments: Verbatim | None
    state: CallState
    cursor: NotRequired[str]
    round: int
    may_wait: NotRequired[bool]
    progress: NotRequired[Verbatim]
    task: NotRequired[TaskShape]
    result: NotRequired[Verbatim]
    error: NotRequired[ErrorShape]
    retry_of: NotRequired[str]
    via: Via
    withheld: NotRequired[list[str]]
    erased_at: NotRequired[str]
    created_at: str
    updated_at: str


class LogEntryShape(TypedDict):
    """A log message from a server; `shared` if it came during several calls and may belong to any of them."""

    at: str
    level: str
    logger: NotRequired[str]
    text: str
    shared: NotRequired[bool]


class CallLogShape(TypedDict):
    """The newest log messages of a call, oldest first, and the number of older ones that were not stored."""

    entries: list[LogEntryShape]
    omitted: int


class DuringShape(TypedDict):
    """The call during which a server asked; `withheld` names arguments that may be secret and are omitted."""

    kind: CallKind
    name: str
    arguments: Verbatim | None
    withheld: list[str]


class FindingShape(TypedDict):
    """A warning about a link; a finding of severity `block` prevents accepting it."""

    code: str
    severity: Severity
    message: str


class RequestShape(TypedDict):
    """An input request; `params` are the server's, verbatim, `findings` our warnings about its link.

    `reason` is a sentence on why it has its state, `reason_code` the same for programs.

    `server_label` is the user's own name for the server at that time, `during` the call if it is known;
    otherwise `possible_calls` are the ids of the calls that may have asked. `via` is where the person answered,
    `ended_via` where they finished a link or gave it up.
    `delivery` is the progress of the answer: `saved` while it waits for the others of its round and can be changed,
    `sending` until the server took it, or fetched the answer to a question that it asked as a task, then `delivered`,
    `failed` (the server does not have it) or `unknown` (the server may have it). `withheld` names the values
    of `content` that are no longer stored and are null, `erased_at` is when all were erased. `count` is present if
    the request stands for several that were refused for the same `reason`. `server_id` is absent if a
    program asks. `task_id` is the server's task that asks. `open` is the address of a link that was just accepted.
    `message` is what the person declined with, in their own words.
    """

    id: str
    kind: Annotated[str, Field(json_schema_extra={"enum": [kind.name for kind in KINDS]})]
    state: RequestState
    reason: NotRequired[str]
    reason_code: NotRequired[ReasonCode]
    server_id: NotRequired[str]
    server_label: str
    asked_by: RequesterShape
    call_id: NotRequired[str]
    possible_calls: NotRequired[list[str]]
    during: NotRequired[DuringShape]
    round: NotRequired[int]
    task_id: NotRequired[str]
    params: Verbatim
    sampling: NotRequired[SamplingShape]
    findings: NotRequired[list[FindingShape]]
    content: NotRequired[Verbatim]
    message: NotRequired[str]
    via: NotRequired[Via]
    ended_via: NotRequired[Via]
    withheld: NotRequired[list[str]]
    erased_at: NotRequired[str]
    delivery: NotRequired[Delivery]
    webhook: NotRequired[WebhookShape]
    count: NotRequired[int]
    expires_at: NotRequired[str]
    created_at: str
    opened_at: NotRequired[str]
    settled_at: NotRequired[str]
    open: NotRequired[str]


class ServersShape(TypedDict):
    """A list of servers."""

    servers: list[ServerShape]


class CallsShape(TypedDict):
    """A page of calls, newest first; `next` is the cursor of the page with older ones."""

    calls: list[CallShape]
    next: NotRequired[str]


class RequestsShape(TypedDict):
    """A page of input requests, oldest first; `next` is the cursor of the page with older ones."""

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
    """A page of the history, newest first; `next` is the cursor of the page with older entries."""

    entries: list[HistoryEntryShape]
    next: NotRequired[str]


class ListShape(TypedDict):
    """A list from a server's catalog; `notes` are sentences on omitted entries and on names that break the rules."""

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
    """A problem document (RFC 9457). With 422, `errors` by field; with 409 to an answer, the current `request`.

    `reason_code` is the same as `detail` for programs, where there is one.
    """

    type: str
    title: str
    status: int
    detail: str
    reason_code: ReasonCode | None = None
    errors: dict[str, str] | None = None
    request: RequestShape | None = None
