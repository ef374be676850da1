"""Measures what it costs that a user lives on another process than the one that is asked.

`python -m bench.nodes` runs this alone: two processes share a PostgreSQL, and requests go to either in turn. With
`--users 2000` it measures in their place what a question costs where so many users have a stream open, on four nodes
and on one.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median

from bench.measures import SERVER, Measure, alone, used_seconds
from tests.cluster.nodes import USER, Cluster, Node, cluster
from tests.mcp_servers import STATE_KEY, running
from tests.postgresql import PostgreSQL
from tests.program import Api
from webclient.domain.model import Json

TIMES = 60

NODES = 4

SAMPLE = 200
"""Users whose calls ask one question in each part."""

PARTS = 3
"""Times that the same is measured; the median counts."""

AT_ONCE = 20
"""Users who come at the same time; a fifth of them are asked at the same time."""

IDLE = 10.0
"""Seconds without a question: what they cost is not counted."""

_RETRY_AFTER = re.compile(rb"\r\nretry-after: (\d+)\r\n")


async def measure(folder: Path) -> list[Measure]:
    """Return the measures."""
    with closing(PostgreSQL(durable=True)) as server, server.database() as name:
        async with cluster(folder, server.url(name), 2, {"asking": SERVER}) as nodes:
            return await _measured(nodes)


async def _measured(nodes: Cluster) -> list[Measure]:
    at_home, elsewhere = nodes.nodes
    async with at_home.api("ada") as home, elsewhere.api("ada") as away:
        await home.server("asking")
        return [
            await _compared("a small answer of the API from another process", home, away, lambda api: api.get("/me")),
            await _compared("the first page", home, away, lambda api: api.get(f"{str(api.base_url)[:-7]}")),
            await _compared("a question asked and answered", home, away, lambda api: _answered(home, api)),
        ]


async def _compared(name: str, home: Api, away: Api, act: Callable[[Api], Awaitable[object]]) -> Measure:
    seconds: dict[int, list[float]] = {0: [], 1: []}
    for number in range(TIMES * 2):
        began = time.perf_counter()
        await act((home, away)[number % 2])
        seconds[number % 2].append(time.perf_counter() - began)
    here, there = (1000 * median(seconds[which][5:]) for which in (0, 1))
    return Measure(name, there, here, "ms")


async def _answered(home: Api, api: Api) -> None:
    """Have a call ask on its own process; find the question and answer it where the person is."""
    call: Json = await home.call("asking", "ask_once")
    [request] = await api.pending_requests(call)
    await api.answer(request, action="decline")
    await api.in_state(call, "done")


async def measure_many(folder: Path, users: int) -> list[Measure]:
    """Return what a question costs with so many users, on several nodes and on one."""
    spent: dict[int, tuple[float, float]] = {}
    for count in (1, NODES):
        (folder / str(count)).mkdir()
        with closing(PostgreSQL(durable=True)) as database, database.database() as name:
            async with running(arguments=["--state-key", STATE_KEY]) as server:
                servers = {"asking": {"type": "http", "url": server.address, "era": "2026-07-28"}}
                async with cluster(folder / str(count), database.url(name), count, servers) as nodes:
                    spent[count] = await _with_streams(nodes, users)
    alone_at_home, alone_again = spent[1]
    at_home, anywhere = spent[NODES]
    named = f"a question, {users:,} open streams on {NODES} nodes: processor time"
    return [
        Measure(named, at_home, alone_at_home, "ms"),
        Measure("the same, each request at any node", anywhere, alone_again, "ms"),
    ]


async def _with_streams(nodes: Cluster, users: int) -> tuple[float, float]:
    """Return the milliseconds of a question of users who ask at their own node, and at any."""
    places = asyncio.Semaphore(AT_ONCE)
    count = len(nodes.nodes)

    async def come(number: int) -> asyncio.StreamWriter:
        async with places:
            return await _stream(nodes.nodes[number % count], f"user-{number}")

    writers = await asyncio.gather(*(come(number) for number in range(users)))

    def at_home(number: int) -> Node:
        return nodes.nodes[number % count]

    def anywhere(number: int) -> Node:
        return nodes.nodes[(number + number // count) % count]

    await _spent(nodes, at_home)  # to become warm
    # In turns, as a collection of garbage in so large a process may take as long as twenty questions.
    parts = [(await _spent(nodes, at_home), await _spent(nodes, anywhere)) for _part in range(PARTS)]
    for writer in writers:
        writer.close()
    home, any_node = zip(*parts, strict=True)
    return median(home), median(any_node)


async def _stream(node: Node, user: str) -> asyncio.StreamWriter:
    host, port = node.url.removeprefix("http://").split(":")
    while True:
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"GET /api/v1/events HTTP/1.1\r\nHost: {host}:{port}\r\n{USER}: {user}\r\n\r\n".encode())
        first = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " in first.partition(b"\r\n")[0]:
            return writer
        # A node that is late moves its users, and a busy database puts them off; a browser connects again as well.
        pause = _RETRY_AFTER.search(first)
        assert pause, first
        writer.close()
        await asyncio.sleep(int(pause[1]))


async def _spent(nodes: Cluster, node_of: Callable[[int], Node]) -> float:
    places = asyncio.Semaphore(AT_ONCE // 5)

    async def ask(number: int) -> None:
        async with places, node_of(number).api(f"user-{number}") as api:
            call: Json = await api.call("asking", "ask_form")
            [request] = await api.pending_requests(call)
            await api.answer(request, action="decline")
            await api.in_state(call, "done")

    idle = await _used(nodes, lambda: asyncio.sleep(IDLE))
    began = time.perf_counter()
    used = await _used(nodes, lambda: asyncio.gather(*(ask(number) for number in range(SAMPLE))))
    return 1000 * (used - idle / IDLE * (time.perf_counter() - began)) / SAMPLE


async def _used(nodes: Cluster, act: Callable[[], Awaitable[object]]) -> float:
    before = sum(used_seconds(node.pid) for node in nodes.nodes)
    await act()
    return sum(used_seconds(node.pid) for node in nodes.nodes) - before


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=0)
    users = parser.parse_args().users
    alone(partial(measure_many, users=users) if users else measure)
