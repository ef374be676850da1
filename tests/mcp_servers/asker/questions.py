"""Tools, a prompt and a resource that ask, and return exactly what they were answered."""

from __future__ import annotations

import json

from mcp.shared.exceptions import MCPError
from mcp.types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
)

from tests.mcp_servers.asker.asking import (
    NAME_SCHEMA,
    AnyContext,
    Intake,
    ask,
    ask_one,
    form,
    link,
    plain,
    push,
    speaks_rounds,
)
from webclient.model import Json

Reply = Json | InputRequiredResult

MANY_ROUNDS = 1_000_000
"""More than any client plays along with."""


async def ask_form(ctx: AnyContext, schema: Json = NAME_SCHEMA, message: str = "What is your name?") -> Reply:
    """Ask with `schema` as it is, and return the exact answer."""
    return await ask_one(ctx, form(message, schema))


async def ask_or_tell(ctx: AnyContext) -> str:
    """Ask, and return the message of the error that came instead of an answer. For 2025-11-25."""
    try:
        await push(ctx, form("What is your name?"))
    except MCPError as error:
        return error.error.message
    return ""


async def ask_length(ctx: AnyContext, schema: Json) -> str | InputRequiredResult:
    """Ask, and return only how long the `password` in the answer is."""
    answer = await ask_one(ctx, form("Please sign in.", schema))
    return answer if isinstance(answer, InputRequiredResult) else str(len(answer["content"]["password"]))


async def ask_lengths(ctx: AnyContext, schema: Json, n: int) -> list[int] | InputRequiredResult:
    """Ask `n` times at once, and return only how long each `password` is."""
    answers = await ask(ctx, {f"question{i}": form(f"Please sign in, {i} of {n}.", schema) for i in range(n)})
    if isinstance(answers, InputRequiredResult):
        return answers
    return [len(plain(answer)["content"]["password"]) for answer in answers.values()]


async def ask_huge(ctx: AnyContext, size: int) -> Reply:
    """Ask with a message of `size` letters."""
    return await ask_one(ctx, form("x" * size))


async def ask_url(ctx: AnyContext, url: str, elicitation_id: str = "id-1", message: str = "Please sign in.") -> Reply:
    """Ask the person to open `url`, whatever it is, and return the exact answer."""
    return await ask_one(ctx, link(message, url, elicitation_id))


async def ask_many(ctx: AnyContext, n: int) -> Reply:
    """Ask `n` questions at once, in 2026-07-28 in one round; return `{question1: ..., question2: ...}`."""
    return await _ask_all(ctx, {f"question{i}": form(f"Question {i} of {n}") for i in range(1, n + 1)})


async def ask_everything(ctx: AnyContext) -> Reply:
    """Ask for a form, a URL, a sampling and the roots at once; return `{form, url, sampling, roots}`."""
    questions: dict[str, InputRequest] = {
        "form": form("What is your name?"),
        "url": link("Please sign in.", "https://example.com/sign-in", "id-everything"),
        "sampling": _sampling("Say hello."),
        "roots": ListRootsRequest(),
    }
    return await _ask_all(ctx, questions)


async def ask_rounds(ctx: AnyContext, n: int) -> Reply:
    """Ask `n` questions one after the other; return `{answers: [...]}`.

    In 2026-07-28 the answers so far travel in `requestState`, and one that was altered is refused.
    """
    answers = _answers_so_far(ctx)
    while len(answers) < n:
        question = form(f"Round {len(answers) + 1}")
        if speaks_rounds(ctx):
            return InputRequiredResult(input_requests={"answer": question}, request_state=json.dumps(answers))
        answers.append(plain(await push(ctx, question)))
    return {"answers": answers}


async def ask_forever(ctx: AnyContext) -> Reply:
    """Ask, and whatever the answer, ask again."""
    return await ask_rounds(ctx, MANY_ROUNDS)


async def push_only(ctx: AnyContext) -> Reply:
    """Ask by pushing, whatever the era: in 2026-07-28 there is no back-channel and this fails."""
    return plain(await push(ctx, form("What is your name?")))


async def asking_prompt(ctx: AnyContext, topic: str) -> str | InputRequiredResult:
    """A prompt that asks for a name first."""
    answer = await ask_one(ctx, form("What is your name?"))
    return answer if isinstance(answer, InputRequiredResult) else f"{topic}: {json.dumps(answer)}"


async def asking_resource(ctx: AnyContext, topic: str) -> str | InputRequiredResult:
    """A resource that asks for a name first."""
    return await asking_prompt(ctx, topic)


async def _ask_all(ctx: AnyContext, questions: Intake) -> Reply:
    answers = await ask(ctx, questions)
    if isinstance(answers, InputRequiredResult):
        return answers
    return {key: plain(answers[key]) for key in questions}


def _sampling(text: str) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=text))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=100))


def _answers_so_far(ctx: AnyContext) -> list[Json]:
    # The SDK has checked that the state is the one it gave out, and for these arguments.
    answers: list[Json] = json.loads(ctx.request_state) if ctx.request_state else []
    if ctx.request_state and ctx.input_responses:
        answers.append(plain(ctx.input_responses["answer"]))
    return answers


TOOLS = (
    ask_form,
    ask_or_tell,
    ask_length,
    ask_lengths,
    ask_huge,
    ask_url,
    ask_many,
    ask_everything,
    ask_rounds,
    ask_forever,
    push_only,
)
