"""Many connections and calls at once, driven through the API as another program would; for tests and measurements."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from tests.mcp_servers import RunningServer
from tests.program import Api
from webclient.domain.model import Era, Json

AT_ONCE = 20
"""Requests that the other program has under way at the same time."""

LONGEST = 600
"""Seconds after which what should have come is taken not to come; measurements take long."""

LAG_SAMPLE = 0.02
"""Seconds between two checks that the program still answers."""


def many_servers(asker: RunningServer, count: int) -> Json:
    """Return so many servers for an mcp.json, at the asker's address, in alternating eras."""
    eras = (Era.PUSH, Era.ROUNDS)
    return {f"s{n}": {"url": asker.address, "era": eras[n % 2].value} for n in range(count)}


async def follow(api: Api, kind: str, enough: Callable[[dict[str, Json]], bool]) -> list[Json]:
    """Follow the events of this kind until `enough` things are seen; returns the things."""
    newest: dict[str, Json] = {}
    headers = {"Last-Event-ID": "none"}
    async with asyncio.timeout(LONGEST), api.stream("GET", "/events", headers=headers, timeout=None) as events:
        event = ""
        async for line in events.aiter_lines():
            name, _, value = line.partition(": ")
            event = value if name == "event" else event
            if name == "data" and event == kind:
                thing = json.loads(value)
                newest[thing["id"]] = thing
                if enough(newest):
                    return list(newest.values())
    raise AssertionError("the stream ended")


async def connected(api: Api, count: int) -> list[str]:
    """Wait until so many servers are connected; returns their ids."""
    servers = await follow(
        api, "server", lambda newest: sum(each["state"] == "connected" for each in newest.values()) == count
    )
    return [server["id"] for server in servers]


async def ask(api: Api, server_ids: Sequence[str], calls: int) -> list[Json]:
    """Start so many calls, spread over the servers, and return their pending requests."""
    ids = [server_ids[n % len(server_ids)] for n in range(calls)]
    asking = [{"server_id": id_, "kind": "tool", "name": "ask_form", "arguments": {}} for id_ in ids]
    started = asyncio.create_task(together(lambda body: api.json("POST", "/calls", 202, json=body), asking))
    pending = await follow(
        api, "request", lambda newest: sum(each["state"] == "pending" for each in newest.values()) == calls
    )
    await started
    return [request for request in pending if request["state"] == "pending"]


async def answer(api: Api, requests: Sequence[Json]) -> list[Json]:
    """Answer each request with its own id, wait until the calls end, and return them."""
    await together(
        lambda request: api.answer(request, action="accept", content={"name": request["id"]}),
        requests,
    )
    return await together(
        lambda request: _ended(api, request["call_id"]),
        requests,
    )


async def together(work: Callable[[Any], Any], things: Sequence[Any]) -> list[Any]:
    """Do the work for each thing, `AT_ONCE` at the same time."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(thing: Any) -> Any:
        async with turns:
            return await work(thing)

    return list(await asyncio.gather(*map(one, things)))


@asynccontextmanager
async def lag(base: str) -> AsyncIterator[list[float]]:
    """While the block runs, ask again and again whether the program answers; gives the milliseconds that it took."""
    milliseconds: list[float] = []

    async def watch() -> None:
        async with Api(base_url=base, timeout=None) as api:
            while True:
                started = time.perf_counter()
                assert (await api.get("/healthz")).status_code == 200
                milliseconds.append((time.perf_counter() - started) * 1000)
                await asyncio.sleep(LAG_SAMPLE)

    watching = asyncio.create_task(watch())
    try:
        yield milliseconds
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


async def _ended(api: Api, call_id: str) -> Json:
    call: Json = await api.json("GET", f"/calls/{call_id}")
    return await api.in_state(call, "done")
