"""One randomised run: so many steps by a seed, looks at everything in between, and an end at which all is settled."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from unittest.mock import patch

from tests import forks
from tests.model import leaks, rules
from tests.model.agents import leave
from tests.model.doing import Doing
from tests.model.ledger import Ledger
from tests.model.scene import Scene
from tests.model.steps import step
from tests.model.world import WITNESS, World, world
from webclient.domain.errors import ConflictError
from webclient.domain.model import Json
from webclient.store import StorageError

PATIENCE = 60.0
"""Seconds after which what should have come right is taken to stay wrong; a machine that is busy takes its time."""

PAUSE = 0.03
"""Seconds between two looks while something is wrong that may come right by itself."""

LOOKS = 40
"""Steps between two looks at everything, on average."""

REPORTED = 30
"""Steps that are reported of a run that failed."""


class BrokenRuleError(AssertionError):
    """Something does not hold that must; the message has the last steps, and how to do them again."""


class Run:
    """Does `steps` steps by `seed`, on the PostgreSQL at `url` or SQLite, and passes a line about each to `report`."""

    program = "tests.model"
    witness = WITNESS
    looks = LOOKS

    def __init__(
        self, seed: int, steps: int, report: Callable[[str], None] = lambda _line: None, *, url: str | None = None
    ) -> None:
        self._url = url
        self._seed = seed
        self._steps = steps
        self._again = f"--steps {steps}"
        self._report = report
        self._random = Random(seed)  # noqa: S311  (nothing secret)
        self._ledger = Ledger()
        self._trace: list[str] = []
        self._unexpected: list[str] = []
        self._seats: dict[str, str] = {}

    async def go(self) -> None:
        """Do it. Raises BrokenRuleError for what does not hold."""
        asyncio.get_running_loop().set_exception_handler(self._went_wrong)
        forks.ready()
        before = leaks.snapshot()
        with _logged(self._unexpected):
            await self._run()
        self._judge(self._unexpected + await leaks.since(before))

    async def _run(self) -> None:
        with tempfile.TemporaryDirectory(prefix="model") as folder:
            async with world(Path(folder), self._url, self.witness) as around:
                self._seats = {(await around.server(seat)).id: seat for seat in around.seats}
                await self._through(around)

    async def _through(self, around: World) -> None:
        do = Doing(around, self._ledger, self._random)
        around.on_agent_call = self._ledger.begun_by_agent
        for number in range(1, self._steps + 1):
            self._note(number, await self._step(do))
            if self._random.random() < 1 / self.looks:
                await do.quiet()
                await self._look(around, rules.at_rest)
        await do.quiet()
        await self._look(around, rules.at_rest)
        await self._end(around)
        await leave(do)
        await self._look(around, rules.at_rest)
        await self._look(around, rules.at_the_end)

    async def _step(self, do: Doing) -> str:
        return await step(do)

    async def _end(self, around: World) -> None:
        for call in await around.calls():
            if not call.state.ended:
                self._ledger.cancelled.add(call.id)
                with suppress(ConflictError):
                    await around.services.calls.cancel(call)
        for seat in around.seats:
            self._ledger.troubles[seat] += 1
            await around.services.connections.disconnect(await around.server(seat))

    def _note(self, number: int, line: str) -> None:
        self._trace.append(f"{number:5} {line}")
        self._report(self._trace[-1])

    async def _look(self, around: World, resting: Callable[[Scene], Iterator[str]]) -> None:
        """Wait until nothing is wrong any more that may come right by itself; what may not must hold at once."""
        try:
            async with asyncio.timeout(PATIENCE):
                while wrong := await self._wrong(around, resting):  # noqa: ASYNC110  (no event says that a witness wrote)
                    await asyncio.sleep(PAUSE)
        except TimeoutError:
            self._judge(wrong)
        self._ledger.before = Counter(self._ledger.troubles)

    async def _wrong(self, around: World, resting: Callable[[Scene], Iterator[str]]) -> list[str]:
        # What the witnesses say is older than what the database says of it.
        for seat in around.seats.values():
            seat.testimony.read(self._ledger.before[seat.name])
        requests = await around.requests()
        for request in requests:
            self._ledger.first_seen.setdefault(request.id, self._ledger.before[self._seats[request.server_id]])
        testimony = {seat.name: seat.testimony for seat in around.seats.values()}
        scene = Scene(self._ledger, testimony, self._seats, requests, await around.calls(), around.moves())
        self._judge(self._unexpected + list(rules.always(scene)))
        return list(resting(scene))

    def _went_wrong(self, _loop: asyncio.AbstractEventLoop, context: Json) -> None:
        # What was going on when the program was killed finds no database.
        if not isinstance(context.get("exception"), StorageError):
            about = context.get("exception") or context.get("task") or context.get("future")
            self._unexpected.append(f"{context['message']}: {about!r}")

    def _judge(self, wrong: Sequence[str]) -> None:
        if wrong:
            last = self._trace[-REPORTED:]
            earlier = [line for line in self._trace[:-REPORTED] if "nothing" not in line]
            about = [line for line in earlier if any(word in wrong[0] for word in line.split()[2:3])]
            again = f"python -m {self.program} --seed {self._seed} {self._again}"
            raise BrokenRuleError("\n".join([*wrong, "", again, "", *about, "...", *last]))


class _Log(logging.Handler):
    """Takes the errors that the program logs as such of the run."""

    def __init__(self, unexpected: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._unexpected = unexpected

    def emit(self, record: logging.LogRecord) -> None:
        """Take one."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, StorageError):
            self._unexpected.append(f"{record.getMessage()}: {error!r}")


@contextmanager
def _logged(unexpected: list[str]) -> Iterator[None]:
    """Take what the program logs in the block; what the SDK logs of a line that was cut is nothing new."""
    ours, sdk, handler = logging.getLogger("webclient"), logging.getLogger("mcp"), _Log(unexpected)
    ours.addHandler(handler)
    with patch.object(ours, "propagate", False), patch.object(sdk, "disabled", True):
        others = [logging.getLogger(name) for name in logging.root.manager.loggerDict if name.startswith("mcp.")]
        with ExitStack() as stack:
            for each in others:
                stack.enter_context(patch.object(each, "disabled", True))
            yield
    ours.removeHandler(handler)
