"""Runs all measurements and prints one line for each; `make bench`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import anyio

from bench import asking, cards, forms, many, memory, page, startup, storing
from bench.measures import SERVER
from tests.program import program


async def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measures = await startup.measure(folder)
        async with program(folder, servers={"bench": SERVER}, forked=False) as served:
            measures += await page.measure(served)
            measures += await asking.measure(served)
            measures += await cards.measure(served)
        measures += await storing.measure(folder)
        measures += await many.measure(folder)
        measures += await memory.measure(folder)
    measures += forms.measure()
    print(*measures, sep="\n")


if __name__ == "__main__":
    anyio.run(main)
