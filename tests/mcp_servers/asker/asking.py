"""Asking by hand in both eras: one function that pushes its questions or answers `input_required`."""

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
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
    InputResponse,
    ListRootsResult,
)

from webclient.model import Era, Json

AnyContext = Context[Any, Any]
Intake = Mapping[str, InputRequest]
Answers = Mapping[str, InputResponse]

NAME_SCHEMA: Json = {
    "type": "object",
    "properties": {"name": {"type": "string", "title": "Name"}},
    "required": ["name"],
}


def form(message: str, schema: Json = NAME_SCHEMA) -> ElicitRequest:
    """Return the question of a form, with any schema at all."""
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def link(message: str, url: str, elicitation_id: str) -> ElicitRequest:
    """Return the question of a link, with any text as its URL."""
    params = ElicitRequestURLParams(message=message, url=url, elicitation_id=elicitation_id)
    return ElicitRequest(params=params)


def speaks_rounds(ctx: AnyContext) -> bool:
    """Whether this request came in the era of `input_required`."""
    return ctx.protocol_version == Era.ROUNDS


async def push(ctx: AnyContext, question: InputRequest) -> InputResponse:
    """Send one question to the client and wait for its answer, whatever the era."""
    session: ServerSession = ctx.session
    related = ServerMessageMetadata(related_request_id=ctx.request_id)
    if isinstance(question, ElicitRequest):
        return await session.send_request(question, ElicitResult, metadata=related)
    if isinstance(question, CreateMessageRequest):
        return await session.send_request(question, CreateMessageResult, metadata=related)
    return await session.send_request(question, ListRootsResult, metadata=related)


async def push_all(ctx: AnyContext, questions: Intake) -> Answers:
    """Send all questions at once and wait for all answers."""
    answers: dict[str, InputResponse] = {}

    async def push_one(key: str) -> None:
        answers[key] = await push(ctx, questions[key])

    async with anyio.create_task_group() as group:
        for key in questions:
            group.start_soon(push_one, key)
    return answers


async def ask(ctx: AnyContext, questions: Intake) -> Answers | InputRequiredResult:
    """Return the answers by the question's key, or what the tool must return for now to get them."""
    if not speaks_rounds(ctx):
        return await push_all(ctx, questions)
    if ctx.input_responses is not None and questions.keys() <= ctx.input_responses.keys():
        return ctx.input_responses
    return InputRequiredResult(input_requests=dict(questions))


async def ask_one(ctx: AnyContext, question: InputRequest) -> Json | InputRequiredResult:
    """Return the answer as `plain` gives it, or what the tool must return for now to get it."""
    answers = await ask(ctx, {"answer": question})
    return answers if isinstance(answers, InputRequiredResult) else plain(answers["answer"])


def plain(answer: InputResponse) -> Json:
    """Return an answer as the JSON that the client sent, without what it left out."""
    return answer.model_dump(mode="json", by_alias=True, exclude_none=True)
