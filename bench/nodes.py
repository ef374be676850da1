"""Measures what it costs that a user lives on another process than the one that is asked.

`python -m bench.nodes` runs this alone: two processes share a PostgreSQL, and requests go to either in turn.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from statistics import median

from bench.measures import SERVER, Measure, alone
from tests.cluster.nodes import Cluster, cluster
from tests.postgresql import PostgreSQL
from tests.program import Api
from webclient.domain.model import Json

TIMES = 60


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


if __name__ == "__main__":
    alone(measure)
