"""How long a start takes: the process until it is ready, against Python importing its libraries.

`python -m bench.startup` runs this alone.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median

import anyio

from bench.measures import Measure, alone
from tests.program import program

TIMES = 5


async def measure(folder: Path) -> list[Measure]:
    """Return the measures: with a data folder that must be made, and with one that is there."""
    first, later, yardstick = [], [], []
    for number in range(TIMES):
        started = time.perf_counter()
        await anyio.run_process([sys.executable, "-c", "import mcp, fastapi"])
        yardstick.append(time.perf_counter() - started)
        place = folder / f"start{number}"
        place.mkdir()
        first.append(await _seconds(place))
        later.append(await _seconds(place))
    return [
        Measure(
            f"process ready, {name}, against import mcp, fastapi", median(ours) * 1000, median(yardstick) * 1000, "ms"
        )
        for name, ours in (("first start", first), ("later starts", later))
    ]


async def _seconds(place: Path) -> float:
    started = time.perf_counter()
    async with program(place, forked=False):
        return time.perf_counter() - started


if __name__ == "__main__":
    alone(measure)
