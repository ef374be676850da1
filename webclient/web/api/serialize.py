"""Turns the model into the shapes of the API, without the secrets of a server's transport."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from webclient.content.links import Link
from webclient.content.masking import public_oauth, public_transport
from webclient.domain.model import (
    AnswerWebhook,
    Auth,
    Call,
    CallError,
    CallLog,
    Came,
    ConnectionFault,
    Grant,
    InputRequest,
    LogEntry,
    PendingSignIn,
    Reason,
    Requester,
    Sampling,
    Server,
    ServerStatus,
    Stage,
    Task,
)
from webclient.inbox import kind_of
from webclient.servers.connections import also_speaks
from webclient.web.api.program_shapes import RequesterShape, WebhookShape
from webclient.web.api.sampling_shapes import SamplingShape
from webclient.web.api.shapes import (
    AuthErrorShape,
    AuthShape,
    CallLogShape,
    CallShape,
    ErrorShape,
    FindingShape,
    HistoryEntryShape,
    LogEntryShape,
    RequestShape,
    ServerShape,
    SignedInShape,
    Verbatim,
)
from webclient.web.api.task_shapes import TaskShape
from webclient.web.http import shown

LONGEST_MESSAGE = 4000
"""The most characters of a sentence, including a server's words in it."""


def server_shape(server: Server, status: ServerStatus, auth: Auth) -> ServerShape:
    """Return the API's JSON of a server; `auth` is where its sign-in stands."""
    shape = {
        "id": server.id,
        "label": server.label,
        "transport": _public(server.transport),
        "era": server.era,
        "modes": server.modes,
        "log_level": server.log_level,
        "followed": server.followed,
        "roots": None if server.roots is None else [root.as_json for root in server.roots],
        "muted": server.muted_at is not None,
        "state": status.state,
        "protocol_version": status.protocol_version,
        "server_info": status.server_info,
        "capabilities": status.capabilities,
        "error": status.error and _fault(status.error),
        "quiet_since": _moment(status.quiet_since),
        "startup_output": status.startup_output,
        "skipped_lines": status.skipped,
        "era_reason": status.era_reason,
        "also_speaks": also_speaks(server.learned, status.protocol_version) if status.protocol_version else None,
        "sampling": asdict(server.sampling),
        "oauth": public_oauth(server.oauth) or None,
        "oauth_secrets": sorted(server.oauth.keys() - public_oauth(server.oauth).keys()) or None,
        "auth": auth.wanted and _auth(auth.wanted),
        "auth_error": auth.error and _auth_error(auth.error),
        "signed_in": auth.granted and _signed_in(auth.granted),
    }
    return _without_none(shape)  # type: ignore[return-value]  # the keys that may be missing are NotRequired


def _auth(wanted: PendingSignIn) -> AuthShape:
    return {
        "id": wanted.id,
        "authorization_url": wanted.authorization_url,
        "issuer": wanted.issuer,
        "scopes": list(wanted.scopes),
        "new_scopes": list(wanted.new_scopes),
        "expires_at": str(_moment(wanted.expires_at)),
    }


def _auth_error(reason: Reason) -> AuthErrorShape:
    return {"code": reason.code, "message": shown(reason, LONGEST_MESSAGE)}


def _signed_in(granted: Grant) -> SignedInShape:
    shape = {"issuer": granted.issuer, "scopes": list(granted.scopes), "expires_at": _moment(granted.expires_at)}
    return _without_none(shape)  # type: ignore[return-value]  # the keys that may be missing are NotRequired


def call_shape(call: Call, *, cursor: str | None = None) -> CallShape:
    """Return the API's JSON of a call; `cursor` is the place for the next long poll of an open one."""
    shape = {
        "id": call.id,
        "server_id": call.server_id,
        "server_label": call.server_label,
        "kind": call.kind,
        "name": call.name,
        "state": call.state,
        "cursor": None if call.state.ended else cursor,
        "round": call.round,
        "may_wait": True if call.may_wait and not call.state.ended else None,
        "progress": call.progress,
        "task": call.task and task_shape(call.task),
        "result": call.result,
        "error": call.error and _call_error(call.error),
        "retry_of": call.retry_of,
        "via": call.via,
        "withheld": list(call.gone) or None,
        "erased_at": _moment(call.erased_at),
        "created_at": _moment(call.created_at),
        "updated_at": _moment(call.updated_at),
    }
    return _without_none(shape) | {"arguments": call.arguments}  # type: ignore[return-value]


def task_shape(task: Task) -> TaskShape:
    """Return the API's JSON of a task."""
    shape = {
        "id": task.id,
        "status": task.status,
        "status_message": task.status_message,
        "created_at": _moment(task.created_at),
        "updated_at": _moment(task.updated_at),
        "received_at": _moment(task.received_at),
        "ttl": task.ttl,
        "expires_at": _moment(task.expires_at),
        "poll_interval": task.poll_interval,
    }
    return _without_none(shape)  # type: ignore[return-value]  # the keys that may be missing are NotRequired


def _fault(fault: ConnectionFault) -> ErrorShape:
    shape = {
        "message": shown(fault, LONGEST_MESSAGE),
        "reason_code": fault.reason.code,
        "code": fault.code,
        "http_status": fault.http_status,
    }
    return _without_none(shape)  # type: ignore[return-value]  # the keys that may be missing are NotRequired


def _call_error(error: CallError) -> ErrorShape:
    shape = {
        # What the server said itself travels verbatim.
        "message": shown(error.reason, LONGEST_MESSAGE) if error.reason else error.message or "",
        "reason_code": error.reason and error.reason.code,
        "said": error.message if error.reason else None,
        "code": error.code,
        "data": error.data,
        "reconnect_with": error.reconnect_with,
        "forgotten": error.forgotten or None,
        "gave_up": error.gave_up or None,
        "ran": error.ran or None,
    }
    return _without_none(shape)  # type: ignore[return-value]  # the keys that may be missing are NotRequired


def log_shape(log: CallLog) -> CallLogShape:
    """Return the API's JSON of the log messages of a call."""
    return {"entries": [_log_entry(entry) for entry in log.entries], "omitted": log.omitted}


def moment_text(moment: datetime) -> str:
    """Return a moment with its milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _log_entry(entry: LogEntry) -> LogEntryShape:
    shape: LogEntryShape = {"at": moment_text(entry.at), "level": entry.level, "text": entry.text}
    if entry.logger:
        shape["logger"] = entry.logger
    if entry.shared:
        shape["shared"] = True
    return shape


def request_shape(request: InputRequest, link: Link | None = None, *, whole: bool = False) -> RequestShape:
    """Return the API's JSON of an input request; `link` adds what is known about its link.

    `whole` is for the program that asked: others do not see values of its answer that may be secrets.
    """
    hidden = request.withheld if request.came is Came.PROGRAM and not whole else request.gone
    content = request.content and {name: None if name in hidden else each for name, each in request.content.items()}
    shape = {
        "id": request.id,
        "kind": request.kind,
        "state": request.state,
        "reason": shown(request.reason) or None,
        "reason_code": request.reason_code,
        # A program is not a server, so there is no id of one.
        "server_id": None if request.asked_by.is_program else request.server_id,
        "server_label": request.asked_by.label,
        "asked_by": _requester(request.asked_by),
        "call_id": request.call_id,
        "possible_calls": list(request.possible_calls) or None,
        "during": request.during and asdict(request.during),
        "round": request.round,
        "task_id": request.task_id,
        "params": request.params,
        "sampling": request.sampling
        and _sampling(request.sampling, request.sampling.stage if request.pending else None),
        "findings": _findings(link) if (link := link or kind_of(request).link(request)) else None,
        "content": content,
        # Not while it can be undone.
        "message": None if request.pending else request.decline_message,
        "via": request.via,
        "ended_via": request.ended_via,
        "withheld": list(hidden) or None,
        "erased_at": _moment(request.erased_at),
        "delivery": request.delivery,
        "count": request.count if request.count > 1 else None,
        "expires_at": _moment(request.expires_at),
        "created_at": _moment(request.created_at),
        "opened_at": _moment(request.opened_at),
        "settled_at": _moment(request.settled_at),
    }
    return _without_none(shape)  # type: ignore[return-value]


def webhook_shape(webhook: AnswerWebhook) -> WebhookShape:
    """Return the API's JSON of how far a webhook came, without its address."""
    shape = {
        "state": webhook.state,
        "failures": webhook.failures,
        "failure": webhook.failure or None,
        "next_at": _moment(webhook.next_at),
        "ended_at": _moment(webhook.ended_at),
    }
    return _without_none(shape)  # type: ignore[return-value]  # the keys that may be missing are NotRequired


def _requester(by: Requester) -> RequesterShape:
    shape = {
        "kind": by.kind,
        "label": by.label,
        "address": by.address or None,
        "claims": by.claims,
        "protocol_version": by.protocol_version,
        "token_id": by.token_id,
        "embedder": by.embedder,
        "made_by": by.made_by,
    }
    return _without_none(shape)  # type: ignore[return-value]  # the keys that may be missing are NotRequired


def _sampling(sampling: Sampling, stage: Stage | None) -> SamplingShape:
    shape = {
        "stage": stage,
        "conversation": sampling.conversation or None,
        "turn": sampling.turn,
        "seen": sampling.seen,
        "edited": sampling.edited,
        "model": sampling.model or None,
        "choice": sampling.choice and shown(sampling.choice),
        "result": sampling.result,
        "generated": sampling.generated,
        "usage": sampling.usage and asdict(sampling.usage),
        "failure": sampling.failure and shown(sampling.failure, LONGEST_MESSAGE),
        "failure_code": sampling.failure and sampling.failure.code,
        "by_rule": sampling.by_rule or None,
        "approved": sampling.approved or None,
        "approved_turns": sampling.approved_turns or None,
    }
    return _without_none(shape)  # type: ignore[return-value]  # the keys that may be missing are NotRequired


def entry_shape(entry: InputRequest | Call) -> HistoryEntryShape:
    """Return the API's JSON of a history entry."""
    if isinstance(entry, Call):
        return {"type": "call", **call_shape(entry)}
    return {"type": "request", **request_shape(entry)}


def _findings(link: Link) -> list[FindingShape]:
    return [{"code": each.code, "severity": each.severity, "message": each.message} for each in link.findings]


def _public(transport: Verbatim) -> Verbatim:
    # Names help to find a mistake; values may be secrets.
    named = {key: sorted(transport.get(key) or {}) for key in ("headers", "env") if transport.get(key)}
    return public_transport(transport) | named


def moment(at: datetime) -> str:
    """Return a moment as the API has it (RFC 3339, in UTC)."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _moment(at: datetime | None) -> str | None:
    return moment(at) if at else None


def _without_none(shape: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in shape.items() if value is not None}
