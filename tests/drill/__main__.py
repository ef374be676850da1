"""Runs the steps of the drill, and prints one line for each; `deploy/drill`."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from tests.drill.company import ProgramEndedError, company, older_source
from tests.drill.dialogue import Count, Dialogue
from tests.drill.readiness import Readiness
from tests.drill.steps import STEPS, Drill, throughput
from tests.mcp_servers import ROOT

OLDER = "1a9ace9"
"""The commit from which the drill upgrades: it has PostgreSQL and tokens of programs."""

UPGRADED = next(iter(STEPS))

COLUMNS = ("step", "asked", "answered", "lost", "doubled", "errors on the way", "not ready", "ready after repair")

AT_ONCE = (4, 16)
"""Questions that are kept open while the throughput is measured."""


async def main(options: argparse.Namespace) -> bool:
    """Run the chosen steps, and print the table; return whether no question was lost or doubled."""
    steps = options.step or list(STEPS)
    with TemporaryDirectory(prefix="drill") as name:
        folder = Path(name)
        if UPGRADED not in steps:
            return await _drill(options, steps, folder, ROOT)
        async with older_source(folder, options.older) as source:
            return await _drill(options, steps, folder, source)


async def _drill(options: argparse.Namespace, steps: list[str], folder: Path, source: Path) -> bool:
    async with company(folder, source) as parts:
        dialogue, readiness = Dialogue(parts.url, parts.tls), Readiness()
        tokens = [await parts.token(f"Program {number}") for number in range(options.programs)]
        drill = Drill(parts, dialogue, readiness, options.seconds, options.rate, options.away)
        async with dialogue.between(options.people, tokens):
            watching = asyncio.create_task(readiness.watch(parts))
            _print(COLUMNS)
            _print(["---"] * len(COLUMNS))
            outcomes = [await _step(name, drill) for name in steps]
            watching.cancel()
            if options.throughput:
                await _throughput(dialogue, options.seconds)
        return all(outcomes)


async def _step(name: str, drill: Drill) -> bool:
    drill.dialogue.count = count = Count()
    drill.readiness.begin()
    ended = await _run(STEPS[name], drill)
    await drill.dialogue.settle()
    doubled, lost = drill.dialogue.doubled(), count.started - count.answered
    errors = ", ".join([f"{number} × {kind}" for kind, number in count.errors.most_common()] + ended) or "none"
    _print([name, count.started, count.answered, lost, doubled, errors, *drill.readiness.said()])
    return not lost and not doubled and not ended


async def _run(step: Callable[[Drill], Awaitable[None]], drill: Drill) -> list[str]:
    """Run a step; if the program ended for good in it, start it as an operator would, and return that."""
    try:
        await step(drill)
    except ProgramEndedError as error:
        sys.stderr.write(f"{error}\n")
        await drill.company.service.start()
        return ["the program ended for good"]
    return []


async def _throughput(dialogue: Dialogue, seconds: float) -> None:
    dialogue.be_quick()
    for at_once in AT_ONCE:
        dialogue.count = Count()
        used, begun = os.times(), time.monotonic()
        rate = await throughput(dialogue, seconds, at_once)
        now, lasted = os.times(), time.monotonic() - begun
        own = (now.user + now.system - used.user - used.system) / lasted
        _middle, slow = median(dialogue.count.seconds), quantiles(dialogue.count.seconds, n=20)[-1]
        sys.stdout.write(
            f"\n{at_once} questions open: {rate:.0f} answered each second; asked to answered {_middle * 1000:.0f} ms "
            f"(median), {slow * 1000:.0f} ms (p95); the drill itself took {own:.0%} of a core, "
            f"load average {os.getloadavg()[0]:.1f}\n"
        )


def _print(cells: list[object] | tuple[str, ...]) -> None:
    sys.stdout.write(f"| {' | '.join(map(str, cells))} |\n")
    sys.stdout.flush()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("deploy/drill", description="Try each fault while programs ask and people answer.")
    parser.add_argument("--step", action="append", choices=STEPS, help="only this step; repeatable")
    parser.add_argument("--seconds", type=float, default=8, help="ask so long before and after each fault")
    parser.add_argument("--rate", type=float, default=5, help="questions each second")
    parser.add_argument("--away", type=float, default=60, help="seconds for which PostgreSQL is away")
    parser.add_argument("--people", type=int, default=20, help="people with an open page")
    parser.add_argument("--programs", type=int, default=8, help="programs with a token")
    parser.add_argument("--older", default=OLDER, help="the commit from which to upgrade")
    parser.add_argument("--throughput", action="store_true", help="measure how many questions are answered a second")
    return parser.parse_args()


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    # As Ctrl-C, so that all parts are stopped.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(0 if asyncio.run(main(_options())) else 1)
