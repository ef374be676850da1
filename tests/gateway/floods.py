"""Agents that send too much, beside another user whose pages are timed; for tests and measurements."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

import httpx2

from bench.measures import percentile, resident
from tests.cluster.nodes import USER, sent_by
from tests.gateway.agents import ByHand, message_in, token
from tests.loopback import tls
from tests.mcp_servers import asker_entries, entry
from tests.mcp_servers.counting import runs
from tests.program import PATIENCE, Api, Program, program
from webclient.domain.model import Era, Json

AT_ONCE = 100
"""Requests that the agent has under way at the same time."""

WAITING = 20
"""Requests for one approved call that wait for its result at the same time."""

PART = 65_536


@dataclass
class Flooded:
    """A program with an agent of Ada's; `beside` are the milliseconds of Bob's pages, `ran` the file of what ran."""

    running: Program
    secret: str
    ran: Path
    beside: list[float] = field(default_factory=list)

    def api(self, user: str) -> Api:
        """Return a client of the API, as the proxy sends the requests of a user."""
        return Api(base_url=f"{self.running.base}/api/v1", headers=sent_by(user), timeout=PATIENCE, verify=tls())

    @property
    def megabytes(self) -> float:
        """The memory of the program."""
        return resident(self.running.pid) / 1000

    @asynccontextmanager
    async def agent(self, server: str, seconds: float = PATIENCE) -> AsyncIterator[ByHand]:
        """Give an agent of 2026-07-28."""
        headers = {"Authorization": f"Bearer {self.secret}"}
        limits = httpx2.Limits(max_connections=AT_ONCE)
        async with httpx2.AsyncClient(headers=headers, timeout=seconds, limits=limits) as http:
            yield ByHand(http, f"{self.running.base}/mcp/{server}", Era.ROUNDS)

    @asynccontextmanager
    async def timed(self) -> AsyncIterator[None]:
        """Time the pages of Bob while the block runs; each of them has to be there."""
        looking = asyncio.create_task(self._look())
        try:
            yield
            await asyncio.sleep(0.2)
        finally:
            looking.cancel()
            await asyncio.wait([looking])
        if not looking.cancelled():
            looking.result()

    async def _look(self) -> None:
        async with httpx2.AsyncClient(headers=sent_by("bob"), timeout=PATIENCE, verify=tls()) as browser:
            while True:
                began = monotonic()
                response = await browser.get(f"{self.running.base}/")
                assert response.status_code == 200, response.text
                self.beside.append(1000 * (monotonic() - began))
                await asyncio.sleep(0.05)

    def percent(self, percent: int) -> float:
        """Return the time in which so many percent of Bob's pages were there."""
        return percentile(self.beside, percent) if len(self.beside) > 1 else self.beside[0]


@asynccontextmanager
async def flooded(folder: Path, tools: int = 1) -> AsyncIterator[Flooded]:
    """Start the program with two users; one of its servers has so many tools."""
    options = [
        "--identity",
        "proxy",
        "--auth-header",
        USER,
        "--trusted-proxy",
        "127.0.0.1",
        "--public-url",
        "http://127.0.0.1",
    ]
    ran = folder / "ran.jsonl"
    servers = asker_entries() | {"large": entry("large", str(tools)), "bank": entry("counting", str(ran))}
    async with program(folder, servers=servers, options=options, forked=False) as running:
        found = Flooded(running, "", ran)
        async with found.api("ada") as ada:
            for label in servers:
                await ada.server(label)
            found.secret = await token(ada, patience=1)
        async with found.api("bob") as bob:
            await bob.server("large")
        yield found


async def calls(found: Flooded, number: int) -> Counter[str]:
    """Have the agent make so many calls that ask, each another one; return what became of them."""
    outcomes: Counter[str] = Counter()
    at_once = asyncio.Semaphore(AT_ONCE)
    async with found.agent("push") as agent:

        async def call(text: str) -> None:
            async with at_once:
                response = await agent.send("tools/call", {"name": "ask_form", "arguments": {"message": text}})
            outcomes[outcome_of(response)] += 1

        async with asyncio.TaskGroup() as group:
            for n in range(number):
                group.create_task(call(f"Question {n}"))
    return outcomes


def outcome_of(response: httpx2.Response) -> str:
    """Return the beginning of the sentence that an agent gets."""
    if response.status_code != 200:
        return f"{response.status_code} {response.text[:200]}"
    message = message_in(response)
    if "error" in message:
        return str(message["error"]["message"])[:200]
    texts = [block["text"] for block in message["result"]["content"] if "text" in block]
    return str(texts[0])[:40]


async def body(found: Flooded, size: int, *, announced: bool) -> tuple[int, int]:
    """Send a body of so many bytes, with its length or in chunks; return the status, and how many bytes were taken."""
    parts = urlsplit(found.running.base)
    return await asyncio.to_thread(
        _body, (parts.hostname or "", parts.port or 0), found.secret, size, announced=announced
    )


def _body(address: tuple[str, int], secret: str, size: int, *, announced: bool) -> tuple[int, int]:
    length = f"Content-Length: {size}" if announced else "Transfer-Encoding: chunked"
    head = (
        f"POST /mcp/push HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {secret}\r\n{length}\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\r\n"
    )
    part = b"x" * PART
    sent = 0
    with socket.create_connection(address, timeout=PATIENCE) as connection:
        connection.sendall(head.encode())
        try:
            while sent < size:
                connection.sendall(part if announced else b"%x\r\n%b\r\n" % (len(part), part))
                sent += len(part)
        except OSError:
            # It was refused before the end.
            pass
        try:
            status = connection.recv(100).split(b" ")[1]
        except (OSError, IndexError):
            status = b"0"
    return int(status), sent


async def retries(found: Flooded, number: int, seconds: float) -> Counter[str]:
    """Have the agent give up after so many seconds, and make the same call again."""
    outcomes: Counter[str] = Counter()
    params: Json = {"name": "ask_form", "arguments": {"message": "Again?"}}
    async with found.agent("push", seconds) as agent:
        for _number in range(number):
            try:
                outcomes[outcome_of(await agent.send("tools/call", params))] += 1
            except httpx2.TimeoutException:
                outcomes["gave up"] += 1
    return outcomes


async def proposals(found: Flooded, number: int) -> Counter[str]:
    """Have the agent propose one call so many times; its person approves once.

    A rule asks about it. Many are on their way at once, and every other one is given up soon. Returns how often each
    outcome came, also of `await_answer`, and how many requests, calls and runs there are.
    """
    outcomes: Counter[str] = Counter()
    params: Json = {"name": "pay", "arguments": {"to": "DE12", "amount": 250}}
    at_once = asyncio.Semaphore(AT_ONCE // 2)
    async with found.api("ada") as ada, found.agent("bank") as agent, found.agent("bank", 0.15) as hasty:
        await ada.json("PUT", "/rules", json={"rules": [{"tool": "pay", "then": "ask"}]})

        async def propose(by: ByHand) -> None:
            async with at_once:
                try:
                    outcomes[outcome_of(await by.send("tools/call", params))] += 1
                except httpx2.TimeoutException:
                    outcomes["gave up"] += 1

        async with asyncio.TaskGroup() as group:
            for n in range(number):
                group.create_task(propose(hasty if n % 2 else agent))
        (request,) = (await ada.json("GET", "/requests"))["requests"]
        async with asyncio.TaskGroup() as group:
            waiting = [group.create_task(_result(agent, request["call_id"])) for _waits in range(WAITING)]
            await asyncio.sleep(1)
            await ada.answer(request, action="accept", digest=request["digest"])
        outcomes.update(task.result() for task in waiting)
        for what in ("requests", "calls"):
            outcomes[what] = len((await ada.json("GET", f"/{what}"))[what])
        outcomes["runs"] = len(runs(found.ran))
    return outcomes


async def _result(agent: ByHand, call_id: str) -> str:
    """Fetch the result of a call until it is there."""
    params: Json = {"name": "await_answer", "arguments": {"call": call_id}}
    while (outcome := outcome_of(await agent.send("tools/call", params))).startswith("A person"):
        pass
    return outcome
