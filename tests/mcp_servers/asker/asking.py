"""Requests made by hand in both eras: one function pushes them or answers `input_required`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
from mcp.server.mcpserver import Context
from mcp.server.session import ServerSession
from mcp.shared.message import ServerMessageMetadata
from mcp.types import (
    CreateMessageRequest,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
    InputResponse,
    ListRootsResult,
)

from webclient.domain.model import Era, Json

AnyContext = Context[Any, Any]
Requests = Mapping[str, InputRequest]
Answers = Mapping[str, InputResponse]

NAME_SCHEMA: Json = {
    "type": "object",
    "properties": {"name": {"type": "string", "title": "Name"}},
    "required": ["name"],
}


def form(message: str, schema: Json = NAME_SCHEMA) -> ElicitRequest:
    """Return a request for a form, with any schema."""
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def link(message: str, url: str, elicitation_id: str) -> ElicitRequest:
    """Return a request to open a link, with any text as its URL."""
    params = ElicitRequestURLParams(message=message, url=url, elicitation_id=elicitation_id)
    return ElicitRequest(params=params)


def speaks_rounds(ctx: AnyContext) -> bool:
    """Return whether the client speaks the era of `input_required`."""
    return ctx.protocol_version == Era.ROUNDS


async def push(ctx: AnyContext, request: InputRequest) -> InputResponse:
    """Send one request to the client and wait for its answer, in any era."""
    session: ServerSession = ctx.session
    related = ServerMessageMetadata(related_request_id=ctx.request_id)
    if isinstance(request, ElicitRequest):
        return await session.send_request(request, ElicitResult, metadata=related)
    if isinstance(request, CreateMessageRequest):
        result = CreateMessageResultWithTools if request.params.tools else CreateMessageResult
        return await session.send_request(request, result, metadata=related)
    return await session.send_request(request, ListRootsResult, metadata=related)


async def push_all(ctx: AnyContext, requests: Requests) -> Answers:
    """Send all requests at once and wait for all answers."""
    answers: dict[str, InputResponse] = {}

    async def push_one(key: str) -> None:
        answers[key] = await push(ctx, requests[key])

    async with anyio.create_task_group() as group:
        for key in requests:
            group.start_soon(push_one, key)
    return answers


async def ask(ctx: AnyContext, requests: Requests) -> Answers | InputRequiredResult:
    """Return the answers by key, or the result that makes the client ask."""
    if not speaks_rounds(ctx):
        return await push_all(ctx, requests)
    if ctx.input_responses is not None and requests.keys() <= ctx.input_responses.keys():
        return ctx.input_responses
    return InputRequiredResult(input_requests=dict(requests))


async def ask_one(ctx: AnyContext, request: InputRequest) -> Json | InputRequiredResult:
    """Return the `plain` answer, or the result that makes the client ask."""
    answers = await ask(ctx, {"answer": request})
    return answers if isinstance(answers, InputRequiredResult) else plain(answers["answer"])


def plain(answer: InputResponse) -> Json:
    """Return an answer as the JSON that the client sent, without what it left out."""
    return answer.model_dump(mode="json", by_alias=True, exclude_none=True)
