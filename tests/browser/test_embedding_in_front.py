"""A frame that comes to the front of its page by itself, so that the first press counts, and looks as before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.async_api import Page, expect

from tests.browser.embedding import Embedded, events, heard
from tests.browser.test_embedding_in_chats import AT, BARS, SCROLLER, read_through, scroll_to, visited

pytestmark = pytest.mark.anyio

FADED = replace(BARS, style="body { opacity: 0.5 } mcp-inbox { scale: 0.9 }")

PANEL = "inbox.shadowRoot.querySelector('[part=panel]')"
SPOT = f"{PANEL}.parentElement"
FLOATS = f"""() => {{
  const [own, place] = [{PANEL}, {SPOT}].map((each) => each.getBoundingClientRect())
  const differs = (name) => Math.abs(own[name] - place[name]) > 0.1
  return {PANEL}.matches(":popover-open") && !["left", "top", "width", "height"].some(differs)
}}"""
"""Returns whether the frame is in the top layer, where it is in the page."""

COUNT_RETURNS = f"""() => {{
  window.returns = 0
  new MutationObserver(() => {PANEL}.popover || window.returns++).observe({PANEL}, {{ attributeFilter: ["popover"] }})
}}"""
"""Counts how often it goes back from there: on a busy machine it is there again before anyone looks."""


async def goes_back_when(page: Page, moving: str) -> None:
    """Run a script of the page; wait until the frame has left the top layer."""
    await page.evaluate(f"window.returns = 0; {moving}")
    await page.wait_for_function("window.returns")


async def test_a_frame_in_front_of_bars_leaves_them_alone(page: Page, embedded: Embedded) -> None:
    frame, request_id = await visited(page, embedded, BARS, "front")
    await page.evaluate(
        "document.querySelector('header').id = 'header'; document.querySelector('footer').id = 'footer'"
    )
    card = frame.locator(f"#request-{request_id}")
    await scroll_to(page, card.locator("button[value=decline]"), 0.3)
    await expect(card).to_have_attribute("data-armed", "")
    # The bars are where they were, and work; nothing was reported, lifted or focused.
    assert [await page.evaluate(AT, y) for y in (5, 210, 695)] == ["header", "inbox", "footer"]
    await page.locator("#composer").click()
    await page.keyboard.type("Hello")
    await expect(page.locator("#composer")).to_have_value("Hello")
    await expect(page.locator("mcp-inbox").get_by_role("dialog")).to_have_count(0)
    # What opens over the frame is on top of it, also if it comes without a press.
    await expect(card).to_have_attribute("data-armed", "")
    layer = (
        '<div id="layer" style="background: red; height: 60px; inset: 180px 0 auto; position: fixed; z-index: 1"></div>'
    )
    await page.evaluate(f"document.body.insertAdjacentHTML('beforeend', '{layer}')")
    await page.wait_for_function(f"({AT})(210) === 'layer'")
    await expect(card).not_to_have_attribute("data-armed", "")
    await page.evaluate("document.getElementById('layer').remove()")
    await expect(card).to_have_attribute("data-armed", "")
    assert not await events(page, "covered")
    # It goes back when nothing waits any more.
    assert await page.evaluate(f"{SPOT}.style.zIndex")
    await card.locator("button[value=decline]").press("Enter")
    await page.wait_for_function("inbox.pending === 0")
    assert not await page.evaluate(f"{SPOT}.style.zIndex")


async def test_a_faded_page_shows_its_question_as_it_is(page: Page, embedded: Embedded) -> None:
    frame, request_id = await visited(page, embedded, FADED, "faded")
    card = frame.locator(f"#request-{request_id}")
    await scroll_to(page, card.locator("button[value=decline]"), 0.4)
    await page.wait_for_function(FLOATS)
    # It is not a dialog, and keeps the focus and what is typed while it comes and goes.
    await expect(page.locator("mcp-inbox").get_by_role("dialog")).to_have_count(0)
    await card.get_by_label("Name").fill("A")
    await page.evaluate(COUNT_RETURNS)
    for _ in range(2):
        await goes_back_when(page, f"{SCROLLER}.scrollBy(0, 20)")
        await page.keyboard.type("d")
        await page.wait_for_function(FLOATS)
    await expect(card.get_by_label("Name")).to_have_value("Add")
    # It does not flicker while the person types in the page.
    await page.locator("#composer").focus()
    await page.keyboard.type("Hello")
    assert await page.evaluate(FLOATS)
    await expect(page.locator("#composer")).to_have_value("Hello")
    # It goes with the page that moves it.
    await goes_back_when(page, "document.querySelector('main').style.marginTop = '30px'")
    await page.wait_for_function(FLOATS)
    await expect(card).to_have_attribute("data-armed", "")
    assert not await events(page, "covered")
    # What opens over it is on top.
    await page.evaluate("document.body.insertAdjacentHTML('beforeend', '<dialog>Wait</dialog>')")
    await page.evaluate("document.querySelector('dialog').showModal()")
    await page.wait_for_function(f"!{PANEL}.popover")
    await page.evaluate("document.querySelector('dialog').close()")
    await page.wait_for_function(FLOATS)


async def test_a_cover_over_a_frame_in_front_counts(page: Page, embedded: Embedded) -> None:
    frame, request_id = await visited(page, embedded, FADED, "over")
    card = frame.locator(f"#request-{request_id}")
    await scroll_to(page, card.locator("button[value=decline]"), 0.4)
    await page.wait_for_function(FLOATS)
    await expect(card).to_have_attribute("data-armed", "")
    # It lets presses through, so the element does not find it.
    await page.evaluate(
        """() => {
          const cover = document.createElement("div")
          cover.style.cssText = "background: red; height: 90vh; opacity: 0.99; pointer-events: none; width: 90vw"
          cover.popover = "manual"
          document.documentElement.append(cover)
          cover.showPopover()
        }"""
    )
    await expect(card).not_to_have_attribute("data-armed", "")
    await card.locator("button[value=accept]").evaluate("(button) => button.click()")
    await expect(card.locator(".refusal")).to_have_count(1)
    assert not await events(page, "settled")


async def test_a_hidden_question_does_not_come_forward(page: Page, embedded: Embedded) -> None:
    frame, request_id = await visited(page, embedded, replace(FADED, style="mcp-inbox { opacity: 0 }"), "hidden")
    card = frame.locator(f"#request-{request_id}")
    await scroll_to(page, card.locator("button[value=decline]"), 0.4)
    await heard(page, "covered")
    assert not await page.evaluate(f"{PANEL}.popover")
    await page.evaluate("inbox.style.opacity = 0.5")
    await page.wait_for_function(FLOATS)


PRESS_AT_ONCE = """(card) => {
  const press = (_, watching) => {
    if (card.hasAttribute("data-armed")) return
    watching.disconnect()
    card.querySelector("button[value=accept]").click()
  }
  new MutationObserver(press).observe(card, { attributeFilter: ["data-armed"] })
}"""
"""Presses the button that accepts as soon as it counts no more, which is half a second."""


async def test_a_press_right_after_a_scroll_is_asked_for_again(page: Page, embedded: Embedded) -> None:
    frame, request_id = await visited(page, embedded, BARS, "hasty")
    card = frame.locator(f"#request-{request_id}")
    accept = card.locator("button[value=accept]")
    await read_through(page, card)
    await scroll_to(page, accept, 0.4)
    await expect(card).to_have_attribute("data-armed", "")
    await card.evaluate(PRESS_AT_ONCE)
    await page.evaluate(f"{SCROLLER}.scrollBy(0, 20)")
    moved = await frame.locator("#refusal").evaluate("(each) => each.content.firstElementChild.dataset.moved")
    await expect(card.locator(".refusal p").first).to_have_text(moved)
    # It is not lifted for that, and the second press counts.
    await expect(card).to_have_attribute("data-armed", "")
    await expect(page.locator("mcp-inbox").get_by_role("dialog")).to_have_count(0)
    await accept.press("Enter")
    await heard(page, "settled", id=request_id, action="accept")
