"""Users beside a hostile one: how fast their questions travel without that user and with them, and the peak of memory.

The hostile user is a process of its own with thirty connections: it asks big questions, reads its own list, panel and
API, calls with long arguments, and has events replayed. Then it reads a list of 33 MB of questions sixty times at once.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import httpx2

from bench.measures import Measure, alone, percentile
from tests.load import connected, many_servers, together
from tests.mcp_servers import RunningServer, started
from tests.program import Api, Program, program

HEADER = "Remote-User"
OPTIONS = ("--identity", "proxy", "--auth-header", HEADER, "--trusted-proxy", "127.0.0.1")
ADMIN = "root"

CROWDS = (200, 20)
"""The numbers of other users."""

SERVERS = 2
CALLS = 120
"""Questions of all other users in each part."""

AT_ONCE = 4
PAUSE = 0.4
"""Seconds after which each of so many users at a time is followed by the next: some eight questions a second."""

CONNECTIONS = 30
LONG = 200_000
REQUEST_BYTES = 236_000
REQUESTS = 140
READERS = 60
LONGEST = 600


@dataclass
class Delays:
    """Milliseconds of each step: from the start of a call to its question in the stream, and of an answer."""

    event: list[float] = field(default_factory=list)
    answer: list[float] = field(default_factory=list)


def client_of(base: str, name: str, connections: int = 10) -> Api:
    """Return a client of the API that is this user."""
    headers = {HEADER: name, "Sec-Fetch-Site": "same-origin"}
    limits = httpx2.Limits(max_connections=connections)
    return Api(base_url=f"{base}/api/v1", headers=headers, timeout=LONGEST, limits=limits)


class Neighbour:
    """One of the others: follows the events, and answers each question that a call of theirs asks."""

    def __init__(self, served: Program, name: str) -> None:
        self.api = client_of(served.base, name)
        self._server = ""
        self._came: dict[str, float] = {}
        self._arrived = asyncio.Condition()
        self._following: asyncio.Task[None] | None = None

    async def arrive(self) -> None:
        """Come, wait until all servers are connected, and follow the events."""
        self._server = (await connected(self.api, SERVERS))[0]
        self._following = asyncio.create_task(self._follow())

    async def leave(self) -> None:
        """Close everything."""
        if self._following:
            self._following.cancel()
        await self.api.aclose()

    async def _follow(self) -> None:
        async with self.api.stream("GET", "/events", timeout=None) as events:
            kind = ""
            async for line in events.aiter_lines():
                name, _, value = line.partition(": ")
                kind = value if name == "event" else kind
                if name == "data" and kind == "request" and '"state":"pending"' in value.replace(" ", ""):
                    async with self._arrived:
                        found = re.search(r'"call_id": ?"([^"]+)"', value)
                        request = re.search(r'"id": ?"([^"]+)"', value)
                        if found and request:
                            self._came[found[1]] = time.perf_counter()
                            self._came[f"{found[1]} id"] = request[1]  # type: ignore[assignment]
                        self._arrived.notify_all()

    async def ask_once(self, delays: Delays) -> None:
        """Let the server ask, and answer when the question is in the stream."""
        body = {"server_id": self._server, "kind": "tool", "name": "ask_once", "arguments": {}}
        began = time.perf_counter()
        call = await self.api.json("POST", "/calls", 202, json=body)
        async with asyncio.timeout(LONGEST), self._arrived:
            await self._arrived.wait_for(lambda: call["id"] in self._came)
        delays.event.append(1000 * (self._came[call["id"]] - began))
        began = time.perf_counter()
        await self.api.answer({"id": self._came[f"{call['id']} id"]}, action="accept", content={"yes": True})
        delays.answer.append(1000 * (time.perf_counter() - began))


async def measure(folder: Path) -> list[Measure]:
    """Return the measures."""
    server = [sys.executable, "-m", "bench.server", "--transport", "http"]
    found: list[Measure] = []
    async with started(server, announce="Listening", forked=False) as asker:
        for crowd in CROWDS:
            found += await _beside(folder, asker, crowd)
    return found


async def _beside(folder: Path, asker: RunningServer, crowd: int) -> list[Measure]:
    place = folder / f"beside{crowd}"
    place.mkdir()
    options = (*OPTIONS, "--admin", ADMIN)
    async with program(place, servers=many_servers(asker, SERVERS), options=options, forked=False) as served:
        others = [Neighbour(served, f"user{number}") for number in range(crowd)]
        await together(Neighbour.arrive, others)
        # What is loaded once is loaded.
        await _ask(others, Delays(), crowd // 10)
        quiet, busy, reading = Delays(), Delays(), Delays()
        await _ask(others, quiet, CALLS)
        async with _hostile(served, "flood"):
            await _ask(others, busy, CALLS)
        flooded = peak(served.pid)
        async with _hostile(served, "read"):
            await _ask(others, reading, CALLS)
        async with httpx2.AsyncClient(timeout=LONGEST) as stranger:
            began = time.perf_counter()
            await stranger.get(f"{served.base}/healthz")
            healthy = 1000 * (time.perf_counter() - began)
        await together(Neighbour.leave, others)
        return [
            *_compared(f"{crowd} users beside a hostile one", busy, quiet),
            Measure("the same: peak of memory", flooded, None, "MB"),
            *_compared(f"{crowd} users while it reads {REQUESTS} long questions", reading, quiet),
            Measure("the same: peak of memory", peak(served.pid), None, "MB"),
            Measure("the same: an answer to /healthz after it", healthy, None, "ms"),
        ]


def _compared(name: str, ours: Delays, quiet: Delays) -> list[Measure]:
    return [
        Measure(
            f"{name}: call to event, p{percent}",
            percentile(ours.event, percent),
            percentile(quiet.event, percent),
            "ms",
        )
        for percent in (50, 95)
    ] + [
        Measure(
            f"{name}: answer, p{percent}", percentile(ours.answer, percent), percentile(quiet.answer, percent), "ms"
        )
        for percent in (50, 95)
    ]


async def _ask(others: list[Neighbour], delays: Delays, count: int) -> None:
    """Let so many questions be asked, a few users at a time: a crowd that waits for each other measures itself."""
    left = iter(range(count))

    async def ask() -> None:
        for number in left:
            await others[number % len(others)].ask_once(delays)
            await asyncio.sleep(PAUSE)

    await asyncio.gather(*(ask() for _each in range(AT_ONCE)))


def peak(pid: int) -> float:
    """Return the most memory that a process has had, in MB (Linux)."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1000


@asynccontextmanager
async def _hostile(served: Program, kind: str) -> AsyncIterator[None]:
    """Run the hostile user of this kind in a process of its own while the block runs."""
    command = [sys.executable, "-m", "bench.hostile", served.base, kind]
    async with await anyio.open_process(command, stdout=-1, stderr=None) as process:
        assert process.stdout is not None
        await process.stdout.receive()
        try:
            yield
        finally:
            process.kill()


async def attack(base: str, kind: str) -> None:
    """Be the hostile user until killed; says when it has prepared."""
    api = client_of(base, f"mallory {kind}", CONNECTIONS + READERS)
    browser = httpx2.AsyncClient(base_url=base, headers=dict(api.headers) | {"Accept": "text/html"}, timeout=LONGEST)
    server = (await connected(api, SERVERS))[0]
    big = {"kind": "form", "message": "x" * (LONG if kind == "flood" else REQUEST_BYTES)}
    big["requestedSchema"] = {"type": "object", "properties": {}}  # type: ignore[assignment]
    call = {"server_id": server, "kind": "tool", "name": "ask_once", "arguments": {"x": "y" * LONG}}

    async def replay() -> None:
        with suppress(TimeoutError, httpx2.HTTPError):
            async with asyncio.timeout(3), api.stream("GET", "/events", headers={"Last-Event-ID": "none"}) as events:
                async for _piece in events.aiter_raw():
                    pass

    ways: list[Callable[[], Awaitable[object]]] = [
        lambda: api.post("/requests", json=big),
        lambda: browser.get("/"),
        lambda: browser.get("/panel/chat"),
        lambda: api.post("/calls", json=call),
        replay,
        lambda: api.get("/requests", params={"state": "pending"}),
    ]

    async def again(way: Callable[[], Awaitable[object]]) -> None:
        while True:
            with suppress(httpx2.HTTPError):
                await way()

    count = REQUESTS if kind == "read" else CONNECTIONS
    statuses = [(await api.post("/requests", json=big)).status_code for _each in range(count)]
    sys.stdout.write(f"{statuses.count(201)} asked\n")
    sys.stdout.flush()
    if kind == "read":
        await asyncio.gather(*(again(ways[1]) for _each in range(READERS)))
    await asyncio.gather(*(again(ways[number % len(ways)]) for number in range(CONNECTIONS)))


if __name__ == "__main__":
    if len(sys.argv) == 3:
        asyncio.run(attack(*sys.argv[1:]))
    else:
        alone(measure)
