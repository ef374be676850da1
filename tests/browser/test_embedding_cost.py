"""A frame out of sight, or in which nothing waits, uses no processor time to watch itself."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Frame, Page, Request, expect

from tests.browser.embedding import Embedded, heard, opened, press

pytestmark = pytest.mark.anyio

COUNT = """window.samples = 0
window.IntersectionObserver = class extends IntersectionObserver {
  constructor(...given) { super(...given); window.samples++ }
}"""
"""Counts how often the frame looks whether it is in sight."""

LATER = """async () => {
  const before = window.samples
  for (let n = 0; n < 10; n++) await new Promise((resolve) => setTimeout(resolve, 100))
  return window.samples - before
}"""
"""Returns how often it did so in the time of about ten looks."""


async def looks(frame: Frame) -> int:
    """Return how often the frame has looked in about a second."""
    return int(await frame.evaluate(LATER))


async def test_a_frame_without_questions_watches_nothing(page: Page, embedded: Embedded) -> None:
    await page.add_init_script(COUNT)
    frame = await opened(page, embedded, sub="idle")
    assert await looks(page.frames[1]) == 0
    # The control: a question is watched, and after its end nothing is.
    request = await embedded.ask("idle")
    button = frame.locator(f"#request-{request['id']} button[value=decline]")
    await expect(button).to_be_visible()
    assert await looks(page.frames[1]) > 1
    await press(button)
    await heard(page, "settled", id=request["id"], action="decline")
    await page.frames[1].evaluate(LATER)
    assert await looks(page.frames[1]) == 0


@pytest.mark.parametrize("away", ["inbox.style.marginTop = '3000px'", "inbox.setAttribute('display', 'badge')"])
async def test_a_frame_out_of_sight_watches_nothing(page: Page, embedded: Embedded, away: str) -> None:
    await page.add_init_script(COUNT)
    frame = await opened(page, embedded, sub="away")
    request = await embedded.ask("away")
    card = frame.locator(f"#request-{request['id']}")
    await expect(card).to_have_attribute("data-armed", "")
    await page.evaluate(away)
    await expect(card).not_to_have_attribute("data-armed", "")
    # One look may still be under way.
    await page.frames[1].evaluate(LATER)
    assert await looks(page.frames[1]) == 0
    # It notices that it is back.
    await page.evaluate("inbox.scrollIntoView(); inbox.open = true")
    await press(card.locator("button[value=decline]"))
    await heard(page, "settled", id=request["id"], action="decline")


MOST_BYTES = 49_000
"""The bytes of the first load, compressed and without headers, as `docs/embedding.md` says them."""


async def test_the_first_load_is_small(page: Page, embedded: Embedded) -> None:
    loaded: list[Request] = []
    page.on("requestfinished", lambda request: loaded.append(request))  # noqa: PLW0108  (Playwright takes no method of a list)
    await opened(page, embedded, sub="first")
    ours = [each for each in loaded if each.url.startswith(embedded.served.base) and "/stream" not in each.url]
    sizes = {each.url: await each.sizes() for each in ours}
    total = sum(size["responseBodySize"] for size in sizes.values())
    assert total < MOST_BYTES, sizes
    # No sheet or script of the whole program comes along.
    assert not [url for url in sizes if re.search(r"/app-\w+\.", url)]
