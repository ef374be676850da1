"""Two hundred and fifty questions in a browser: rows instead of forms, and an arrival that moves and delays nothing."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.browser.person import Person

pytestmark = pytest.mark.anyio

WAITING = 249
LONG_TASK = 50
"""Milliseconds, as browsers define a long task."""

TRIES = 3
"""A busy machine makes any task long; of so many arrivals, one without a long task shows that none is needed."""

WATCH = """() => {
  window.shifts = window.longest = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) shifts += entry.value
  }).observe({ type: "layout-shift" })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) longest = Math.max(longest, entry.duration)
  }).observe({ type: "longtask" })
  const touched = (window.touched = new Set())
  new MutationObserver((changes) => {
    for (const { target, addedNodes, removedNodes } of changes) {
      for (const node of [target, ...addedNodes, ...removedNodes]) {
        const element = node.closest ? node : node.parentElement
        const row = element?.closest(".request-row, .inbox__entry, article")
        // The age of every row grows with each minute.
        if (row && !element.closest("time")) touched.add(row.id)
      }
    }
  }).observe(document.querySelector("main"), { childList: true, subtree: true, characterData: true })
}"""
"""Notes what is shifted, the longest task, and the rows and cards in which anything changes."""


async def seen(page: Page, name: str) -> float:
    """Return what was noted of the last moments, and forget it."""
    return float(await page.evaluate(f"() => {{ const last = {name}; {name} = 0; return last }}"))


async def test_among_many_requests_an_arrival_changes_one_row(person: Person, asker: str) -> None:
    call = await person.api.call(asker, "ask_many", {"n": WAITING})
    call = await person.api.in_state(call, "input_required")
    waiting = await person.api.pending_requests(call)
    while len(waiting) < WAITING:
        waiting = await person.api.pending_requests(call)
    await person.page.goto(f"{person.served.base}/requests/{waiting[100]['id']}")
    await person.live()
    await expect(person.page.locator(".request-row[data-state=pending]")).to_have_count(WAITING)
    await expect(person.page.locator("article")).to_have_count(1)
    field = person.card(waiting[100]).get_by_label("Name")
    await field.fill("half typed")
    await person.draft_saved(waiting[100])
    await expect(person.request_row(waiting[100]).locator(".request-row__draft")).to_be_visible()
    await field.press("ArrowLeft")
    await person.page.evaluate(WATCH)

    longest = []
    for _try in range(TRIES):
        another = await person.ask(asker, "One more", opened=False)
        await expect(person.request_row(another)).to_be_attached()
        touched = await person.page.evaluate("() => { const ids = [...touched]; touched.clear(); return ids }")
        assert {id_ for id_ in touched if not id_.startswith("done-")} == {f"entry-{another['call_id']}"}
        longest.append(await seen(person.page, "longest"))
        assert await seen(person.page, "shifts") == 0
        await person.api.answer(another, action="decline")
        await expect(person.page.locator(f"#entries #row-{another['id']}")).to_have_count(0)
        await seen(person.page, "longest")
        await person.page.evaluate("touched.clear()")
    assert min(longest) < LONG_TASK

    await expect(field).to_be_focused()
    await person.page.keyboard.type("!")
    await expect(field).to_have_value("half type!d")
    await person.api.json("POST", f"/calls/{call['id']}/cancel")
