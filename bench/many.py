"""Fifty connections with a thousand calls that all wait for a person: how long it takes, and how the rest goes on."""

from __future__ import annotations

import time
from pathlib import Path

from bench.measures import Measure, percentile, resident
from tests.load import answer, ask, connected, lag, many_servers
from tests.mcp_servers import running
from tests.pages.person import Person
from tests.program import program

CONNECTIONS = 50
CALLS = 1000


async def measure(folder: Path) -> list[Measure]:
    """Return the measures."""
    place = folder / "many"
    place.mkdir()
    async with (
        running() as asker,
        program(place, servers=many_servers(asker, CONNECTIONS), forked=False) as served,
        served.client() as api,
        Person(served) as person,
    ):
        servers = await connected(api, CONNECTIONS)
        before = resident(served.pid)
        async with lag(served.base) as milliseconds:
            started = time.perf_counter()
            requests = await ask(api, servers, CALLS)
            pending = time.perf_counter()
            await person.page("/")
            shown = time.perf_counter()
            memory = resident(served.pid) - before
            calls = await answer(api, requests)
            answered = time.perf_counter()
    assert len({call["id"] for call in calls}) == CALLS
    return [
        Measure(f"{CALLS:,} calls on {CONNECTIONS} connections: until all wait", pending - started, None, "s"),
        Measure("the same: the inbox, of its first 200 cards", (shown - pending) * 1000, None, "ms"),
        Measure("the same: until all are answered and done", answered - shown, None, "s"),
        Measure("the same: an answer to /healthz meanwhile, p99", percentile(milliseconds, 99), None, "ms"),
        Measure("the same: the longest meanwhile", max(milliseconds), None, "ms"),
        Measure("the same: memory of one call that waits", memory / CALLS, None, "kB"),
    ]
