"""A thousand signed-in users with one open page each, who do nothing: the processor time that this costs (Linux).

Each user has a session cookie of their own, as after a sign-in. `python -m bench.open_pages` runs this alone.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import httpx2

from bench.measures import Measure, alone, resident, used_seconds
from tests.load import together
from tests.pages.person import stream_of
from tests.program import PATIENCE, Program, program
from webclient.domain.model import Person
from webclient.store import Store

USERS = 1000
SIGNS_IN = "token-of-these-measurements"
REST = 10
"""Seconds until the work of opening the pages is over, and its garbage is collected."""
SECONDS = 30
"""How long nothing is done and its cost is measured: the same numbers of each kind of regular work fall into it."""


async def measure(folder: Path) -> list[Measure]:
    """Return the measures."""
    place = folder / "open_pages"
    (place / "data").mkdir(mode=0o700, parents=True)
    cookies = await _sign_in(place / "data")
    async with (
        program(place, options=["--token", SIGNS_IN], forked=False) as served,
        AsyncExitStack() as stack,
    ):
        empty = resident(served.pid)
        await together(lambda cookie: _open_page(served, cookie, stack), cookies)
        full = resident(served.pid)
        share = await _share(served)
    return [
        Measure(f"{USERS:,} signed-in users, an open page each, nothing asked: of one processor", share, None, "%"),
        Measure("the same: memory of a user with a page", (full - empty) / USERS, None, "kB"),
    ]


async def _sign_in(data_dir: Path) -> list[str]:
    """Begin a session for each user, before the program starts; return their ids."""
    store = Store(data_dir, SIGNS_IN)
    await store.open()
    try:
        users = [await store.users.recognise(Person(issuer="bench", subject=f"user {n}")) for n in range(USERS)]
        create = store.browser_sessions.create
        return [await create(user.id, idle=timedelta(hours=2)) for user in users]
    finally:
        await store.close()


async def _open_page(served: Program, cookie: str, stack: AsyncExitStack) -> None:
    host, _, port = served.base.removeprefix("http://").partition(":")
    sent = f"webclient-{port}={cookie}"
    async with httpx2.AsyncClient(base_url=served.base, headers={"Cookie": sent}, timeout=PATIENCE) as browser:
        page = await browser.get("/", headers={"Accept": "text/html"})
    assert page.status_code == 200, page.text
    reader, writer = await asyncio.open_connection(host, int(port))
    stack.callback(writer.close)
    writer.write(f"GET {stream_of(page.text)} HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {sent}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), head
    reading = asyncio.create_task(_read(reader))
    stack.callback(reading.cancel)


async def _read(reader: asyncio.StreamReader) -> None:
    while await reader.read(1 << 16):
        pass
    raise AssertionError("the stream of a page has ended")


async def _share(served: Program) -> float:
    """Return the percentage of a processor that the program uses while no user does anything."""
    await asyncio.sleep(REST)
    before = used_seconds(served.pid)
    await asyncio.sleep(SECONDS)
    return 100 * (used_seconds(served.pid) - before) / SECONDS


if __name__ == "__main__":
    alone(measure)
