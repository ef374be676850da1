"""The pages of administrators: long names and names of any script are read whole, wide and on a phone."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.axe import WIDTHS, complaints
from tests.program import Program
from tests.screenshots.company import LONG, PEOPLE, come, company

pytestmark = pytest.mark.anyio

BROKEN = """() => [...document.querySelectorAll("main bdi, main code, main time")].filter((name) => {
  const words = document.createTreeWalker(name, NodeFilter.SHOW_TEXT)
  while (words.nextNode()) {
    for (const { 0: word, index } of words.currentNode.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = document.createRange()
      range.setStart(words.currentNode, index)
      range.setEnd(words.currentNode, index + word.length)
      if (range.getClientRects().length > 1) return true
    }
  }
}).map((name) => name.textContent)"""
"""The names, addresses and times of which a word is on two lines."""


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    """A program with users, who are there."""
    async with company(tmp_path_factory.mktemp("company")) as served:
        await come(served, PEOPLE)
        yield served


@pytest.fixture
async def page(chromium: Browser, served: Program) -> AsyncIterator[Page]:
    """A tab of the administrator."""
    context = await chromium.new_context(viewport={"width": 1280, "height": 900})
    page = await context.new_page()
    await page.goto(f"{served.login}&next=/admin")
    await page.wait_for_url("**/admin")
    yield page
    await context.close()


async def test_names_are_read_whole_and_found_while_one_types(page: Page, served: Program) -> None:
    user = await page.get_by_role("link", name=LONG).get_attribute("href")
    for path in (user, "/admin/audit", "/admin"):
        await page.goto(f"{served.base}{path}")
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": 900})
            assert await page.evaluate(BROKEN) == [], (path, width)
            assert await page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
            await expect(page.locator("main")).to_contain_text(LONG)
        assert await complaints(page) == []
    await page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    people = page.get_by_role("region", name="Users").get_by_role("listitem").get_by_role("link")
    await expect(people).to_have_count(len(PEOPLE) + 1)
    await page.get_by_role("searchbox").fill("小明")
    await expect(people).to_have_count(1)
    await page.get_by_role("searchbox").press("Enter")
    await page.wait_for_url("**/admin/users/*")
    await expect(page.get_by_role("heading", level=1)).to_have_text("王小明")


async def test_an_ended_sign_in_is_over_in_its_open_page(page: Page, chromium: Browser, served: Program) -> None:
    context = await chromium.new_context(user_agent="Mozilla/5.0 (Windows NT 10.0; rv:140.0) Firefox/140.0")
    other = await context.new_page()
    await other.goto(f"{served.login}&next=/")
    await other.wait_for_url(f"{served.base}/")
    await expect(other.locator("#stream-state")).to_be_hidden()
    await page.locator("button.account").click()
    await page.get_by_role("link", name="Your sign-ins").click()
    assert await complaints(page) == []
    await page.get_by_role("button", name="End sign-in: Firefox on Windows").first.click()
    await expect(page.get_by_role("listitem").filter(has_text="Firefox on Windows")).to_have_count(0)
    await expect(other.locator("#signed-out")).to_be_visible()
    await context.close()
