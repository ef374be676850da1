"""Two hundred cards in a browser: a change to one card affects neither the others nor the text typed into them."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.browser.person import Person

pytestmark = pytest.mark.anyio

CARDS = 199
WATCH = """() => {
  const touched = (window.touched = new Set())
  const cardOf = (node) => (node.closest ? node : node.parentElement)?.closest("article, .outcome")
  new MutationObserver((changes) => {
    for (const { target, addedNodes, removedNodes } of changes) {
      for (const node of [...addedNodes, ...removedNodes].filter((each) => each.id)) touched.add(node.id)
      const card = cardOf(target)
      if (card) touched.add(card.id)
    }
  }).observe(document.getElementById("cards"), {
    childList: true, subtree: true, attributes: true, characterData: true,
  })
}"""
"""Notes the cards in which anything at all changes: an attribute, a text, a node."""


async def touched(page: Page) -> set[str]:
    """Return the cards that have changed since this was asked last."""
    ids: list[str] = await page.evaluate("() => { const ids = [...touched]; touched.clear(); return ids }")
    return {id_ for id_ in ids if id_.startswith(("request-", "outcome-"))}


async def test_among_two_hundred_cards_a_push_changes_only_one(person: Person, asker: str) -> None:
    call = await person.api.call(asker, "ask_many", {"n": CARDS})
    call = await person.api.in_state(call, "input_required")
    waiting = await person.api.asked(call)
    while len(waiting) < CARDS:
        waiting = await person.api.asked(call)
    await person.page.goto(person.served.base)
    await person.live()
    await expect(person.page.locator("article")).to_have_count(CARDS)
    mine, other = waiting[CARDS // 2], waiting[3]
    field = person.card(mine).get_by_label("Name")
    await field.fill("half typed")
    await expect(person.card(mine).get_by_text("Draft saved.")).to_be_visible()
    await field.press("ArrowLeft")
    await person.page.evaluate(WATCH)

    another = await person.asked(asker, "One more")
    await expect(person.card(another)).to_be_visible()
    assert await touched(person.page) == {f"request-{another['id']}"}

    await person.api.answer(other, action="decline")
    await expect(person.outcome(other)).to_contain_text("Delivered.")
    assert await touched(person.page) == {f"request-{other['id']}", f"outcome-{other['id']}"}

    await expect(field).to_be_focused()
    await person.page.keyboard.type("!")
    await expect(field).to_have_value("half type!d")
    assert await touched(person.page) <= {f"request-{mine['id']}"}
    await person.api.json("POST", f"/calls/{call['id']}/cancel")
