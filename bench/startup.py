"""How long a start takes: the process until it is ready, against Python importing what it stands on."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median

import anyio

from bench.measures import Measure
from tests.program import program

TIMES = 5


async def measure(folder: Path) -> list[Measure]:
    """Return the measure."""
    ours, yardstick = [], []
    for number in range(TIMES):
        started = time.perf_counter()
        await anyio.run_process([sys.executable, "-c", "import mcp, fastapi"])
        yardstick.append(time.perf_counter() - started)
        place = folder / f"start{number}"
        place.mkdir()
        started = time.perf_counter()
        async with program(place, forked=False):
            ours.append(time.perf_counter() - started)
    return [Measure("process ready, against import mcp, fastapi", median(ours) * 1000, median(yardstick) * 1000, "ms")]
