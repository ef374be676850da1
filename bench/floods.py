"""The cost of agents that send too much: the memory of the program, and the pages of another user meanwhile.

`python -m bench.floods` runs it with full figures, which takes half an hour; `--part 0.1` takes a tenth of each.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from tests.gateway.floods import Flooded, body, calls, flooded, retries

CALLS = 10_000
BYTES = 10**9
TOOLS = 5_000
RETRIES = 3_600
PATIENCE = 0.3
"""Seconds for which the agent that retries waits: it has no need of the whole hour."""


async def _listed(found: Flooded, number: int) -> object:
    async with found.agent("large") as agent:
        return [len((await agent.result("tools/list"))["tools"]) for _again in range(number)][-1]


async def _measure(name: str, tools: int, flood: Callable[[Flooded], Awaitable[object]]) -> None:
    with TemporaryDirectory() as folder:
        async with flooded(Path(folder), tools) as found:
            before, began = found.megabytes, monotonic()
            async with found.timed():
                outcome = await flood(found)
            seconds, more = monotonic() - began, found.megabytes - before
            pages = f"p50 {found.percent(50):.0f} ms, p99 {found.percent(99):.0f} ms"
            sys.stdout.write(f"{name}: {seconds:.0f} s, {more:+.0f} MB; pages of another user: {pages}; {outcome}\n")
            sys.stdout.flush()


async def _all(part: float) -> None:
    await _measure("one page after the other", 1, lambda _found: asyncio.sleep(10))
    await _measure("a body of 1 GB, announced", 1, lambda found: body(found, int(part * BYTES), announced=True))
    await _measure("a body of 1 GB, in chunks", 1, lambda found: body(found, int(part * BYTES), announced=False))
    await _measure("a catalog of 5,000 tools, 100 times", int(part * TOOLS), lambda found: _listed(found, 100))
    await _measure("3,600 retries", 1, lambda found: retries(found, int(part * RETRIES), PATIENCE))
    await _measure("10,000 calls", 1, lambda found: calls(found, int(part * CALLS)))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=float, default=1.0)
    asyncio.run(_all(parser.parse_args().part))


if __name__ == "__main__":
    main()
