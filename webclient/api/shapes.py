"""The shapes of the JSON API (design, section 7): what goes out, what comes in, and nothing invented between.

Our own keys are snake_case; what came from MCP is passed through as it is.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NotRequired, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, model_validator
from typing_extensions import TypedDict

from webclient.consent import Link, Severity
from webclient.inbox import link_of
from webclient.model import (
    Action,
    Call,
    CallKind,
    CallState,
    Delivery,
    Era,
    InputRequest,
    Mode,
    RequestKind,
    RequestState,
    Server,
    ServerState,
    ServerStatus,
    Via,
)

Verbatim = dict[str, Any]


def _sendable(value: dict[str, Any]) -> dict[str, Any]:
    """Refuse what is no JSON on the wire: NaN, infinities and lone surrogates, all of which Python's parser takes."""
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ValueError("must be JSON that can be sent: no NaN, no Infinity, no half of a surrogate pair") from error
    return value


JsonObject = Annotated[dict[str, JsonValue], AfterValidator(_sendable)]


class ErrorShape(TypedDict):
    """What went wrong, in a sentence; code and data are the server's.

    `forgotten`: the server no longer knew what it had asked; starting the call over may help.
    """

    message: str
    code: NotRequired[int]
    data: NotRequired[Any]
    reconnect_with: NotRequired[str]
    forgotten: NotRequired[bool]


class ServerShape(TypedDict):
    """A configured server and how its connection stands. Values of headers and environment are not shown.

    `quiet_since` is there while a connected server does not answer when it is asked whether it is there.
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


class CallShape(TypedDict):
    """One call with its result; `name` is the URI for a resource, `retry_of` the call that it starts over.

    `server_label` is the user's own name for the server as it was then, `via` where the call was started.
    `withheld` names the arguments that are no longer kept and stand as null, `erased_at` is when all were erased.
    """

    id: str
    server_id: str
    server_label: str
    kind: CallKind
    name: str
    arguments: Verbatim | None
    state: CallState
    round: int
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
    """The call in which a server asked."""

    kind: CallKind
    name: str
    arguments: Verbatim | None


class FindingShape(TypedDict):
    """One thing to know of a link before it is opened; with a `block` it cannot be accepted."""

    code: str
    severity: Severity
    message: str


class RequestShape(TypedDict):
    """One question of a server; `params` are the server's, verbatim, `findings` ours on the link of a url request.

    `server_label` is the user's own name for the server as it was then, `during` the call if the protocol tells which,
    `via` where the person answered. `delivery` is how far the person's answer has come:
    `delivered` once the server took it. `withheld` names the values of `content` that are no longer kept and stand as
    null, `erased_at` is when all were erased.
    `count` is there when the request stands for several that were turned away for the same `reason`.
    """

    id: str
    kind: RequestKind
    state: RequestState
    reason: NotRequired[str]
    server_id: str
    server_label: str
    call_id: NotRequired[str]
    during: NotRequired[DuringShape]
    round: NotRequired[int]
    params: Verbatim
    findings: NotRequired[list[FindingShape]]
    content: NotRequired[Verbatim]
    via: NotRequired[Via]
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
    """A list of calls, newest first."""

    calls: list[CallShape]


class RequestsShape(TypedDict):
    """A list of input requests, oldest first."""

    requests: list[RequestShape]


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


class ToolsShape(TypedDict):
    """The tools of a server, verbatim."""

    tools: list[Verbatim]


class PromptsShape(TypedDict):
    """The prompts of a server, verbatim."""

    prompts: list[Verbatim]


class ResourcesShape(TypedDict):
    """The resources of a server, verbatim."""

    resources: list[Verbatim]


class ResourceTemplatesShape(TypedDict):
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


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


Modes = Annotated[
    tuple[Mode, ...],
    AfterValidator(lambda modes: tuple(mode for mode in Mode if mode in modes)),
    Field(description="How the server may elicit; in any other way it is refused."),
]


class TransportBody(_Body):
    """How to reach a server. `stdio` is refused here with 403: it would run a command."""

    model_config = ConfigDict(extra="ignore")

    type: Literal["http", "sse", "stdio"]
    url: str = Field("", max_length=4096)
    headers: dict[str, str] = {}


class ServerBody(_Body):
    """A server to add."""

    label: str = Field(min_length=1, max_length=200)
    transport: TransportBody
    era: Era = Era.AUTO
    modes: Modes = tuple(Mode)
    muted: bool = Field(False, description="Whether all that it asks is cancelled at once.")
    oauth: JsonObject | None = Field(None, description="For sign-in to protected servers; not used yet.")


class ServerPatch(_Body):
    """What to change of a server; what is left out stays."""

    label: str | None = Field(None, min_length=1, max_length=200)
    era: Era | None = None
    modes: Modes | None = None
    muted: bool | None = Field(None, description="To mute cancels what it has asked, and all that it asks.")


class CallBody(_Body):
    """A call to start: `name` of a tool or prompt, or `uri` of a resource."""

    server_id: str
    kind: CallKind
    name: str | None = Field(None, min_length=1)
    uri: str | None = Field(None, min_length=1)
    arguments: JsonObject | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        wanted, other = ("uri", "name") if self.kind is CallKind.RESOURCE else ("name", "uri")
        if getattr(self, wanted) is None or getattr(self, other) is not None:
            raise ValueError(f"a call of kind {self.kind} needs {wanted!r}, and no {other!r}")
        if self.kind is CallKind.PROMPT and not all(isinstance(v, str) for v in (self.arguments or {}).values()):
            raise ValueError("the arguments of a prompt must be strings")
        return self

    @property
    def subject(self) -> str:
        """The name of the tool or prompt, or the URI of the resource."""
        return self.uri or self.name or ""


class AnswerBody(_Body):
    """An answer. Without `content`, an accepted form is sent as prefilled."""

    action: Action
    content: JsonObject | None = None


def server_shape(server: Server, status: ServerStatus) -> ServerShape:
    """Return the API's JSON of a server."""
    shape = {
        "id": server.id,
        "label": server.label,
        "transport": _public(server.transport),
        "era": server.era,
        "modes": server.modes,
        "muted": server.muted_at is not None,
        "state": status.state,
        "protocol_version": status.protocol_version,
        "server_info": status.server_info,
        "capabilities": status.capabilities,
        "error": status.error,
        "quiet_since": _moment(status.quiet_since),
    }
    return _without_none(shape)  # type: ignore[return-value]  # the keys that may be missing are NotRequired


def call_shape(call: Call) -> CallShape:
    """Return the API's JSON of a call."""
    shape = {
        "id": call.id,
        "server_id": call.server_id,
        "server_label": call.server_label,
        "kind": call.kind,
        "name": call.name,
        "state": call.state,
        "round": call.round,
        "progress": call.progress,
        "result": call.result,
        "error": call.error,
        "retry_of": call.retry_of,
        "via": call.via,
        "withheld": list(call.gone) or None,
        "erased_at": _moment(call.erased_at),
        "created_at": _moment(call.created_at),
        "updated_at": _moment(call.updated_at),
    }
    return _without_none(shape) | {"arguments": call.arguments}  # type: ignore[return-value]


def request_shape(request: InputRequest, link: Link | None = None) -> RequestShape:
    """Return the API's JSON of an input request; `link` is what is known of the one it asks to open."""
    shape = {
        "id": request.id,
        "kind": request.kind,
        "state": request.state,
        "reason": request.reason,
        "server_id": request.server_id,
        "server_label": request.asked_by.label,
        "call_id": request.call_id,
        "during": request.during and asdict(request.during),
        "round": request.round,
        "params": request.params,
        "findings": _findings(link or link_of(request)) if request.kind is RequestKind.URL else None,
        "content": request.content,
        "via": request.via,
        "withheld": list(request.gone) or None,
        "erased_at": _moment(request.erased_at),
        "delivery": request.delivery,
        "count": request.count if request.count > 1 else None,
        "expires_at": _moment(request.expires_at),
        "created_at": _moment(request.created_at),
        "opened_at": _moment(request.opened_at),
        "settled_at": _moment(request.settled_at),
    }
    return _without_none(shape)  # type: ignore[return-value]


def entry_shape(entry: InputRequest | Call) -> HistoryEntryShape:
    """Return the API's JSON of an entry of the history."""
    if isinstance(entry, Call):
        return {"type": "call", **call_shape(entry)}
    return {"type": "request", **request_shape(entry)}


def _findings(link: Link) -> list[FindingShape]:
    return [{"code": each.code, "severity": each.severity, "message": each.message} for each in link.findings]


def _public(transport: Verbatim) -> Verbatim:
    # Names help to find a mistake; values are secrets.
    hidden = {key: sorted(transport.get(key) or {}) for key in ("headers", "env") if transport.get(key)}
    return {key: value for key, value in transport.items() if key not in ("headers", "env")} | hidden


def _moment(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _without_none(shape: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in shape.items() if value is not None}
