"""Sends a call, for the first time or again with the answers of a round."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

from mcp.types import (
    CONNECTION_CLOSED,
    CallToolRequest,
    CallToolRequestParams,
    ClientNotification,
    GetPromptRequest,
    GetPromptRequestParams,
    Notification,
    ReadResourceRequest,
    ReadResourceRequestParams,
    Request,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from webclient.domain.model import CallKind, Json
from webclient.protocol.messages.checked_result import checked_result
from webclient.protocol.messages.server_error import ServerError, Trouble
from webclient.protocol.messages.task_calls import OnSent, telling_id, without_padding
from webclient.protocol.session.session import Session

OnProgress = Callable[[float, float | None, str | None], Awaitable[None]]
"""Called with `progress`, `total` and `message` of each progress notification."""


async def send_call(
    session: Session,
    kind: CallKind,
    name: str,
    arguments: Json | None = None,
    *,
    answers: Json | None = None,
    state: str | None = None,
    task: Json | None = None,
    more: Json | None = None,
    on_progress: OnProgress | None = None,
    on_sent: OnSent | None = None,
) -> Json:
    """Send a call, and return its result as it came.

    `answers` and `state` are those of a round: the results by key, and its `requestState`. `task` asks a server of
    2025-11-25 to run the tool as a task, with a `ttl`; the result is `{task: ...}` if it does. `more` are parameters
    that are sent as they are. `on_sent` gets the id of the request.

    Raises ServerError for a JSON-RPC error, or if no answer comes, and MalformedResultError.
    """
    reply = {"input_responses": answers, "request_state": state} | ({} if task is None else {"task": task})
    request = _with_more(_request(kind, name, arguments, reply), more or {})
    if kind is CallKind.TOOL:
        await session.know_headers()
    if session.client is None:
        raise ServerError(CONNECTION_CLOSED, "The session has ended", trouble=Trouble.NOT_SENT)
    with telling_id(on_sent):
        result = await checked_result(session.client, request, progress_callback=on_progress)
    return result if task is None else without_padding(result)


async def pass_on(session: Session, method: str, params: Json | None) -> Json:
    """Send a request of any method as it came, and return its result likewise.

    Raises ServerError and MalformedResultError.
    """
    if session.client is None:
        raise ServerError(CONNECTION_CLOSED, "The session has ended", trouble=Trouble.NOT_SENT)
    return await checked_result(session.client, _Verbatim(method=method, params=params or {}))


async def pass_notification_on(session: Session, method: str, params: Json | None) -> None:
    """Send a notification of any method as it came; a server of 2026-07-28 takes none."""
    if session.client and session.client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        await session.client.send_notification(
            cast("ClientNotification", _VerbatimNotice(method=method, params=params))
        )


class _VerbatimNotice(Notification[dict[str, Any] | None, str]):
    """A notification whose parameters are sent as they are."""


class _Verbatim(Request[dict[str, Any], str]):
    """A request whose parameters are sent as they are, unknown ones as well."""


def _with_more(request: Request[Any, Any], more: Json) -> Request[Any, Any]:
    if not more:
        return request
    params = request.model_dump(by_alias=True, mode="json", exclude_none=True)["params"]
    return _Verbatim(method=request.method, params=more | params)


def _request(kind: CallKind, name: str, arguments: Json | None, reply: dict[str, Any]) -> Request[Any, Any]:
    match kind:
        case CallKind.TOOL:
            return CallToolRequest(params=CallToolRequestParams(name=name, arguments=arguments, **reply))
        case CallKind.PROMPT:
            return GetPromptRequest(params=GetPromptRequestParams(name=name, arguments=arguments, **reply))
        case CallKind.RESOURCE:
            return ReadResourceRequest(params=ReadResourceRequestParams(uri=name, **reply))
