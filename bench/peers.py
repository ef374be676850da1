"""MCP Inspector and ours side by side, in one browser, at the same server: from the click on a tool to its form.

The two alternate, so that other work on the machine slows both. `python -m bench.peers` runs this alone.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from playwright.async_api import Browser, BrowserContext, Page, async_playwright

from bench.inspector import inspector
from bench.measures import Measure, alone, resident
from bench.tabs import InspectorTab, OurTab, Tab, seen
from tests.chromium import launched
from tests.program import program
from tests.real.started import started
from tests.real.typescript_1 import SERVERS
from webclient.domain.model import Json

TIMES = 15
LOADS = 5
STARTS = 5
EVERYTHING = next(server for server in SERVERS if server.name == "server-everything")
TRANSPORTS = ("stdio", "http")
FIELDS = (
    "String",
    "Boolean",
    "String with default",
    "String with email format",
    "String with uri format",
    "String with date format",
    "Integer",
    "Number in range 1-1000",
    "Untitled Single Select Enum",
    "Untitled Multiple Select Enum",
    "Titled Single Select Enum",
    "Titled Multiple Select Enum",
    "Legacy Titled Single Select Enum",
)
"""The titles of the 13 fields, all of which the form must show."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Client:
    """One of the two: its process and its tab."""

    pid: int
    tab: Tab


async def measure(folder: Path) -> list[Measure]:
    """Return the measures; Inspector is the yardstick."""
    place = folder / "peers"
    place.mkdir()
    starts = await _starts(place)
    async with AsyncExitStack() as stack:
        ways = await stack.enter_async_context(started([EVERYTHING], place))
        servers = {way.transport: way.entry for way in ways if way.transport in TRANSPORTS}
        browser = await _browser(stack)
        clients = (
            await _ours(stack, place, servers, browser),
            await _inspector(stack, place, servers, browser),
        )
        first_pages = await _alternating(clients, LOADS, _first_page)
        times = {transport: await _click_to_form(clients, transport) for transport in TRANSPORTS}
        memory = [(resident(each.pid) / 1000, await _heap(each.tab.page)) for each in clients]
    return [
        _against_inspector("process ready", starts, "ms"),
        *_first_pages(first_pages),
        *(_against_inspector(f"click to 13-field form over {way}", times[way], "ms") for way in TRANSPORTS),
        _against_inspector("memory of the process after that", [each[:1] for each in memory], "MB"),
        _against_inspector("memory of the tab's JavaScript", [each[1:] for each in memory], "MB"),
    ]


def _against_inspector(name: str, both: Sequence[Sequence[float]], unit: str) -> Measure:
    ours, theirs = (median(values) for values in both)
    return Measure(f"{name}, against Inspector", ours, theirs, unit)


async def _starts(folder: Path) -> list[list[float]]:
    """Return the milliseconds until each could be opened, both without servers; ours with a database that exists."""

    async def once(start: Callable[[], AbstractAsyncContextManager[object]]) -> float:
        before = time.perf_counter()
        async with start():
            return (time.perf_counter() - before) * 1000

    both = (lambda: program(folder, forked=False)), (lambda: inspector(folder, {}))
    return await _alternating(both, STARTS, once)


async def _browser(stack: AsyncExitStack) -> Browser:
    playwright = await stack.enter_async_context(async_playwright())
    return await stack.enter_async_context(launched(playwright, headless_shell=False))


async def _inspector(stack: AsyncExitStack, folder: Path, servers: Json, browser: Browser) -> Client:
    served = await stack.enter_async_context(inspector(folder, {name: _plain(servers[name]) for name in servers}))
    tab = InspectorTab(await browser.new_page(), served.link)
    await tab.watch()
    return Client(served.pid, tab)


async def _ours(stack: AsyncExitStack, folder: Path, servers: Json, browser: Browser) -> Client:
    served = await stack.enter_async_context(program(folder, servers=servers, forked=False))
    tab = OurTab(await browser.new_page(), served.base)
    await tab.watch()
    await tab.page.goto(served.login)
    await tab.page.wait_for_url(f"{served.base}/")
    async with served.client() as api:
        for entry in servers.values():
            await api.server(entry["label"])
    return Client(served.pid, tab)


def _plain(entry: Json) -> Json:
    """Return an entry of `mcp.json` without what only ours reads."""
    return {name: value for name, value in entry.items() if name not in ("label", "era")}


async def _alternating(both: Sequence[T], times: int, look: Callable[[T], Awaitable[Any]]) -> list[list[Any]]:
    """Return what was seen of each of the two, in turn so many times, after once that does not count."""
    found: list[list[Any]] = [[] for _each in both]
    for number in range(times + 1):
        for place, each in enumerate(both):
            one = await look(each)
            if number:
                found[place].append(one)
    return found


async def _click_to_form(clients: Sequence[Client], server: str) -> list[list[float]]:
    async def once(client: Client) -> float:
        milliseconds = await client.tab.click_to_form(server)
        shown = await client.tab.shown()
        assert [field for field in FIELDS if field not in shown] == []
        await client.tab.dismiss()
        return milliseconds

    return await _alternating(clients, TIMES, once)


async def _first_page(client: Client) -> tuple[float, float, float, float]:
    """Open it as someone who is signed in and has nothing of it yet: kilobytes, requests, first paint, usable."""
    browser = client.tab.page.context.browser
    assert browser
    context = await browser.new_context(storage_state=await client.tab.page.context.storage_state())
    try:
        return await _loaded(context, client.tab)
    finally:
        await context.close()


async def _loaded(context: BrowserContext, known: Tab) -> tuple[float, float, float, float]:
    tab = type(known)(await context.new_page(), known.link)
    await tab.watch()
    network = await context.new_cdp_session(tab.page)
    sizes: list[float] = []
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    await network.send("Network.enable")
    await tab.page.goto(tab.link)
    usable = await seen(tab.page, "window.usable")
    painted = await seen(tab.page, "performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
    return sum(sizes) / 1000, len(sizes), painted, usable


def _first_pages(loads: list[list[Any]]) -> list[Measure]:
    ours, theirs = (list(zip(*each, strict=True)) for each in loads)
    names = (
        ("first page over the wire", "kB"),
        ("first page, requests", "requests"),
        ("first page, first paint", "ms"),
        ("first page, usable", "ms"),
    )
    both = zip(ours, theirs, strict=True)
    return [_against_inspector(name, pair, unit) for (name, unit), pair in zip(names, both, strict=True)]


async def _heap(page: Page) -> float:
    """Return the megabytes of JavaScript's objects in use, after a garbage collection."""
    session = await page.context.new_cdp_session(page)
    await session.send("HeapProfiler.collectGarbage")
    await session.send("Performance.enable")
    metrics = (await session.send("Performance.getMetrics"))["metrics"]
    return next(float(each["value"]) for each in metrics if each["name"] == "JSHeapUsedSize") / 1e6


if __name__ == "__main__":
    alone(measure)
