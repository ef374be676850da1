"""Tools that borrow a model: once with any parameters, and in a loop that runs the tools which the model uses."""

from __future__ import annotations

import json
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp.types import CreateMessageRequest, InputRequiredResult

from tests.mcp_servers.asker.asking import AnyContext, ask, ask_one, form, plain, push, speaks_rounds
from webclient.domain.model import Json

WEATHER: Json = {
    "name": "weather",
    "description": "Tell the weather in a city.",
    "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}

MOST_TURNS = 100


async def sample(ctx: AnyContext, params: Json) -> Json | InputRequiredResult:
    """Ask for a message with these parameters, and return the exact answer."""
    return await ask_one(ctx, _request(params))


async def sample_and_form(ctx: AnyContext, params: Json) -> Json | InputRequiredResult:
    """Ask for a message and a form at once; return both exact answers."""
    answers = await ask(ctx, {"sampling": _request(params), "form": form("What is your name?")})
    return answers if isinstance(answers, InputRequiredResult) else {key: plain(answers[key]) for key in answers}


async def sample_or_tell(ctx: AnyContext, params: Json) -> str:
    """Ask for a message, and return code and message of the error that came instead. For 2025-11-25."""
    try:
        await push(ctx, _request(params))
    except MCPError as error:
        return f"{error.error.code} {error.error.message}"
    return ""


async def sample_loop(ctx: AnyContext, task: str) -> str | InputRequiredResult:
    """Let a model work on a task with the tool `weather`; return its last text. The conversation is in the state."""
    messages: list[Json] = json.loads(ctx.request_state) if ctx.request_state else []
    messages = messages or [{"role": "user", "content": {"type": "text", "text": task}}]
    answer = plain(ctx.input_responses["answer"]) if ctx.request_state and ctx.input_responses else None
    for _turn in range(MOST_TURNS):
        if answer is not None:
            messages.append({"role": "assistant", "content": answer["content"]})
            uses = [block for block in _blocks(answer) if block["type"] == "tool_use"]
            if not uses:
                return "".join(block.get("text", "") for block in _blocks(answer))
            messages.append({"role": "user", "content": [_result_of(use) for use in uses]})
        request = _request({"messages": messages, "maxTokens": 200, "systemPrompt": "Be brief.", "tools": [WEATHER]})
        if speaks_rounds(ctx):
            return InputRequiredResult(input_requests={"answer": request}, request_state=json.dumps(messages))
        answer = plain(await push(ctx, request))
    return "too many turns"


def _request(params: Json) -> CreateMessageRequest:
    return CreateMessageRequest.model_validate({"method": "sampling/createMessage", "params": params})


def _blocks(answer: Json) -> list[Any]:
    content = answer["content"]
    return content if isinstance(content, list) else [content]


def _result_of(use: Json) -> Json:
    text = f"It is sunny in {use['input']['city']}."
    return {"type": "tool_result", "toolUseId": use["id"], "content": [{"type": "text", "text": text}]}


TOOLS = (sample, sample_and_form, sample_or_tell, sample_loop)
