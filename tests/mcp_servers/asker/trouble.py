"""Tools that withdraw, crash, fail, get cancelled or block, when a test says so."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter, defaultdict
from typing import NoReturn

import anyio
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError, UrlElicitationRequiredError
from mcp.shared.message import ServerMessageMetadata
from mcp.types import INTERNAL_ERROR, ElicitRequestURLParams, ElicitResult, InputRequiredResult, InputResponse

from tests.mcp_servers.asker.asking import AnyContext, ask_one, form, link, plain, push, speaks_rounds
from webclient.domain.model import Json

EXIT_STATUS = 3
"""The exit status of a server that crashes."""

_released: defaultdict[str, anyio.Event] = defaultdict(anyio.Event)
_cancelled: set[str] = set()
_completed: set[str] = set()
_needed: Counter[str] = Counter()
_abandoned: dict[str, asyncio.Task[InputResponse]] = {}


async def release(name: str) -> str:
    """Release the tools that wait for `name`, now and later."""
    _released[name].set()
    return name


async def ask_then_cancel(ctx: AnyContext, name: str) -> str:
    """Ask, and withdraw the request when `name` is released. For 2025-11-25."""
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(_cancel_when_released, name, scope)
            await push(ctx, form("This request will be withdrawn."))
            group.cancel_scope.cancel()
    return "withdrawn" if scope.cancelled_caught else "answered"


async def ask_with_limit(ctx: AnyContext, seconds: float) -> Json:
    """Ask, and fail when there is no answer after so long. For 2025-11-25."""
    session: ServerSession = ctx.session
    related = ServerMessageMetadata(related_request_id=ctx.request_id)
    request = form("Your name, quickly?")
    return plain(
        await session.send_request(request, ElicitResult, metadata=related, request_read_timeout_seconds=seconds)
    )


async def ask_and_return(ctx: AnyContext, name: str, how: str = "result") -> str:
    """Ask, and end before the answer, with a result or an `error`.

    The call ends when `name` is released; the request stays open. For 2025-11-25.
    """
    _abandoned[name] = asyncio.create_task(push(ctx, form("The call does not wait for this answer.")))
    await _released[name].wait()
    if how == "error":
        raise MCPError(INTERNAL_ERROR, "It went wrong.")
    return "returned"


async def was_answered(name: str) -> Json:
    """Wait for the answer that `ask_and_return(name)` did not wait for."""
    return plain(await _abandoned[name])


async def withdraw(name: str) -> str:
    """Withdraw the request of `ask_and_return(name)`."""
    _abandoned[name].cancel()
    return name


async def ask_and_crash(ctx: AnyContext, name: str) -> Json | InputRequiredResult:
    """Ask, and crash when `name` is released; in 2026-07-28, when the answer comes."""
    request = form("This server will crash.")
    if speaks_rounds(ctx):
        reply = await ask_one(ctx, request)
        return reply if isinstance(reply, InputRequiredResult) else _die()
    async with anyio.create_task_group() as group:
        group.start_soon(_crash_when_released, name)
        answer = plain(await push(ctx, request))
        group.cancel_scope.cancel()
    return answer


def crash() -> str:
    """End the process at once."""
    _die()


async def block(seconds: float) -> str:
    """Block the event loop for so long."""
    time.sleep(seconds)  # noqa: ASYNC251  (that is the fault)
    return "worked"


async def ask_outside_call(ctx: AnyContext) -> Json:
    """Ask outside of the call, on the stream for unsolicited messages. For 2025-11-25."""
    answer = await ctx.session.send_request(form("This has no call."), ElicitResult)
    return plain(answer)


def fail(message: str = "This went wrong.") -> str:
    """Return a result with `isError`."""
    raise ToolError(message)


async def sleep_until_cancelled(name: str) -> str:
    """Do nothing until the client cancels the call; `was_cancelled(name)` returns when it has."""
    try:
        await anyio.sleep_forever()
    finally:
        _cancelled.add(name)
        _released[name].set()
    return name


async def progress_until_cancelled(ctx: AnyContext, steps: int = 3) -> None:
    """Report the first of `steps`, and do nothing more until the client cancels the call."""
    await ctx.report_progress(1, steps, "The first step")
    await anyio.sleep_forever()


async def progress_while_asking(ctx: AnyContext, name: str) -> None:
    """Ask, and report the second of three steps when `name` is released. For 2025-11-25."""
    async with anyio.create_task_group() as group:
        group.start_soon(push, ctx, form("Shall it go on?"))
        await _released[name].wait()
        await ctx.report_progress(2, 3, "The second step")


async def was_cancelled(name: str) -> bool:
    """Return whether `sleep_until_cancelled(name)` was cancelled."""
    return name in _cancelled


async def wait_until_cancelled(name: str) -> str:
    """Return when `sleep_until_cancelled(name)` was cancelled."""
    await _released[name].wait()
    return name


async def need_url(url: str, elicitation_id: str = "id-1") -> str:
    """Fail with -32042, asking for `url`, until `complete(elicitation_id)` was called."""
    return await need_urls([{"url": url, "elicitationId": elicitation_id}])


async def need_urls(links: list[dict[str, str]]) -> str:
    """Fail with -32042, asking for all `links` (`url`, `elicitationId`), until `complete` was called for each."""
    _needed.update(link["elicitationId"] for link in links)
    if not {link["elicitationId"] for link in links} <= _completed:
        raise UrlElicitationRequiredError(
            [
                ElicitRequestURLParams(message="Please sign in.", url=link["url"], elicitation_id=link["elicitationId"])
                for link in links
            ]
        )
    return "signed in"


async def needing_prompt(name: str) -> str:
    """Return a prompt; fail with -32042 until `complete(name)` was called."""
    return await need_url(f"https://example.com/{name}", name)


async def needing_resource(name: str) -> str:
    """Return a resource; fail with -32042 until `complete(name)` was called."""
    return await needing_prompt(name)


async def times_needed(elicitation_id: str) -> int:
    """Return how often a tool was called that needs the elicitation."""
    return _needed[elicitation_id]


async def await_url(ctx: AnyContext, url: str, elicitation_id: str, also: str = "") -> Json | InputRequiredResult:
    """Ask for `url` in every round until `complete(elicitation_id)` was called, `also` a name. For 2026-07-28.

    Returns the last answers; a decline or a cancel ends it.
    """
    _needed[elicitation_id] += 1
    answers = {key: plain(answer) for key, answer in (ctx.input_responses or {}).items()}
    refused = any(answer["action"] != "accept" for answer in answers.values())
    if refused or (elicitation_id in _completed and answers):
        return answers
    requests = {"link": link("Please sign in.", url, elicitation_id)}
    if also and "link" in answers and "also" not in answers:
        requests["also"] = form(also)
    return InputRequiredResult(input_requests=dict(requests), request_state=f"asked {_needed[elicitation_id]} times")


async def swap_url(ctx: AnyContext, url: str, key: str, message: str) -> Json | InputRequiredResult:
    """Ask to open `url` under the key "link", then `url` under `key` with `message`. For 2026-07-28.

    Returns the answers to the second request.
    """
    answers = {name: plain(answer) for name, answer in (ctx.input_responses or {}).items()}
    if ctx.request_state == "second":
        return answers
    second = link(message, url, "e1")
    requests = {key: second} if answers else {"link": link("Read our terms.", url, "e1")}
    return InputRequiredResult(input_requests=dict(requests), request_state="second" if answers else "first")


async def complete(ctx: AnyContext, elicitation_id: str = "id-1", notify: bool = True) -> str:
    """Do what was to be done at the URL, and notify the client."""
    _completed.add(elicitation_id)
    if notify:
        await ctx.session.send_elicit_complete(elicitation_id, related_request_id=ctx.request_id)
    return elicitation_id


async def _cancel_when_released(name: str, scope: anyio.CancelScope) -> None:
    await _released[name].wait()
    scope.cancel()


async def _crash_when_released(name: str) -> None:
    await _released[name].wait()
    _die()


def _die() -> NoReturn:
    os._exit(EXIT_STATUS)


TOOLS = (
    release,
    ask_then_cancel,
    ask_with_limit,
    ask_and_return,
    was_answered,
    withdraw,
    ask_and_crash,
    crash,
    block,
    ask_outside_call,
    fail,
    sleep_until_cancelled,
    progress_until_cancelled,
    progress_while_asking,
    was_cancelled,
    wait_until_cancelled,
    need_url,
    need_urls,
    times_needed,
    await_url,
    swap_url,
    complete,
)
