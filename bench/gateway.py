"""The cost of the gateway for a call, in both eras: the server itself, the gateway and FastMCP's proxy side by side.

The three alternate, so that other work on the machine slows all. Then a hundred agents wait for the person at the same
time: what that takes of the memory, and whether a page is slower beside it. `python -m bench.gateway` runs this alone.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median

import httpx2

from bench.measures import Measure, alone, resident
from tests.gateway.agents import ByHand, token
from tests.gateway.houses import open_requests
from tests.mcp_servers import ROOT, RunningServer, started
from tests.pages.person import Person
from tests.program import PATIENCE, Api, Program, program
from webclient.domain.model import Era, Json

TIMES = 200
AGENTS = 100
AT_ONCE = 10
PAGES = 30

FASTMCP = ROOT / "build/servers-workspace/bin/python"
"""The environment of FastMCP, which is installed with a server that is built on it."""

_PROXY = """
import sys
from fastmcp.server import create_proxy
create_proxy(sys.argv[1]).run(transport="http", host="127.0.0.1", port=int(sys.argv[2]), show_banner=False)
"""

ERAS = (Era.PUSH, Era.ROUNDS)


async def measure(folder: Path) -> list[Measure]:
    """Return the measures."""
    place = folder / "gateway"
    place.mkdir()
    command = [sys.executable, "-m", "bench.server", "--transport", "http"]
    async with started(command, announce="Listening", forked=False) as upstream, _proxy(upstream) as proxy:
        servers: Json = {era: {"type": "http", "url": upstream.address, "era": era.value} for era in ERAS}
        async with program(place, servers=servers, forked=False) as served, served.client() as api:
            for era in ERAS:
                await api.server(era)
            secret = await token(api, patience=600)
            calls = [
                each
                for era in ERAS
                for each in await _calls(era, upstream.address, f"{served.base}/mcp", proxy, secret)
            ]
            return [*calls, *await _crowd(served, api)]


@asynccontextmanager
async def _proxy(upstream: RunningServer) -> AsyncIterator[str]:
    """Run FastMCP's proxy before a server, and give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *(FASTMCP, "-c", _PROXY, upstream.address, str(port)),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await _until_listening(port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        await process.wait()


async def _until_listening(port: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                _reader, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.1)
            else:
                writer.close()
                return


async def _calls(era: Era, upstream: str, gateway: str, proxy: str, secret: str) -> list[Measure]:
    """Return the median time of a trivial call through the gateway against each of the others."""
    async with AsyncExitStack() as stack:
        agents = []
        for address, given in ((upstream, ""), (f"{gateway}/{era}", secret), (proxy, "")):
            headers = {"Authorization": f"Bearer {given}"} if given else {}
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=PATIENCE))
            agents.append(ByHand(http, address, era))
            await agents[-1].begin()
        direct, ours, theirs = await _alternating(agents)
    name = f"a trivial call in {era}: through the gateway"
    return [
        Measure(f"{name}, against the server itself", ours, direct, "ms"),
        Measure(f"{name}, against FastMCP's proxy", ours, theirs, "ms"),
    ]


async def _alternating(agents: Sequence[ByHand]) -> list[float]:
    """Return the median milliseconds of a call of each agent, in turn."""
    milliseconds: list[list[float]] = [[] for _agent in agents]
    for number in range(TIMES + 10):
        for place, agent in enumerate(agents):
            began = time.perf_counter()
            result = await agent.result("tools/call", {"name": "nothing", "arguments": {}})
            spent = 1000 * (time.perf_counter() - began)
            assert not result.get("isError"), result
            if number >= 10:
                milliseconds[place].append(spent)
    return [median(each) for each in milliseconds]


async def _crowd(served: Program, api: Api) -> list[Measure]:
    """Return what a hundred agents cost who wait for the person at the same time, half of them in each era."""
    async with Person(served) as person, AsyncExitStack() as stack:
        alone_ = await _page(person)
        before = resident(served.pid)
        asking = []
        for number in range(AGENTS):
            asking.append(asyncio.create_task(_ask(served, api, stack, number)))
            if number % AT_ONCE == AT_ONCE - 1:
                # All are agents of one user, whose requests under way are limited.
                await open_requests(api, number + 1)
        after = resident(served.pid)
        beside = await _page(person)
        for each in asking:
            each.cancel()
        await asyncio.wait(asking)
    return [
        Measure(f"memory of {AGENTS} agents with one waiting question each", (after - before) / 1000, None, "MB"),
        Measure("a page beside them, against one without them", beside, alone_, "ms"),
    ]


async def _ask(served: Program, api: Api, stack: AsyncExitStack, number: int) -> None:
    headers = {"Authorization": f"Bearer {await token(api, f'Agent {number}', patience=600)}"}
    http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=None))
    era = ERAS[number % 2]
    # This server asks in 2025-11-25 only.
    agent = ByHand(http, f"{served.base}/mcp/{Era.PUSH}", era)
    await agent.begin()
    await agent.result("tools/call", {"name": "ask_once", "arguments": {}})


async def _page(person: Person) -> float:
    """Return the median milliseconds of a page that lists no questions."""
    milliseconds = []
    for _each in range(PAGES):
        began = time.perf_counter()
        await person.page("/servers")
        milliseconds.append(1000 * (time.perf_counter() - began))
    return median(milliseconds)


if __name__ == "__main__":
    alone(measure)
