"""Questions that published SDKs ask as tasks: server-everything, and a server on version 1 of the Python SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.house import House, config, house
from tests.line import delivered
from tests.push_tasks import servers
from webclient.domain.model import (
    LOCAL_USER,
    Action,
    Call,
    CallState,
    Delivery,
    Era,
    InputRequest,
    Json,
    Origin,
    ReasonCode,
)
from webclient.servers.config_file import ServerConfig

pytestmark = pytest.mark.anyio

EVERYTHING, EVERYTHING_STDIO, MCP_1, MCP_1_STDIO = "everything", "everything-stdio", "mcp-1", "mcp-1-stdio"
MESSAGE: Json = {"role": "assistant", "content": {"type": "text", "text": "Five."}, "model": "written by a person"}


@pytest.fixture(scope="module")
async def hosts(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:  # noqa: ARG001
    """A core connected to both servers over both transports."""
    async with AsyncExitStack() as running:
        everything = await running.enter_async_context(servers.everything())
        mcp_1 = await running.enter_async_context(servers.asking_on_mcp_1())
        configured = [
            config(EVERYTHING, everything.transport, Era.PUSH),
            config(EVERYTHING_STDIO, servers.everything_over_stdio(), Era.PUSH),
            config(MCP_1, mcp_1.transport, Era.PUSH),
            config(MCP_1_STDIO, servers.asking_over_stdio(), Era.PUSH),
        ]
        async with house(tmp_path_factory.mktemp("hosts"), configured) as rooms:
            for each in configured:
                await rooms.connected(each.name)
            yield rooms


def said(call: Call) -> str:
    """Return what the tool has returned."""
    assert call.state is CallState.DONE, call.error
    assert call.result
    return "\n".join(str(block.get("text")) for block in call.result["content"])


async def hosted(rooms: House, server: str) -> InputRequest:
    """Return the one question of the server, which it wants as a task."""
    request = await rooms.request_from(server)
    assert request.origin is Origin.HOSTED
    return request


ELICITING = [
    (EVERYTHING, "trigger-elicitation-request-async", "Name: Ada", "[DECLINED]"),
    (EVERYTHING_STDIO, "trigger-elicitation-request-async", "Name: Ada", "[DECLINED]"),
    (MCP_1, "ask", "accept: Ada", "decline: None"),
    (MCP_1_STDIO, "ask", "accept: Ada", "decline: None"),
]
"""For each server the tool that elicits as a task, and its words for both answers."""


@pytest.mark.parametrize(("server", "tool", "accepted", "declined"), ELICITING, ids=[each[0] for each in ELICITING])
async def test_an_elicitation_as_a_task_is_answered(
    hosts: House, server: str, tool: str, accepted: str, declined: str
) -> None:
    """MCP 2025-11-25, Tasks: H2, H5, H6 and H7, as these servers read them."""
    calls = [await hosts.call(server, tool)]
    await hosts.answer(await hosted(hosts, server), Action.ACCEPT, {"name": "Ada"})
    calls.append(await hosts.call(server, tool))
    await hosts.answer(await hosted(hosts, server), Action.DECLINE)
    assert accepted in said(await hosts.ended(calls[0]))
    assert declined in said(await hosts.ended(calls[1]))


SAMPLING = [
    (EVERYTHING, "trigger-sampling-request-async", {"prompt": "A haiku, please."}, "FAILED"),
    (MCP_1, "haiku", {}, "error -1"),
    (MCP_1_STDIO, "haiku", {}, "error -1"),
]
"""For each server the tool that samples as a task, its arguments, and its words for a rejection."""


@pytest.mark.parametrize(("server", "tool", "arguments", "rejected"), SAMPLING, ids=[each[0] for each in SAMPLING])
async def test_sampling_as_a_task_is_answered(
    hosts: House, server: str, tool: str, arguments: Json, rejected: str
) -> None:
    """MCP 2025-11-25, Tasks: H2 and H7 for `sampling/createMessage`; a rejected one is `failed`."""
    calls = [await hosts.call(server, tool, arguments)]
    await hosts.answer(await hosted(hosts, server), Action.ACCEPT, MESSAGE)
    calls.append(await hosts.call(server, tool, arguments))
    await hosts.answer(await hosted(hosts, server), Action.DECLINE)
    assert "Five." in said(await hosts.ended(calls[0]))
    assert rejected in said(await hosts.ended(calls[1]))


@pytest.mark.parametrize("server", [MCP_1, MCP_1_STDIO])
async def test_a_published_server_cancels_and_lists_its_tasks(hosts: House, server: str) -> None:
    """MCP 2025-11-25, Tasks: H9 and H10."""
    assert said(await hosts.ended(await hosts.call(server, "withdraw"))) == "cancelled"
    task_id = said(await hosts.ended(await hosts.call(server, "ask_later")))
    assert task_id in said(await hosts.ended(await hosts.call(server, "known")))
    await hosts.answer(await hosts.request_from(server), Action.CANCEL)


async def test_an_answer_is_fetched_after_a_restart(tmp_path: Path) -> None:
    """The question outlives our process: the person answers the next one, and the server fetches the answer there."""
    async with servers.asking_on_mcp_1() as listening:
        configured = [config(MCP_1, listening.transport, Era.PUSH)]
        async with house(tmp_path, configured) as earlier:
            await earlier.connected(MCP_1)
            task_id = said(await earlier.ended(await earlier.call(MCP_1, "ask_later")))
        async with house(tmp_path, configured) as later:
            await later.connected(MCP_1)
            fetching = await later.call(MCP_1, "fetch", {"task": task_id})
            await later.answer(await later.request_from(MCP_1), Action.ACCEPT, {"name": "Ada"})
            assert said(await later.ended(fetching)) == "accept: Ada"


async def test_the_session_survives_while_an_answer_waits(tmp_path: Path) -> None:
    """A server that comes back in the session in which it asked finds it after our restart; then it is given up."""
    async with servers.asking_on_mcp_1() as listening:
        configured = [config(MCP_1, listening.transport, Era.PUSH)]
        async with house(tmp_path, configured) as earlier:
            await earlier.connected(MCP_1)
            await earlier.ended(await earlier.call(MCP_1, "ask_aside"))
        async with house(tmp_path, configured) as later:
            server = await later.connected(MCP_1)
            request = await later.request_from(MCP_1)
            await later.answer(request, Action.ACCEPT, {"name": "Ada"})
            assert said(await later.ended(await later.call(MCP_1, "go_on"))) == "accept: Ada"
            await delivered(later, request, Delivery.DELIVERED)
        async with house(tmp_path, configured) as last:
            await last.connected(MCP_1)
            assert await last.services.store.of(LOCAL_USER).saved_sessions.get(server.id) is None


async def test_a_wait_for_an_answer_survives_a_restart(tmp_path: Path) -> None:
    """The server waits for the result when we stop, and asks for it once; the next process answers that request."""
    async with servers.asking_on_mcp_1() as listening:
        configured = [_at(listening.port)]
        async with house(tmp_path, configured) as earlier:
            await earlier.connected(MCP_1)
            await earlier.ended(await earlier.call(MCP_1, "wait_aside"))
            # The server asks this later than the result.
            await earlier.ended(await earlier.call(MCP_1, "known"))
        async with house(tmp_path, configured) as later:
            await later.connected(MCP_1)
            await later.answer(await later.request_from(MCP_1), Action.ACCEPT, {"name": "Ada"})
            assert said(await later.ended(await later.call(MCP_1, "go_on"))) == "accept: Ada"


async def test_an_answer_is_fetched_after_the_server_restarts(tmp_path: Path) -> None:
    """The question outlives its connection, and the process that has asked it."""
    port = servers.free_port()
    async with servers.asking_on_mcp_1(port) as first, house(tmp_path, [_at(port)]) as rooms:
        await rooms.connected(MCP_1)
        task_id = said(await rooms.ended(await rooms.call(MCP_1, "ask_later")))
        first.kill()
        async with servers.asking_on_mcp_1(port):
            await rooms.answer(await rooms.request_from(MCP_1), Action.ACCEPT, {"name": "Ada"})
            fetching = await rooms.call(MCP_1, "fetch", {"task": task_id})
            assert said(await rooms.ended(fetching)) == "accept: Ada"


def _at(port: int) -> ServerConfig:
    return config(MCP_1, {"type": "http", "url": f"http://127.0.0.1:{port}/mcp"}, Era.PUSH)


async def test_a_question_outlives_a_killed_server(tmp_path: Path) -> None:
    """A call that waits for it ends with its session; the question says so, and stays open."""
    async with servers.asking_on_mcp_1() as listening, house(tmp_path, [_at(listening.port)]) as rooms:
        await rooms.connected(MCP_1)
        call = await rooms.call(MCP_1, "ask")
        request = await hosted(rooms, MCP_1)
        listening.kill()
        assert (await rooms.ended(call)).state is CallState.INTERRUPTED
        assert (await rooms.remarked(request)).reason_code is ReasonCode.CALL_ENDED_EARLY
