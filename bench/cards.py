"""How an inbox with 200 pending questions of 13 fields each loads in a real browser, against an empty one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from statistics import median

from playwright.async_api import Page, async_playwright

from bench.measures import Measure
from bench.tabs import seen
from tests.chromium import launched
from tests.program import Api, Program
from webclient.domain.model import Json

REQUESTS = 200
LOADS = 5

_LOADED = """() => {
  const [load] = performance.getEntriesByType("navigation")
  const [paint] = performance.getEntriesByName("first-contentful-paint")
  return [load.responseStart, paint.startTime, load.domContentLoadedEventEnd, load.transferSize]
}"""
_KEY = """async (id) => {
  const field = document.querySelector(`#${id} input[type=text]`)
  field.focus()
  const started = performance.now()
  document.execCommand("insertText", false, "a")
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  return performance.now() - started
}"""


@dataclass(frozen=True, slots=True)
class Load:
    """One loading of the inbox, in milliseconds from its beginning; and its HTML over the wire."""

    answered: float
    painted: float
    usable: float
    kilobytes: float


async def measure(served: Program) -> list[Measure]:
    """Return the measures."""
    async with served.client() as api, async_playwright() as playwright, launched(playwright) as browser:
        page = await browser.new_page()
        await page.goto(served.login)
        await page.wait_for_url(f"{served.base}/")
        empty = await _loads(page, served)
        call, pending = await fill(api)
        full = await _loads(page, served)
        assert await page.locator("#entries .request-row").count() == REQUESTS
        push = await _push(page, api)
        for each in pending:
            await api.answer(each, action="cancel")
        await api.in_state(call, "done")
    return [
        Measure(
            f"inbox of {REQUESTS} questions: first byte, against an empty one", full.answered, empty.answered, "ms"
        ),
        Measure(f"inbox of {REQUESTS} questions: first paint, against an empty one", full.painted, empty.painted, "ms"),
        Measure(f"inbox of {REQUESTS} questions: usable, against an empty one", full.usable, empty.usable, "ms"),
        Measure(f"inbox of {REQUESTS} questions: HTML (compressed)", full.kilobytes, empty.kilobytes, "kB"),
        Measure(f"a card of {REQUESTS}: a key pressed to its letter painted", push, None, "ms"),
    ]


async def fill(api: Api, count: int = REQUESTS) -> tuple[Json, list[Json]]:
    """Have so many questions pending; return their call and them."""
    async with api.stream("GET", "/events", timeout=None) as events:
        call = await api.call("bench", "ask_at_once", {"times": count})
        async for line in events.aiter_lines():
            if line.startswith("data: ") and json.loads(line.removeprefix("data: ")).get("call_id") == call["id"]:
                found = await api.json("GET", "/requests", params={"state": "pending", "call_id": call["id"]})
                if len(found["requests"]) == count:
                    return call, found["requests"]
    raise AssertionError("the stream ended")


async def _loads(page: Page, served: Program) -> Load:
    loads = []
    for _each in range(LOADS):
        await page.goto(served.base)
        await seen(page, "performance.getEntriesByName('first-contentful-paint').length")
        loads.append(await page.evaluate(_LOADED))
    answered, painted, usable, size = (median(values) for values in zip(*loads, strict=True))
    return Load(answered, painted, usable, size / 1000)


async def _push(page: Page, api: Api) -> float:
    [first, *_rest] = (await api.json("GET", "/requests", params={"state": "pending"}))["requests"]
    await page.locator(f"#row-{first['id']} a").first.click()
    await page.locator(f"#request-{first['id']} input[type=text]").first.wait_for()
    times = [await page.evaluate(_KEY, f"request-{first['id']}") for _each in range(LOADS)]
    return float(median(times))
