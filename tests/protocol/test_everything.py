"""The ecosystem's reference server, `server-everything` from npm, over all three transports."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from tests.house import House, config, house
from tests.mcp_servers import ROOT
from webclient.domain.model import Action, CallState, Json, TypedArgument
from webclient.servers.config_file import ServerConfig
from webclient.servers.connections import following, not_following

pytestmark = pytest.mark.anyio

PROGRAM = ROOT / "build/npm/node_modules/.bin/mcp-server-everything"
TRANSPORTS = ("stdio", "http", "sse")


@pytest.fixture(scope="module")
async def everything(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:  # noqa: ARG001
    async with listening("streamableHttp") as http, listening("sse") as sse:
        servers: list[ServerConfig] = [
            config("stdio", {"type": "stdio", "command": str(PROGRAM), "args": ["stdio"]}),
            config("http", {"type": "http", "url": f"http://127.0.0.1:{http}/mcp"}),
            config("sse", {"type": "sse", "url": f"http://127.0.0.1:{sse}/sse"}),
        ]
        async with house(tmp_path_factory.mktemp("everything"), servers) as rooms:
            for name in TRANSPORTS:
                await rooms.connected(name)
            yield rooms


@asynccontextmanager
async def listening(transport: str) -> AsyncIterator[int]:
    """Run the server on a free port while the block runs; it takes the port from its environment."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {**os.environ, "PORT": str(port)}
    async with await anyio.open_process(
        [str(PROGRAM), transport], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment
    ) as process:
        assert process.stderr
        async for said in process.stderr:
            if b"port" in said:
                break
        try:
            yield port
        finally:
            os.kill(process.pid, signal.SIGKILL)
            await process.wait()


@pytest.mark.parametrize("server", TRANSPORTS)
async def test_answers_keep_json_types_and_omit_untouched_fields(everything: House, server: str) -> None:
    call = await everything.call(server, "trigger-elicitation-request")
    [request] = await everything.pending_requests(call)
    content: Json = {"name": "Ada", "check": True, "integer": 42, "number": 2.5, "email": "ada@example.com"}
    assert set(content) <= set(request.params["requestedSchema"]["properties"])
    await everything.answer(request, Action.ACCEPT, content)
    done = await everything.ended(call)
    assert done.state is CallState.DONE
    assert _sent(done.result) == content


@pytest.mark.parametrize("server", TRANSPORTS)
@pytest.mark.parametrize("action", [Action.DECLINE, Action.CANCEL])
async def test_a_refusal_is_understood(everything: House, server: str, action: Action) -> None:
    call = await everything.call(server, "trigger-elicitation-request")
    [request] = await everything.pending_requests(call)
    await everything.answer(request, action)
    done = await everything.ended(call)
    assert done.state is CallState.DONE
    assert action in str(done.result)


def _sent(result: Json | None) -> Json:
    """Return the content that the server says it received."""
    texts = [block["text"] for block in (result or {})["content"]]
    raw = next(text for text in texts if "{" in text)
    sent: Json = json.loads(raw[raw.index("{") :])["content"]
    return sent


def test_the_reference_server_is_installed() -> None:
    assert Path(PROGRAM).exists(), "run `make test`, which installs it"


async def test_a_tool_that_must_run_as_a_task_does_unlisted(everything: House) -> None:
    """MCP 2025-11-25, Tasks, R2: over each transport, also before the tools were listed."""
    calls = [
        await everything.call(label, "simulate-research-query", {"topic": "tea", "ambiguous": True})
        for label in TRANSPORTS
    ]
    for call in calls:
        [request] = await everything.pending_requests(call)
        await everything.answer(request, Action.ACCEPT, {"interpretation": "historical"})
    for call in calls:
        done = await everything.ended(call)
        assert done.state is CallState.DONE, done.error
        assert "historical" in str(done.result)


@pytest.mark.parametrize("label", TRANSPORTS)
async def test_suggestions_depend_on_the_other_arguments(everything: House, label: str) -> None:
    """MCP 2025-11-25, Completion."""
    server = everything.services.connections.connected(await everything.server(label))
    prompt = TypedArgument(kind="prompt", name="completable-prompt", argument="department", value="S")
    assert (await server.argument_values(prompt)).values == ("Sales", "Support")
    name = replace(prompt, argument="name", value="", others=(("department", "Sales"),))
    assert (await server.argument_values(name)).values == ("David", "Eve", "Frank")


@pytest.mark.parametrize("label", TRANSPORTS)
async def test_changes_of_a_followed_resource_are_reported(everything: House, label: str) -> None:
    """MCP 2025-11-25, Resources, Subscriptions; the tool reports one change of each resource at once."""
    server = await everything.server(label)
    uri = "demo://resource/dynamic/text/1"
    await everything.services.servers.change(following(server, uri))

    async def is_reported() -> bool:
        return everything.services.connections.followed(server, uri).since is not None

    async def is_changed() -> bool:
        return bool(everything.services.connections.followed(server, uri).updates)

    await everything.until(is_reported)
    await everything.ended(await everything.call(label, "toggle-subscriber-updates"))
    await everything.until(is_changed)
    await everything.ended(await everything.call(label, "toggle-subscriber-updates"))
    await everything.services.servers.change(not_following(server, uri))
