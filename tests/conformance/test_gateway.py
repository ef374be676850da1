"""The server scenarios of the official suite: before a server, and before the gateway in front of that server."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from subprocess import PIPE, STDOUT
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import anyio
import pytest

from tests.conformance.suites import BUILD, NODE
from tests.gateway.agents import token
from tests.gateway.houses import house
from tests.mcp_servers import running
from webclient.domain.model import Era

pytestmark = pytest.mark.anyio

SUITE = BUILD / "0.2.0-alpha.12/node_modules/@modelcontextprotocol/conformance/dist/index.js"

_LINE = re.compile(r"^[✓✗] (?P<name>\S+): (?P<passed>\d+) passed, (?P<failed>\d+) failed", re.MULTILINE)

ANSWERED = {
    Era.PUSH: {"tools-call-elicitation": (1, 1)},
    Era.ROUNDS: {"input-required-result-validate-input": (1, 0)},
}
"""Scenarios in which the suite answers a question, and their checks at the gateway, where a person answers."""

TASKS = {
    Era.PUSH: {},
    Era.ROUNDS: {"tasks-capability-negotiation": (4, 1), "tasks-dispatch-and-envelope": (7, 2)},
}
"""Scenarios of tasks, which the gateway has and this server has not.

What fails needs a tool of the suite that runs as a task whenever it is called; the gateway answers a fast tool at once.
"""


@asynccontextmanager
async def authorized(base: str, secret: str) -> AsyncIterator[str]:
    """Give an address at which each request gets the token of an agent: the suite sends none."""
    upstream = urlsplit(base)
    serving = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(asyncio.current_task())
        writers = [writer]
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            first, _, rest = head.partition(b"\r\n")
            there, back = await asyncio.open_connection(upstream.hostname, upstream.port)
            writers.append(back)
            rest = re.sub(rb"(?i)^connection:[^\r]*\r\n", b"", rest, flags=re.MULTILINE)
            back.write(first + b"\r\nAuthorization: Bearer " + secret.encode() + b"\r\nConnection: close\r\n" + rest)
            sending = asyncio.create_task(_copy(reader, back))
            try:
                await _copy(there, writer)
            finally:
                sending.cancel()
                await asyncio.wait([sending])
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            for each in writers:
                each.close()
            for each in writers:
                with suppress(ConnectionError):
                    await each.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        for task in serving:
            if task:
                task.cancel()
        await asyncio.gather(*(task for task in serving if task), return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


async def results(address: str, *options: str) -> dict[str, tuple[int, int]]:
    """Run the scenarios against the server at this address; return how many checks of each passed and failed."""
    with TemporaryDirectory() as folder:
        line = [str(NODE), str(SUITE), "server", "--url", address, "-o", folder, *options]
        done = await anyio.run_process(line, stdout=PIPE, stderr=STDOUT, check=False, env=dict(os.environ))
    output = done.stdout.decode(errors="replace")
    return {each["name"]: (int(each["passed"]), int(each["failed"])) for each in _LINE.finditer(output)}


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_scenarios_pass_at_the_gateway_as_at_the_server(tmp_path: Path, era: Era) -> None:
    options = ("--requirements", era.value)
    async with running("scenarios") as server:
        entry = {"type": "http", "url": server.address, "era": era.value}
        async with (
            house(tmp_path, it=entry) as (program, api),
            authorized(program.base, await token(api)) as base,
        ):
            directly = await results(server.address, *options)
            through = await results(f"{base}/mcp/it", *options)
            assert sum(passed for passed, _failed in directly.values()) > 50
            assert directly.keys() == through.keys()
            differing = {name: through[name] for name, each in directly.items() if through[name] != each}
            assert differing == ANSWERED[era] | TASKS[era]
