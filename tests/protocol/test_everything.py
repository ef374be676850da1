"""The ecosystem's reference server, `server-everything` from npm, over all three transports."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from tests.house import House, config, house
from tests.mcp_servers import ROOT
from webclient.config_file import ServerConfig
from webclient.errors import ConflictError
from webclient.model import Action, CallState, Json

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
async def test_each_answer_arrives_with_its_json_type_and_untouched_fields_are_absent(
    everything: House, server: str
) -> None:
    call = await everything.call(server, "trigger-elicitation-request")
    [request] = await everything.asked(call)
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
    [request] = await everything.asked(call)
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


async def test_a_tool_that_runs_only_as_a_task_is_not_started(everything: House) -> None:
    server = await everything.server("stdio")
    catalog = await everything.services.connections.catalog(server)
    [name] = [tool["name"] for tool in catalog.tools if tool.get("execution", {}).get("taskSupport") == "required"]
    for label in TRANSPORTS:
        # Of the others nobody has looked at the list.
        with pytest.raises(ConflictError, match=name):
            await everything.call(label, name, {"topic": "tea"})
    assert [call for call in await everything.services.store.of("local").calls.find() if call.name == name] == []
