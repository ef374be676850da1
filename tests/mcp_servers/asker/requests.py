"""Tools, a prompt and a resource that ask, and return the exact answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import anyio
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
    Requests,
    ask,
    ask_one,
    form,
    link,
    plain,
    push,
    speaks_rounds,
)
from webclient.domain.model import Json

Reply = Json | InputRequiredResult

MANY_ROUNDS = 1_000_000
"""More than any client plays along with."""


async def ask_form(ctx: AnyContext, schema: Json = NAME_SCHEMA, message: str = "What is your name?") -> Reply:
    """Ask with `schema` as it is, and return the exact answer."""
    return await ask_one(ctx, form(message, schema))


async def ask_noted(ctx: AnyContext, text: str, ledger: str) -> Reply:
    """Ask for a form; note in the file `ledger` that it asked, and which name it got."""
    if not (speaks_rounds(ctx) and ctx.input_responses):
        _note(ledger, f"asked {text}")
    answer = await ask_one(ctx, form(text))
    if not isinstance(answer, InputRequiredResult):
        _note(ledger, f"got {text}: {(answer.get('content') or {}).get('name')}")
    return answer


def _note(ledger: str, line: str) -> None:
    with Path(ledger).open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


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
    answers = await ask(ctx, {f"request{i}": form(f"Please sign in, {i} of {n}.", schema) for i in range(n)})
    if isinstance(answers, InputRequiredResult):
        return answers
    return [len(plain(answer)["content"]["password"]) for answer in answers.values()]


async def ask_huge(ctx: AnyContext, size: int) -> Reply:
    """Ask with a message of `size` letters."""
    return await ask_one(ctx, form("x" * size))


async def ask_url(ctx: AnyContext, url: str, elicitation_id: str = "id-1", message: str = "Please sign in.") -> Reply:
    """Ask the person to open `url`, any text, and return the exact answer."""
    return await ask_one(ctx, link(message, url, elicitation_id))


async def ask_many(ctx: AnyContext, n: int) -> Reply:
    """Send `n` requests at once, in 2026-07-28 in one round; return `{request1: ..., request2: ...}`."""
    return await _ask_all(ctx, {f"request{i}": form(f"Question {i} of {n}") for i in range(1, n + 1)})


async def ask_everything(ctx: AnyContext) -> Reply:
    """Ask for a form, a URL, a sampling and the roots at once; return `{form, url, sampling, roots}`."""
    requests: dict[str, InputRequest] = {
        "form": form("What is your name?"),
        "url": link("Please sign in.", "https://example.com/sign-in", "id-everything"),
        "sampling": _sampling("Say hello."),
        "roots": ListRootsRequest(),
    }
    return await _ask_all(ctx, requests)


async def ask_roots(ctx: AnyContext, *, also_form: bool = False) -> Reply:
    """Ask for the roots, and for a form beside them; return `{roots, form?}`."""
    return await _ask_all(ctx, {"roots": ListRootsRequest()} | ({"form": form("Which one?")} if also_form else {}))


async def ask_rounds(
    ctx: AnyContext, n: int, schema: Json = NAME_SCHEMA, messages: Sequence[str] = (), pauses: Sequence[float] = ()
) -> Reply:
    """Send `n` requests one after the other; return `{answers: [...]}`.

    Before each but the first it waits for the seconds in `pauses`. In 2026-07-28 the answers so far travel in
    `requestState`, and one that was altered is refused.
    """
    answers = _answers_so_far(ctx)
    while len(answers) < n:
        request = form(messages[len(answers)] if messages else f"Round {len(answers) + 1}", schema)
        await anyio.sleep(pauses[len(answers) - 1] if pauses and answers else 0)
        if speaks_rounds(ctx):
            return InputRequiredResult(input_requests={"answer": request}, request_state=json.dumps(answers))
        answers.append(plain(await push(ctx, request)))
    return {"answers": answers}


async def ask_forever(ctx: AnyContext) -> Reply:
    """Ask, and after any answer ask again."""
    return await ask_rounds(ctx, MANY_ROUNDS)


async def push_only(ctx: AnyContext) -> Reply:
    """Push a request in any era: 2026-07-28 has no back-channel, so this fails there."""
    return plain(await push(ctx, form("What is your name?")))


async def asking_prompt(ctx: AnyContext, topic: str) -> str | InputRequiredResult:
    """Return a prompt, after asking for a name."""
    answer = await ask_one(ctx, form("What is your name?"))
    return answer if isinstance(answer, InputRequiredResult) else f"{topic}: {json.dumps(answer)}"


async def asking_resource(ctx: AnyContext, topic: str) -> str | InputRequiredResult:
    """Return a resource, after asking for a name."""
    return await asking_prompt(ctx, topic)


async def _ask_all(ctx: AnyContext, requests: Requests) -> Reply:
    answers = await ask(ctx, requests)
    if isinstance(answers, InputRequiredResult):
        return answers
    return {key: plain(answers[key]) for key in requests}


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
    ask_noted,
    ask_or_tell,
    ask_length,
    ask_lengths,
    ask_huge,
    ask_url,
    ask_many,
    ask_everything,
    ask_roots,
    ask_rounds,
    ask_forever,
    push_only,
)
