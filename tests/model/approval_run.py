"""A randomised run of approvals: what agents propose is decided, edited, repeated and cut off; the servers count.

`python -m tests.model.approval_run --seed N --proposals N` does a run until so many calls were proposed, and prints how
often each end was reached; with 10,000 it takes hours.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.model import approval_rules
from tests.model.agents import leave
from tests.model.approval_rules import ApprovalScene
from tests.model.approval_steps import RULES, step
from tests.model.doing import Doing
from tests.model.run import BrokenRuleError, Run
from tests.model.world import World
from webclient.domain.model import LOCAL_USER, Json

RARELY = 200
"""Steps between two looks of a long run, which read everything, on average."""

LONG = 2_000
"""Proposals from which on a run is long."""


class ApprovalRun(Run):
    """Does steps by `seed` until so many calls were proposed."""

    program = "tests.model.approval_run"
    witness = "tests.model.approval_witness"

    def __init__(self, seed: int, proposals: int, report: Callable[[str], None] = lambda _line: None) -> None:
        super().__init__(seed, proposals, report)
        self._again = f"--proposals {proposals}"
        self.looks = RARELY if proposals >= LONG else self.looks
        self.ends: Mapping[str, int] = {}

    async def _through(self, around: World) -> None:
        do = Doing(around, self._ledger, self._random)
        around.on_agent_call = self._ledger.begun_by_agent
        await around.services.store.rules.change(LOCAL_USER, lambda _before: RULES[:1])
        number = 0
        while len(self._ledger.calls) < self._steps:
            number += 1
            self._note(number, await step(do))
            if self._random.random() < 1 / self.looks:
                await do.quiet()
                await self._look(around, lambda _scene: iter(()))
        await do.quiet()
        await self._end(around)
        await leave(do)
        await self._look(around, lambda _scene: iter(()))
        self.ends = approval_rules.tally(await self._scene(around))

    async def _wrong(self, around: World, resting: Callable[[Any], Iterator[str]]) -> list[str]:
        del resting
        scene = await self._scene(around)
        self._judge(self._unexpected + list(approval_rules.always(scene)))
        return list(approval_rules.at_rest(scene))

    async def _scene(self, around: World) -> ApprovalScene:
        # What the servers say is older than what the database says of it.
        scene = ApprovalScene(self._ledger, _runs(around))
        scene.add(await around.calls(), await around.requests())
        return scene


def _runs(around: World) -> Mapping[str, list[Json]]:
    """Return what the servers ran, by tag."""
    found: defaultdict[str, list[Json]] = defaultdict(list)
    for seat in around.seats.values():
        path = seat.testimony.path
        for line in path.read_bytes().split(b"\n")[:-1] if path.exists() else ():
            run = json.loads(line)
            found[run["arguments"]["tag"]].append(run | {"seat": seat.name})
    return found


def main() -> None:
    """Do a run as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--proposals", type=int, default=300)
    parser.add_argument("--quiet", action="store_true", help="print the ends alone")
    options = parser.parse_args()
    run = ApprovalRun(options.seed, options.proposals, (lambda _line: None) if options.quiet else print)
    try:
        asyncio.run(run.go())
    except BrokenRuleError as broken:
        sys.exit(str(broken))
    for end, times in sorted(Counter(run.ends).items()):
        print(f"{times:8} {end}")  # noqa: T201


if __name__ == "__main__":
    main()
