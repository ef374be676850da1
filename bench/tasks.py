"""Two hundred tasks that are polled at once, and one alone: how much of a processor that takes."""

from __future__ import annotations

from pathlib import Path

import anyio

from bench.measures import Measure, alone, used_seconds
from tests.mcp_servers import running
from tests.program import Api, program

TASKS = 200
SECONDS = 20
"""How long each is measured: a poll of every task comes several times."""


async def measure(folder: Path) -> list[Measure]:
    """Return the measures; the server wishes to be asked twice a second about the many, and as usual about the one."""
    place = folder / "tasks"
    place.mkdir()
    async with running("tasks") as server:
        servers = {"it": {"url": server.address}}
        async with program(place, servers=servers, forked=False) as served, served.client() as api:
            await api.server("it")
            idle = await _share(served.pid)
            await _begin(api, 1, 5000)
            one = await _share(served.pid)
            await _begin(api, TASKS, 500)
            many = await _share(served.pid)
    return [
        Measure(f"{TASKS} tasks that are polled at once: of one processor", 100 * (many - idle), None, "%"),
        Measure("one task that is polled every 5 s: of one processor", 100 * max(one - idle, 0), None, "%"),
    ]


async def _begin(api: Api, count: int, milliseconds: int) -> None:
    """Begin calls that run as tasks, and wait until all of them do."""
    started = [await api.call("it", "run", {"pollIntervalMs": milliseconds}) for _ in range(count)]
    for call in started:
        while "task" not in (await api.get(f"/calls/{call['id']}")).json():  # noqa: ASYNC110  (no event says so)
            await anyio.sleep(0.1)


async def _share(pid: int) -> float:
    """Return the share of a processor that the process uses."""
    # What was just begun is over by then.
    await anyio.sleep(2)
    before = used_seconds(pid)
    await anyio.sleep(SECONDS)
    return (used_seconds(pid) - before) / SECONDS


if __name__ == "__main__":
    alone(measure)
