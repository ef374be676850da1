"""A hundred users, each with ten servers and three open pages: how fast answers travel, and what absent users leave.

The yardstick is one user alone, of the same program in the same run. Times are read from the clock that all processes
of the machine share: of an answer, from the moment it is posted until the tool of the server has it.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import httpx2

from bench import hostile
from bench.measures import Measure, alone, percentile, resident, used_seconds
from tests.load import connected, lag, many_servers, together
from tests.mcp_servers import started
from tests.pages.person import stream_of
from tests.program import Api, Program, program
from webclient.domain.model import Json

USERS = 100
SERVERS = 10
PAGES = ("/", "/calls", "/servers/{server}")
"""The three open pages of each user."""

TIMES = 200
"""Questions that are asked in each part, and answered as soon as the inbox shows them."""

AT_ONCE = 10
"""Users who answer at the same time, in the last part."""

HEADER = "Remote-User"
METRICS = "token-of-these-measurements"
OPTIONS = ("--identity", "proxy", "--auth-header", HEADER, "--trusted-proxy", "127.0.0.1")
ENVIRONMENT = ("env", "WEBCLIENT_USER_IDLE_MINUTES=0.1", f"WEBCLIENT_METRICS_TOKEN={METRICS}")
LONGEST = 600
SECONDS = 10
"""How long nothing is done: its cost is measured, and garbage is collected meanwhile."""

_PENDING = re.compile(
    rb'id="row-([^"]+)" data-state="pending".+?<span class="request-row__text"[^>]*>(\d+)<', re.DOTALL
)
_WAITS = re.compile(rb'id="inbox-count"><span')
_NOTHING_WAITS = re.compile(rb'id="inbox-count"></span')


T = TypeVar("T")


@dataclass
class Delays:
    """Milliseconds of each step of the questions of one part; processor milliseconds for each question."""

    to_page: list[float] = field(default_factory=list)
    to_server: list[float] = field(default_factory=list)
    to_others: list[float] = field(default_factory=list)
    processor: float = 0


class OpenPage:
    """The stream of one open page, read as it comes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._text = b""
        self._more = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        while piece := await self._reader.read(1 << 20):
            self._text += piece
            self._more.set()
            if len(self._text) > 1 << 20:
                self._text = b""

    async def shown(self, find: Callable[[bytes], T | None]) -> tuple[T, int]:
        """Wait until `find` finds something in what came; return that and when, in nanoseconds since 1970."""
        async with asyncio.timeout(LONGEST):
            while (found := find(self._text)) is None:
                self._more.clear()
                await self._more.wait()
        return found, time.time_ns()

    def forget(self) -> None:
        """Forget what has come so far."""
        self._text = b""

    def close(self) -> None:
        """Leave the page."""
        self._reading.cancel()
        self._writer.close()


class Visitor:
    """One user whom the proxy names, with the pages they have open: the inbox is the first."""

    def __init__(self, served: Program, name: str, *, servers: int = SERVERS, pages: Sequence[str] = PAGES) -> None:
        self._served = served
        self._servers = servers
        self._paths = pages
        headers = {HEADER: name, "Sec-Fetch-Site": "same-origin"}
        self.api = Api(base_url=f"{served.base}/api/v1", headers=headers, timeout=LONGEST)
        self._browser = httpx2.AsyncClient(
            base_url=served.base, headers=headers | {"Accept": "text/html", "HX-Request": "true"}, timeout=LONGEST
        )
        self._name = name
        self.pages: list[OpenPage] = []
        self._server = ""
        self._seen: set[str] = set()

    async def arrive(self) -> None:
        """Come, wait until all servers are connected, and open the pages."""
        servers = await connected(self.api, self._servers)
        found = (await self.api.json("GET", "/servers"))["servers"]
        self._server = next(each["id"] for each in found if each["label"] == "s0")
        assert len(servers) == self._servers
        self.pages = [await self._open(path.format(server=self._server)) for path in self._paths]

    async def _open(self, path: str) -> OpenPage:
        page = await self._browser.get(path, headers={"HX-Request": ""})
        host, _, port = self._served.base.removeprefix("http://").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        named = f"Host: {host}:{port}\r\n{HEADER}: {self._name}\r\n"
        writer.write(f"GET {stream_of(page.text)} HTTP/1.1\r\n{named}\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        return OpenPage(reader, writer)

    async def answer_one(self, delays: Delays) -> None:
        """Let the server ask, and answer when the inbox shows it; wait until the server has that."""
        inbox, *others = self.pages
        inbox.forget()
        body = {"server_id": self._server, "kind": "tool", "name": "ask_once", "arguments": {}}
        call: Json = await self.api.json("POST", "/calls", 202, json=body)
        (request, sent), arrived = await inbox.shown(self._new_request)
        for other in others[-1:]:
            await other.shown(_WAITS.search)
            other.forget()
        answer = {"action": "accept", "yes": "true"}
        posted = time.time_ns()
        response = await self._browser.post(f"/requests/{request}", data=answer)
        assert response.is_success, response.text
        for other in others[-1:]:
            _none, counted = await other.shown(_NOTHING_WAITS.search)
            delays.to_others.append((counted - posted) / 1e6)
        call = await self.api.in_state(call, "done")
        delays.to_page.append((arrived - sent) / 1e6)
        delays.to_server.append((int(call["result"]["structuredContent"]["result"]) - posted) / 1e6)

    def _new_request(self, text: bytes) -> tuple[str, int] | None:
        """Return the id of a question that was not seen before, and when it was sent."""
        for found in _PENDING.finditer(text):
            if (id_ := found[1].decode()) not in self._seen:
                self._seen.add(id_)
                return id_, int(found[2])
        return None

    async def leave(self) -> None:
        """Close everything."""
        for page in self.pages:
            page.close()
        self.pages = []
        await self.api.aclose()
        await self._browser.aclose()


@asynccontextmanager
async def serving_many(place: Path, count: int = SERVERS) -> AsyncIterator[Program]:
    """Serve several users, each with so many servers, which are one process."""
    server = [sys.executable, "-m", "bench.server", "--transport", "http"]
    async with (
        started(server, announce="Listening", forked=False) as asker,
        program(place, servers=many_servers(asker, count), options=OPTIONS, under=ENVIRONMENT, forked=False) as served,
    ):
        yield served


async def measure(folder: Path) -> list[Measure]:
    """Return the measures."""
    place = folder / "users"
    place.mkdir()
    async with serving_many(place) as served:
        # The first user has all loaded that stays.
        rests = [await _come_and_go(served, "first", 1)]
        first, *others = visitors = [Visitor(served, f"user {number}") for number in range(USERS)]
        await first.arrive()
        one = await _answers(served, [first])
        await together(Visitor.arrive, others)
        among = await _answers(served, [first])
        crowd = await _answers(served, visitors[:AT_ONCE])
        idle = await _share(served)
        full = resident(served.pid)
        await together(Visitor.leave, visitors)
        async with lag(served.base) as milliseconds:
            rests.append(await _at_rest(served))
        rests.append(await _come_and_go(served, "other", USERS))
    there = f"{USERS} users with {SERVERS} servers and {len(PAGES)} pages each"
    return [
        *await hostile.measure(folder),
        *_compared(f"{there}: posted answer to server", among.to_server, one.to_server),
        *_compared("the same: posted answer to the count in another page", among.to_others, one.to_others),
        *_compared("the same: sent question to its row in the stream", among.to_page, one.to_page),
        Measure("the same: processor time of a question and its answer", among.processor, one.processor, "ms"),
        *_compared(f"{AT_ONCE} of them without a pause: posted answer to server", crowd.to_server, one.to_server),
        Measure(f"{USERS} users who do nothing: of one processor", 100 * idle, None, "%"),
        Measure(f"{USERS} users leave: an answer to /healthz meanwhile, p99", percentile(milliseconds, 99), None, "ms"),
        Measure("the same: the longest meanwhile", max(milliseconds), None, "ms"),
        Measure("memory of a user with servers and pages", (full - rests[0]) / USERS, None, "kB"),
        Measure(f"memory after {USERS} users have left, which the next ones use", rests[1] / 1000, full / 1000, "MB"),
        Measure(f"memory of a user who has left, of {USERS} others", (rests[2] - rests[1]) / USERS, None, "kB"),
    ]


def _compared(name: str, ours: Sequence[float], yardstick: Sequence[float]) -> list[Measure]:
    return [
        Measure(f"{name}, p{percent}", percentile(ours, percent), percentile(yardstick, percent), "ms")
        for percent in (50, 99)
    ]


async def _come_and_go(served: Program, name: str, count: int) -> float:
    """Let so many new users come and leave; return the memory after that, in kilobytes."""
    visitors = [Visitor(served, f"{name} {number}") for number in range(count)]
    await together(Visitor.arrive, visitors)
    await together(Visitor.leave, visitors)
    return await _at_rest(served)


async def _answers(served: Program, visitors: Sequence[Visitor]) -> Delays:
    """Let all of them answer at the same time, each one question after the other."""
    delays = Delays()
    used = used_seconds(served.pid)

    async def answer(visitor: Visitor) -> None:
        for _each in range(TIMES // len(visitors)):
            await visitor.answer_one(delays)

    await asyncio.gather(*map(answer, visitors))
    delays.processor = 1000 * (used_seconds(served.pid) - used) / TIMES
    return delays


async def _share(served: Program) -> float:
    """Return the share of a processor that the program uses while no user does anything."""
    await asyncio.sleep(2)
    before = used_seconds(served.pid)
    await asyncio.sleep(SECONDS)
    return (used_seconds(served.pid) - before) / SECONDS


async def _at_rest(served: Program) -> float:
    """Wait until no user is there, and return the memory of the program, in kilobytes."""
    headers = {"Authorization": f"Bearer {METRICS}"}
    async with httpx2.AsyncClient(base_url=served.base, headers=headers, timeout=LONGEST) as scraper:
        while True:
            text = (await scraper.get("/metrics")).text
            if not any(map(float, re.findall(r"^mcp_webclient_servers\{[^}]*\} (\S+)", text, re.MULTILINE))):
                break
            await asyncio.sleep(1)
    # The garbage of the last user is collected while the program is idle.
    await asyncio.sleep(SECONDS)
    return resident(served.pid)


if __name__ == "__main__":
    alone(measure)
