"""The cost of agents that send too much: the memory of the program, and the pages of another user meanwhile.

`python -m bench.floods` runs it with full figures, which takes half an hour; `--part 0.1` takes a tenth of each, and
`--only calls` those with that word in their name.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from bench.measures import used_seconds
from tests.gateway.floods import Flooded, body, calls, flooded, proposals, retries

CALLS = 10_000
BYTES = 10**9
TOOLS = 5_000
RETRIES = 3_600
PATIENCE = 0.15
"""Seconds for which the agent that retries waits: it has no need of the whole hour."""


async def _listed(found: Flooded, number: int) -> object:
    async with found.agent("large") as agent:
        return [len((await agent.result("tools/list"))["tools"]) for _again in range(number)][-1]


async def _measure(name: str, tools: int, flood: Callable[[Flooded], Awaitable[object]]) -> None:
    with TemporaryDirectory() as folder:
        async with flooded(Path(folder), tools) as found:
            before, began, used = found.megabytes, monotonic(), used_seconds(found.running.pid)
            async with found.timed():
                outcome = await flood(found)
            seconds, more = monotonic() - began, found.megabytes - before
            worked = used_seconds(found.running.pid) - used
            pages = f"{len(found.beside)}, p50 {found.percent(50):.0f} ms, p99 {found.percent(99):.0f} ms"
            sys.stdout.write(
                f"{name}: {seconds:.0f} s, {worked:.0f} s of the processor, {more:+.0f} MB; "
                f"pages of another user: {pages}; {outcome}\n"
            )
            sys.stdout.flush()


async def _all(part: float, only: str) -> None:
    floods: dict[str, tuple[int, Callable[[Flooded], Awaitable[object]]]] = {
        "one page after the other": (1, lambda _found: asyncio.sleep(10)),
        "a body of 1 GB, announced": (1, lambda found: body(found, int(part * BYTES), announced=True)),
        "a body of 1 GB, in chunks": (1, lambda found: body(found, int(part * BYTES), announced=False)),
        "a catalog of 5,000 tools, 100 times": (int(part * TOOLS), lambda found: _listed(found, 100)),
        "3,600 retries": (1, lambda found: retries(found, int(part * RETRIES), PATIENCE)),
        "10,000 equal proposals, then approved": (1, lambda found: proposals(found, int(part * CALLS))),
        "10,000 calls": (1, lambda found: calls(found, int(part * CALLS))),
    }
    for name, (tools, flood) in floods.items():
        if only in name:
            await _measure(name, tools, flood)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=float, default=1.0)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    asyncio.run(_all(given.part, given.only))


if __name__ == "__main__":
    main()
