"""Dialogues with five published implementations of the tasks of MCP 2025-11-25, which differ in nearly everything."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

import pytest

from tests.house import House, config, house
from tests.push_tasks import servers
from webclient import protocol
from webclient.domain.errors import ConflictError
from webclient.domain.model import LOCAL_USER, Action, Call, CallState, Era, Json, ReasonCode, TaskStatus

pytestmark = pytest.mark.anyio

EVERYTHING, INTERACTIVE, STREAMABLE = "everything", "interactive", "streamable"
MCP_1, FASTMCP_3, STDIO = "mcp-1", "fastmcp-3", "mcp-1-stdio"


@pytest.fixture(scope="module")
async def tasks(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:  # noqa: ARG001
    """A core connected to all of them."""
    async with AsyncExitStack() as running:
        over_http = {
            EVERYTHING: servers.everything(),
            INTERACTIVE: servers.interactive(),
            STREAMABLE: servers.streamable(),
            MCP_1: servers.on_mcp_1(),
            FASTMCP_3: servers.on_fastmcp_3(),
        }
        listening = {name: await running.enter_async_context(server) for name, server in over_http.items()}
        configured = [config(name, server.transport, Era.PUSH) for name, server in listening.items()]
        configured.append(config(STDIO, servers.mcp_1_over_stdio(), Era.PUSH))
        async with house(tmp_path_factory.mktemp("tasks"), configured) as rooms:
            for each in configured:
                await rooms.connected(each.name)
            yield rooms


TOOLS = [
    (EVERYTHING, "simulate-research-query", {"topic": "tea", "ambiguous": True}, {"interpretation": "technical"}),
    (INTERACTIVE, "confirm_delete", {"filename": "tea.txt"}, {"confirm": True}),
    (MCP_1, "greet", {}, {"name": "Ada"}),
    (STDIO, "greet", {}, {"name": "Ada"}),
    (FASTMCP_3, "greet", {}, {"value": "Ada"}),
]
"""For each server a tool that asks as a task, its arguments, and an answer."""


@pytest.mark.parametrize(("server", "tool", "arguments", "content"), TOOLS, ids=[each[0] for each in TOOLS])
async def test_a_task_asks_and_ends_with_its_result(
    tasks: House, server: str, tool: str, arguments: Json, content: Json
) -> None:
    """MCP 2025-11-25, Tasks: R2 (a tool that requires a task), R5, R7, R8 and R12."""
    call = await tasks.call(server, tool, arguments)
    [request] = await tasks.pending_requests(call)
    waiting = await now(tasks, call)
    assert waiting.task
    assert waiting.task.ttl
    await tasks.answer(request, Action.ACCEPT, content)
    done = await tasks.ended(call)
    assert done.state is CallState.DONE, done.error
    assert not done.tool_failed, done.result
    assert done.task
    assert done.task.status is TaskStatus.COMPLETED


async def now(tasks: House, call: Call) -> Call:
    return await tasks.services.store.of(LOCAL_USER).calls.get(call.id)


async def test_a_question_outside_of_all_requests_finds_its_call(tasks: House) -> None:
    """The question comes before the handle of its task, on the stream for other requests, and names no task (R7)."""
    call = await tasks.call(STREAMABLE, "collect-user-info-task", {"infoType": "contact"})
    [request] = await tasks.pending_requests(call)
    await tasks.answer(request, Action.ACCEPT, {"name": "Ada", "email": "ada@example.com"})
    done = await tasks.ended(call)
    assert done.state is CallState.DONE, done.error
    assert "ada@example.com" in str(done.result)


async def test_a_task_borrows_a_model(tasks: House) -> None:
    """`sampling/createMessage` comes with the related task; its answer MUST name that one, too (R8)."""
    call = await tasks.call(INTERACTIVE, "write_haiku", {"topic": "tea"})
    [request] = await tasks.pending_requests(call)
    assert (request.kind, request.ids.task_id) == ("sampling", (await followed(tasks, call)).task_id)
    message = {"role": "assistant", "content": {"type": "text", "text": "Leaves unfold"}, "model": "a person"}
    await tasks.answer(request, Action.ACCEPT, message)
    done = await tasks.ended(call)
    assert done.state is CallState.DONE, done.error
    assert "Leaves unfold" in str(done.result)


@pytest.mark.parametrize("server", [MCP_1, FASTMCP_3])
async def test_a_task_that_works_on_is_cancelled(tasks: House, server: str) -> None:
    """R9, R13: the tool allows both, and the person wants a task."""
    call = await tasks.call(server, "slow", as_task=True)
    await followed(tasks, call)
    await tasks.services.calls.cancel(await now(tasks, call))
    ended = await tasks.ended(call)
    assert ended.state is CallState.CANCELLED
    wire = protocol.tasks_of(tasks.services.connections.connected(await tasks.server(server)).session)
    assert ended.task
    assert (await wire.get(ended.task.id)).task.status is TaskStatus.CANCELLED


@pytest.mark.parametrize("server", [MCP_1, FASTMCP_3])
async def test_a_tool_that_allows_both_runs_plainly_by_default(tasks: House, server: str) -> None:
    """R2: MAY for `optional`."""
    plain = await tasks.ended(await tasks.call(server, "quick"))
    as_task = await tasks.ended(await tasks.call(server, "quick", as_task=True))
    assert (plain.state, plain.task) == (CallState.DONE, None), plain.error
    assert as_task.state is CallState.DONE, as_task.error
    assert as_task.task


async def test_a_broken_tool_ends_its_task(tasks: House) -> None:
    """One SDK says why in the status message alone, another in a result that is an error."""
    failed = await tasks.ended(await tasks.call(MCP_1, "broken"))
    assert (failed.state, failed.reason_code) == (CallState.FAILED, ReasonCode.TASK_FAILED_SAYING)
    shown = await tasks.ended(await tasks.call(FASTMCP_3, "broken"))
    assert shown.reports_error, shown.error
    assert "kettle" in str(failed.error) + str(shown.result)
    wrong = await tasks.ended(await tasks.call(MCP_1, "wrong"))
    assert wrong.reports_error, wrong.error


async def test_progress_of_a_task_is_shown(tasks: House) -> None:
    """R11: the steps come after the handle, with the token of the call."""
    call = await tasks.call(MCP_1, "steps")
    [request] = await tasks.pending_requests(call)

    async def look() -> bool:
        return (await now(tasks, call)).progress is not None

    await tasks.until(look)
    await tasks.answer(request, Action.ACCEPT, {"name": "on"})
    assert ((await tasks.ended(call)).progress or {})["progress"] == 4


async def test_a_server_lists_its_tasks_in_pages(tasks: House) -> None:
    """R10: pages of ten; the tasks of the other tests may be among them."""
    calls = [await tasks.call(EVERYTHING, "simulate-research-query", {"topic": "t"}) for _each in range(11)]
    ids = {(await followed(tasks, call)).task_id for call in calls}
    server = await tasks.server(EVERYTHING)
    listed = await tasks.services.server_tasks.list(server)
    assert ids <= {each.task.id for each in listed}
    for call in calls:
        # One may be done by now.
        with suppress(ConflictError):
            await tasks.services.calls.cancel(await now(tasks, call))


@dataclass(frozen=True)
class Followed:
    """A call whose task is known."""

    task_id: str


async def followed(tasks: House, call: Call) -> Followed:
    """Wait until the handle of the call's task is stored."""

    async def look() -> Followed | None:
        newest = (await now(tasks, call)).task
        return Followed(newest.id) if newest else None

    return await tasks.until(look)
