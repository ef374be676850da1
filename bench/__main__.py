"""Runs all measurements and prints one line for each; `make bench`."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import anyio

from bench import (
    asking,
    cards,
    forms,
    gateway,
    many,
    memory,
    page,
    pages,
    peers,
    processor,
    startup,
    store,
    tasks,
    users,
)
from bench.measures import SERVER, Measure
from tests.program import program


async def main() -> None:
    """Measure, and print each part as soon as it is known: all of it takes twenty-five minutes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _print(await startup.measure(folder))
        async with program(folder, servers={"bench": SERVER}, forked=False) as served:
            for of_program in (page, asking, cards):
                _print(await of_program.measure(served))
        for of_folder in (peers, gateway, store, pages, many, tasks, memory, processor, users):
            _print(await of_folder.measure(folder))
    _print(forms.measure())


def _print(measures: Sequence[Measure]) -> None:
    print(*measures, sep="\n", flush=True)


if __name__ == "__main__":
    anyio.run(main)
