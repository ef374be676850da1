"""The processor time that the program takes for a question and its answer: through the API, and with three open pages.

`python -m bench.processor` runs this alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from bench.asking import TIMES, rate
from bench.measures import SERVER, Measure, alone, used_seconds
from bench.users import SERVERS, Delays, Visitor, serving_many
from tests.program import program

AT_ONCE = 10
"""Calls that ask at the same time, in the second part."""


async def measure(folder: Path) -> list[Measure]:
    """Return the measures."""
    place = folder / "processor"
    for name in ("api", "pages"):
        (place / name).mkdir(parents=True)
    one, ten = await _api(place / "api")
    pages = await _pages(place / "pages")
    return [
        Measure("a question and its answer through the API: processor time", one, None, "ms"),
        Measure(f"the same, {AT_ONCE} at once", ten, None, "ms"),
        Measure(f"the same, {SERVERS} servers and three open pages", pages, None, "ms"),
    ]


async def _api(place: Path) -> tuple[float, float]:
    async with program(place, servers={"bench": SERVER}, forked=False) as served, served.client() as api:
        await rate(api, 1)
        one = await _used(served.pid, lambda: rate(api, 1))
        return one, await _used(served.pid, lambda: rate(api, AT_ONCE))


async def _pages(place: Path) -> float:
    async with serving_many(place) as served:
        visitor = Visitor(served, "first")
        await visitor.arrive()

        async def answer() -> None:
            for _each in range(TIMES):
                await visitor.answer_one(Delays())

        await answer()
        spent = await _used(served.pid, answer)
        await visitor.leave()
        return spent


async def _used(pid: int, work: Callable[[], Awaitable[object]]) -> float:
    """Do the work for `TIMES` questions; return the milliseconds of each."""
    before = used_seconds(pid)
    await work()
    return 1000 * (used_seconds(pid) - before) / TIMES


if __name__ == "__main__":
    alone(measure)
