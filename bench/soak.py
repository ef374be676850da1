"""Minutes of mixed use of the real program, whose memory and open files must stay flat; `make soak MINUTES=5`.

Calls that ask in both eras are answered, declined, cancelled and withdrawn; pages are loaded, and their streams open,
break and come back. What is printed was measured; the end says whether it was flat, and so does the exit status: 0 for
flat, 1 for not flat, 2 for a run that was too short for a verdict.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations, count
from pathlib import Path
from statistics import median

import anyio

from bench.measures import resident
from tests.load import connected, many_servers
from tests.mcp_servers import running
from tests.pages.person import Person, messages, stream_of
from tests.program import Api, Program, program
from webclient.domain.model import Json

CONNECTIONS = 10
WORKERS = 6
PAGES = 5
PATIENCE = 60.0
"""Seconds in which what is under way at the end should be over."""

SAMPLE = 10.0
"""Seconds between two samples."""

WARM_UP = 120.0
"""Seconds whose samples do not count: modules, templates and statements are loaded, and caches fill."""

FEWEST = 12
"""Samples after that without which there is no verdict: two minutes of them."""

MOST_GROWTH = 1.0
"""Megabytes a minute by which memory may grow after the warm-up; samples of a few minutes resolve no less."""

MORE_FILES = 10
"""How many open files more there may be in the last third of the samples than in the first."""

ADA: Json = {"action": "accept", "content": {"name": "Ada"}}


@dataclass(frozen=True, slots=True)
class Sample:
    """The figures of one moment."""

    seconds: float
    megabytes: float
    files: int
    done: int


class Use:
    """People and programs that use it; `done` counts what they did."""

    def __init__(self, served: Program, api: Api, servers: list[Json], seed: int) -> None:
        self.done: Counter[str] = Counter()
        self.is_ending = False
        self._served = served
        self._api = api
        self._servers = servers
        self._random = random.Random(seed)  # noqa: S311  (nothing secret)
        self._names = count()

    async def work(self) -> None:
        """Do one thing after the other, until `is_ending`."""
        ways: list[Callable[[], Awaitable[None]]] = [
            self._answer,
            self._many,
            self._cancel,
            self._taken_back,
            self._look,
        ]
        while not self.is_ending:
            way = self._random.choice(ways)
            await way()
            self.done[way.__name__.strip("_")] += 1

    async def watch(self) -> None:
        """Open a stream, lose it, and reconnect with the last event id."""
        async with Person(self._served) as person:
            while True:
                stream = stream_of(await person.page("/"))
                headers: dict[str, str] = {}
                for _each in range(self._random.randint(1, 4)):
                    async with person.stream("GET", stream, headers=headers) as response:
                        received = messages(response)
                        for _message in range(self._random.randint(1, 40)):
                            event_id, _html = await anext(received)
                            headers = {"Last-Event-ID": event_id}
                self.done["stream"] += 1

    async def _answer(self) -> None:
        call = await self._call("ask_form")
        [request] = await self._api.pending_requests(call)
        answers: list[Json] = [ADA, {"action": "decline"}, {"action": "cancel"}]
        await self._api.answer(request, **self._random.choice(answers))
        await self._api.in_state(call, "done")

    async def _many(self) -> None:
        call = await self._call("ask_many", {"n": 3})
        for request in await self._api.pending_requests(call):
            await self._api.answer(request, **ADA)
        while call["state"] != "done":
            for request in (await self._api.json("GET", "/requests", params=_pending(call)))["requests"]:
                await self._api.answer(request, **ADA)
            call = await self._api.json("GET", f"/calls/{call['id']}", params={"wait": 1})

    async def _cancel(self) -> None:
        call = await self._call("ask_form")
        await self._api.pending_requests(call)
        await self._api.json("POST", f"/calls/{call['id']}/cancel")

    async def _taken_back(self) -> None:
        name = f"name {next(self._names)}"
        server = next(each for each in self._servers if each["era"] == "2025-11-25")
        call = await self._call("ask_then_cancel", {"name": name}, server)
        await self._api.pending_requests(call)
        await self._api.in_state(await self._call("release", {"name": name}, server), "done")
        await self._api.in_state(call, "done")

    async def _look(self) -> None:
        async with Person(self._served) as person:
            for path in ("/", "/calls", "/servers"):
                await person.page(path)

    async def _call(self, name: str, arguments: Json | None = None, server: Json | None = None) -> Json:
        server_id = (server or self._random.choice(self._servers))["id"]
        body = {"server_id": server_id, "kind": "tool", "name": name, "arguments": arguments or {}}
        call: Json = await self._api.json("POST", "/calls", 202, json=body)
        return call


def _pending(call: Json) -> dict[str, str]:
    return {"call_id": call["id"], "state": "pending"}


async def soak(minutes: float, seed: int) -> list[Sample]:
    """Use the program for so long and return the samples."""
    samples: list[Sample] = []
    with tempfile.TemporaryDirectory() as name:
        async with (
            running() as asker,
            program(Path(name), servers=many_servers(asker, CONNECTIONS), forked=False) as served,
            served.client() as api,
        ):
            await connected(api, CONNECTIONS)
            servers = (await api.json("GET", "/servers"))["servers"]
            use = Use(served, api, servers, seed)
            async with asyncio.TaskGroup() as group:
                workers = [group.create_task(use.work()) for _each in range(WORKERS)]
                watchers = [group.create_task(use.watch()) for _each in range(PAGES)]
                started = time.monotonic()
                while time.monotonic() - started < minutes * 60:
                    await asyncio.sleep(SAMPLE)
                    samples.append(_sample(served.pid, time.monotonic() - started, use.done.total()))
                    say(samples[-1])
                # Each ends what it does: a call that is cut off is an error in the log of its server.
                use.is_ending = True
                await asyncio.wait(workers, timeout=PATIENCE)
                for task in (*workers, *watchers):
                    task.cancel()
            print(*(f"{name}: {times:,}" for name, times in use.done.most_common()), sep=", ")
    return samples


def _sample(pid: int, seconds: float, done: int) -> Sample:
    return Sample(seconds, resident(pid) / 1000, len(list(Path(f"/proc/{pid}/fd").iterdir())), done)


def say(sample: Sample) -> None:
    """Print one sample."""
    print(
        f"{sample.seconds:6.0f} s  {sample.megabytes:8.1f} MB  {sample.files:5} files  {sample.done:7,} done",
        flush=True,
    )


class Verdict(Enum):
    """The verdict on a run; the value is the exit status."""

    FLAT = 0
    NOT_FLAT = 1
    TOO_SHORT = 2


def verdict_on(samples: Sequence[Sample]) -> Verdict:
    """Return whether memory and open files stayed the same after the warm-up; prints the figures."""
    warm = [each for each in samples if each.seconds >= WARM_UP]
    if len(warm) < FEWEST:
        needed = (WARM_UP + FEWEST * SAMPLE) / 60
        print(f"too short for a verdict, which needs {needed:.0f} minutes")
        return Verdict.TOO_SHORT
    third = len(warm) // 3
    slope = growth(warm)
    files = median(each.files for each in warm[-third:]) - median(each.files for each in warm[:third])
    flat = slope <= MOST_GROWTH and files <= MORE_FILES
    print(f"{warm[0].megabytes:.1f} MB after the warm-up, {warm[-1].megabytes:.1f} MB at the end;")
    print(f"{slope:+.2f} MB a minute (at most {MOST_GROWTH}), {files:+.0f} open files (at most {MORE_FILES});")
    print(f"{warm[-1].done - warm[0].done:,} things done meanwhile: {'flat' if flat else 'NOT FLAT'}")
    return Verdict.FLAT if flat else Verdict.NOT_FLAT


def growth(samples: Sequence[Sample]) -> float:
    """Return the growth in megabytes a minute: the median slope between two samples (Theil and Sen).

    Single samples that are high, as during a garbage collection, do not move it.
    """
    pairs = combinations(samples, 2)
    return 60 * median((late.megabytes - early.megabytes) / (late.seconds - early.seconds) for early, late in pairs)


if __name__ == "__main__":
    minutes, seed = float((sys.argv[1:] or ["5"])[0]), int((sys.argv[2:] or ["1"])[0])
    sys.exit(verdict_on(anyio.run(soak, minutes, seed)).value)
