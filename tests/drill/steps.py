"""The steps of the drill: what fails in each, and how it comes back."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path

from tests.deploy.page_commands import commands, run
from tests.drill.company import Company
from tests.drill.dialogue import Dialogue
from tests.drill.readiness import Readiness
from tests.mcp_servers import ROOT

LATER = 15.0
"""Seconds after the program for which PostgreSQL is started: longer than the program takes to look for it."""


@dataclass(frozen=True, slots=True)
class Drill:
    """Parts of a step, and how long they take."""

    company: Company
    dialogue: Dialogue
    readiness: Readiness
    seconds: float
    """For which questions are asked before and after the fault."""

    rate: float
    away: float
    """Seconds for which PostgreSQL is away in the step of that name."""

    async def ask(self) -> None:
        """Ask at the usual rate for the usual time."""
        await self.dialogue.ask_for(self.seconds, self.rate)

    async def during(self, fault: Callable[[], Coroutine[None, None, None]]) -> None:
        """Ask before, during and after a fault."""
        await self.ask()
        injected = asyncio.create_task(fault())
        while not injected.done():
            await self.dialogue.ask_for(1, self.rate)
        await injected
        await self.ask()

    async def let_requests_wait(self) -> None:
        """Have questions wait for people who do not answer, until `resume`."""
        self.dialogue.hold()
        await self.ask()
        await asyncio.sleep(1)


async def nothing(drill: Drill) -> None:
    """Ask without any fault, to compare the others with."""
    await drill.ask()


async def postgresql_restarted(drill: Drill) -> None:
    """Restart PostgreSQL with `-m fast`: connections are closed in order."""
    await drill.during(lambda: _postgresql_away(drill, 0))


async def postgresql_crashed(drill: Drill) -> None:
    """Stop PostgreSQL with `-m immediate`, as a crash does; it recovers at its start."""
    await drill.during(lambda: _postgresql_away(drill, 0, crashing=True))


async def postgresql_away(drill: Drill) -> None:
    """Stop PostgreSQL for a minute."""
    await drill.during(lambda: _postgresql_away(drill, drill.away))


async def _postgresql_away(drill: Drill, seconds: float, *, crashing: bool = False) -> None:
    await asyncio.to_thread(drill.company.postgresql.stop, crashing=crashing)
    await asyncio.sleep(seconds)
    await asyncio.to_thread(drill.company.postgresql.start)
    drill.readiness.repaired()


async def provider_away(drill: Drill) -> None:
    """Stop the OpenID provider for a while; then sign a person in."""

    async def fault() -> None:
        await drill.company.provider.stop()
        await asyncio.sleep(drill.seconds)
        await drill.company.provider.start()
        await drill.dialogue.people[0].sign_in()

    await drill.during(fault)


async def proxy_restarted(drill: Drill) -> None:
    """Stop nginx, and start it again after a second."""

    async def fault() -> None:
        await drill.company.proxy.stop()
        await asyncio.sleep(1)
        await drill.company.proxy.start()
        drill.readiness.repaired()

    await drill.during(fault)


async def program_restarted(drill: Drill) -> None:
    """Restart the program in order."""

    async def fault() -> None:
        await drill.company.service.stop()
        await drill.company.service.start()

    await drill.during(fault)


async def program_killed(drill: Drill) -> None:
    """Kill the program; its supervisor starts it again."""
    await drill.during(drill.company.service.kill)


async def started_without_database(drill: Drill) -> None:
    """Start the program before PostgreSQL, as after a power failure."""

    async def fault() -> None:
        company = drill.company
        await company.service.stop()
        await asyncio.to_thread(company.postgresql.stop)
        await company.service.start(wait=False)
        await asyncio.sleep(LATER)
        await asyncio.to_thread(company.postgresql.start)
        drill.readiness.repaired()
        await company.service.until_ready()

    await drill.during(fault)


async def upgraded(drill: Drill) -> None:
    """Start this version on the database of an older one, while questions wait."""
    await drill.ask()
    await drill.let_requests_wait()
    await drill.company.service.stop()
    drill.company.service.source = ROOT
    await drill.company.service.start()
    drill.dialogue.resume()
    await drill.ask()


async def restored(drill: Drill) -> None:
    """Copy by docs/deploy.md while questions wait, lose the machine, and restore.

    Between the copy and the loss nothing is asked, because that would be in no copy.
    """
    company = drill.company
    backup, restore = commands("PostgreSQL")
    await drill.ask()
    await drill.let_requests_wait()
    await run(backup, company.folder)
    await company.service.stop()
    company.empty_database()
    await asyncio.to_thread(_empty, company.folder / "data")
    await run(restore, company.folder)
    await company.service.start()
    drill.dialogue.resume()
    await drill.ask()


def _empty(folder: Path) -> None:
    for each in folder.iterdir():
        if each.is_dir():
            shutil.rmtree(each)
        else:
            each.unlink()


STEPS: dict[str, Callable[[Drill], Awaitable[None]]] = {
    "upgraded with waiting questions": upgraded,
    "nothing fails": nothing,
    "PostgreSQL restarted": postgresql_restarted,
    "PostgreSQL crashed": postgresql_crashed,
    "PostgreSQL away": postgresql_away,
    "OpenID provider away": provider_away,
    "proxy restarted": proxy_restarted,
    "program restarted": program_restarted,
    "program killed": program_killed,
    "started before PostgreSQL": started_without_database,
    "backup, loss and restore": restored,
}
"""In this order: the upgrade begins with an older version, which is over after it."""


async def throughput(dialogue: Dialogue, seconds: float, at_once: int) -> float:
    """Keep so many questions open for a time; return how many were answered each second."""
    answered, begun = dialogue.count.answered, time.monotonic()

    async def one_after_the_other() -> None:
        while time.monotonic() - begun < seconds:
            await dialogue.ask()

    await asyncio.gather(*(one_after_the_other() for _ in range(at_once)))
    return (dialogue.count.answered - answered) / (time.monotonic() - begun)
