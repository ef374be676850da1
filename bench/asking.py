"""How fast questions travel: from the server to a card in a real browser, and through the API and back.

The yardstick is the same server driven by a bare SDK client whose callback answers at once.
"""

from __future__ import annotations

import json
import time
from typing import Any

from mcp import Client
from mcp.client import ClientRequestContext
from mcp.client.stdio import StdioServerParameters
from mcp.types import ElicitRequestParams, ElicitResult
from playwright.async_api import Page, async_playwright

from bench.measures import SERVER, Measure, percentile
from tests.chromium import launched
from tests.program import Api, Program

TIMES = 200

_WATCH = """() => {
  window.arrivals = []
  new MutationObserver((records) => {
    const seen = performance.timeOrigin + performance.now()
    for (const node of records.flatMap((record) => [...record.addedNodes])) {
      const sent = node.matches?.("article") && node.textContent.match(/\\d{19}/)
      if (sent) window.arrivals.push(seen - Number(sent[0]) / 1e6)
    }
  }).observe(document.body, {childList: true, subtree: true})
}"""


async def measure(served: Program) -> list[Measure]:
    """Return the measures."""
    bare, bare_seconds = await _bare()
    async with served.client() as api:
        cards = await _cards(served, api)
        api_seconds = await _through_api(api)
    return [
        Measure("question sent to card in the DOM, p50", percentile(cards, 50), percentile(bare, 50), "ms"),
        Measure("question sent to card in the DOM, p99", percentile(cards, 99), percentile(bare, 99), "ms"),
        Measure("elicitations per second through the API", TIMES / api_seconds, TIMES / bare_seconds, "/s"),
    ]


async def _bare() -> tuple[list[float], float]:
    delays: list[float] = []

    async def answer(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG001
        delays.append((time.time_ns() - int(params.message)) / 1e6)
        return ElicitResult(action="accept", content={"yes": True})

    parameters = StdioServerParameters(command=str(SERVER["command"]), args=list(SERVER["args"]))
    async with Client(parameters, mode="legacy", elicitation_callback=answer) as client:
        result = await client.call_tool("ask", {"times": TIMES})
    return delays, _seconds(result.structured_content)


async def _cards(served: Program, api: Api) -> list[float]:
    async with async_playwright() as playwright, launched(playwright) as browser:
        page = await browser.new_page()
        await page.goto(served.login)
        await page.wait_for_url(f"{served.base}/")
        await page.evaluate(_WATCH)
        await _answered(api, page)
        arrivals: list[float] = await page.evaluate("window.arrivals")
    assert len(arrivals) == TIMES, f"{len(arrivals)} of {TIMES} cards were seen"
    return arrivals


async def _answered(api: Api, page: Page | None = None) -> float:
    """Answer every question of one call as it comes; with `page`, when its card is there. Returns the seconds."""
    async with api.stream("GET", "/events", timeout=None) as events:
        call = await api.call("bench", "ask", {"times": TIMES})
        async for line in events.aiter_lines():
            seen = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
            if seen.get("kind") == "form" and seen["state"] == "pending":
                if page:
                    await page.locator(f"#request-{seen['id']}").wait_for()
                await api.answer(seen, action="accept", content={"yes": True})
            if seen.get("id") == call["id"] and seen["state"] == "done":
                return _seconds(seen["result"]["structuredContent"])
    raise AssertionError("the stream ended before the call")


async def _through_api(api: Api) -> float:
    return await _answered(api)


def _seconds(structured: Any) -> float:
    return float(structured["result"])
