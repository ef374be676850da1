"""How fast questions travel: from the server to the inbox of a real browser, and through the API and back.

The yardstick is the same server driven by a bare SDK client whose callback answers at once.
"""

from __future__ import annotations

import asyncio
import json
import time

from mcp import Client
from mcp.client import ClientRequestContext
from mcp.client.stdio import StdioServerParameters
from mcp.types import ElicitRequestParams, ElicitResult
from playwright.async_api import Page, async_playwright

from bench.measures import SERVER, Measure, percentile
from tests.chromium import launched
from tests.program import Api, Program
from webclient.domain.model import Json

TIMES = 200
AT_ONCE = (1, 10, 100)
"""Calls that ask at the same time."""

_WATCH = """() => {
  window.arrivals = []
  const known = new Set()
  new MutationObserver((records) => {
    const seen = performance.timeOrigin + performance.now()
    for (const node of records.flatMap((record) => [...record.addedNodes])) {
      const sent = node.textContent.match(/\\d{19}/)?.[0]
      if (!sent || known.has(sent)) continue
      known.add(sent)
      window.arrivals.push(seen - Number(sent) / 1e6)
    }
  }).observe(document.body, {childList: true, subtree: true})
}"""


async def measure(served: Program) -> list[Measure]:
    """Return the measures."""
    delays, _rate = await _bare(1)
    async with served.client() as api:
        cards = await _cards(served, api)
        rates = [(count, await rate(api, count), (await _bare(count))[1]) for count in AT_ONCE]
    return [
        Measure("question sent to its row in the DOM, p50", percentile(cards, 50), percentile(delays, 50), "ms"),
        Measure("question sent to its row in the DOM, p99", percentile(cards, 99), percentile(delays, 99), "ms"),
        *(
            Measure(f"elicitations per second through the API, {n} at once", ours, bare, "/s")
            for n, ours, bare in rates
        ),
    ]


async def _bare(at_once: int) -> tuple[list[float], float]:
    """Return the milliseconds from each question to its callback, and elicitations per second, of an SDK client."""
    delays: list[float] = []

    async def answer(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG001
        delays.append((time.time_ns() - int(params.message)) / 1e6)
        return ElicitResult(action="accept", content={"yes": True})

    parameters = StdioServerParameters(command=str(SERVER["command"]), args=list(SERVER["args"]))
    async with Client(parameters, mode="legacy", elicitation_callback=answer) as client:
        started = time.perf_counter()
        await asyncio.gather(*(client.call_tool("ask", {"times": TIMES // at_once}) for _each in range(at_once)))
        return delays, TIMES / (time.perf_counter() - started)


async def _cards(served: Program, api: Api) -> list[float]:
    async with async_playwright() as playwright, launched(playwright) as browser:
        page = await browser.new_page()
        await page.goto(served.login)
        await page.wait_for_url(f"{served.base}/")
        await page.evaluate(_WATCH)
        await rate(api, 1, page)
        arrivals: list[float] = await page.evaluate("window.arrivals")
    assert len(arrivals) == TIMES, f"{len(arrivals)} of {TIMES} cards were seen"
    return arrivals


async def rate(api: Api, at_once: int, page: Page | None = None) -> float:
    """Return elicitations per second with so many calls at once; with `page`, each is answered when its row is there.

    Each is answered as soon as the stream of events has it.
    """

    async def answer(request: Json) -> None:
        if page:
            await page.locator(f"#row-{request['id']}").wait_for()
        await api.answer(request, action="accept", content={"yes": True})

    async with api.stream("GET", "/events", timeout=None) as events, asyncio.TaskGroup() as answers:
        body: Json = {"server_id": await api.server("bench"), "kind": "tool", "name": "ask"}
        body["arguments"] = {"times": TIMES // at_once}
        started = time.perf_counter()
        calls = [api.json("POST", "/calls", 202, json=body) for _each in range(at_once)]
        running = {call["id"] for call in await asyncio.gather(*calls)}
        answered: set[str] = set()
        async for line in events.aiter_lines():
            seen = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
            # An event repeats a pending request when something else of it changes.
            if seen.get("kind") == "form" and seen["state"] == "pending" and seen["id"] not in answered:
                answered.add(seen["id"])
                answers.create_task(answer(seen))
            if seen.get("state") == "done":
                running.discard(seen["id"])
            if not running:
                return TIMES / (time.perf_counter() - started)
    raise AssertionError("the stream ended before the calls")
