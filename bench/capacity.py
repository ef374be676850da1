"""How many users one process serves: each with the inbox open, and asked once a minute.

`python -m bench.capacity` lets more and more of them come, until a question needs more than 200 ms to its row in the
page, or an answer to the server's tool, at the 99th percentile, twice in a row. That takes a quarter
of an hour or more, so `make bench` leaves it out.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from functools import partial
from pathlib import Path

from bench.measures import Measure, alone, resident, spread, used_seconds
from bench.users import Delays, Visitor, serving_many
from tests.load import together
from tests.program import Program

STEP = 100
"""Users who come before each part."""

MINUTE = 60.0
"""Each user is asked once in this time, at a moment of their own, and answers as soon as the page shows it."""

LIMIT = 200.0
"""Milliseconds that the 99th percentile may be."""


async def measure(folder: Path, step: int = STEP) -> list[Measure]:
    """Return the measures of each part, the last of which is beyond the limit."""
    lines: list[Measure] = []
    visitors: list[Visitor] = []
    async with serving_many(folder, 1) as served:
        while True:
            number = len(visitors)
            coming = [Visitor(served, f"user {number + each}", servers=1, pages=["/"]) for each in range(step)]
            await together(Visitor.arrive, coming)
            visitors += coming
            lines += await _part(served, visitors)
            # Of a hundred, the 99th percentile is the slowest but one: an accident does not come twice in a row.
            if _is_beyond(lines):
                lines += await _part(served, visitors)
                if _is_beyond(lines):
                    break
        await together(Visitor.leave, visitors)
    return lines


async def _part(served: Program, visitors: list[Visitor]) -> list[Measure]:
    delays, dice = Delays(), random.Random(len(visitors))  # noqa: S311  (moments)

    async def answer(visitor: Visitor) -> None:
        await asyncio.sleep(dice.uniform(0, MINUTE))
        await visitor.answer_one(delays)

    used = used_seconds(served.pid)
    await asyncio.gather(*map(answer, visitors))
    share = (used_seconds(served.pid) - used) / MINUTE
    return [
        Measure(f"{len(visitors)} users: of one processor", 100 * share, None, "%"),
        Measure("the same: memory", resident(served.pid) / 1000, None, "MB"),
        spread("the same: sent question to its row in the page", delays.to_page),
        spread("the same: posted answer to server", delays.to_server),
    ]


def _is_beyond(lines: list[Measure]) -> bool:
    return any(line.p99 is not None and line.p99 > LIMIT for line in lines[-2:])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=STEP, help="users who come before each part")
    alone(partial(measure, step=parser.parse_args().step))
