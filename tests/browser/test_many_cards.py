"""Two hundred and fifty questions in a browser: rows instead of forms, and an arrival that changes one row alone."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.person import Person

pytestmark = pytest.mark.anyio

WAITING = 249
WATCH = """() => {
  window.shifts = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) shifts += entry.value
  }).observe({ type: "layout-shift" })
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
"""Notes the shifts, and the rows and cards in which anything changes: work for one row, however many there are."""


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

    another = await person.ask(asker, "One more", opened=False)
    await expect(person.request_row(another)).to_be_attached()
    touched = await person.page.evaluate("() => [...touched]")
    assert {id_ for id_ in touched if not id_.startswith("done-")} == {f"entry-{another['call_id']}"}
    await person.api.answer(another, action="decline")
    await expect(person.page.locator(f"#entries #row-{another['id']}")).to_have_count(0)
    assert await person.page.evaluate("shifts") == 0

    await expect(field).to_be_focused()
    await person.page.keyboard.type("!")
    await expect(field).to_have_value("half type!d")
    await person.api.json("POST", f"/calls/{call['id']}/cancel")
