"""The skills of a hostile server by keyboard: a list, a skill, its files and a download, and nothing else is loaded."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
import pytest
from playwright.async_api import Page, expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from tests.mcp_servers import entry
from tests.mcp_servers.skilled import REFUNDS
from tests.program import Program, program

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with program(tmp_path_factory.mktemp("skills"), servers={"it": entry("skilled")}) as running:
        yield running


async def tab_to(page: Page, name: str) -> None:
    """Press Tab until the link or button with this text has the focus."""
    for _press in range(60):
        await page.keyboard.press("Tab")
        if name in await page.evaluate("document.activeElement.textContent"):
            return
    raise AssertionError(f"{name} is not reached")


async def test_a_skill_is_read_by_keyboard(person: Person) -> None:
    """Also one that is not listed, on a phone."""
    page, strays = person.page, list[str]()
    page.on("request", lambda sent: None if sent.url.startswith(person.served.base) else strays.append(sent.url))
    server = await person.api.server("it")
    await page.goto(f"{person.served.base}/servers/{server}/tools")
    await tab_to(page, "Skills")
    await page.keyboard.press("Enter")
    await expect(page.locator("[data-fault]")).not_to_have_count(0)
    assert await complaints(page) == []
    await tab_to(page, "acme/billing/refunds")
    await page.keyboard.press("Enter")
    file = page.locator("#file")
    await expect(file).to_have_attribute("data-integrity", "verified")
    await expect(page.locator("main a[href*='://']")).to_have_count(0)
    assert await complaints(page) == []
    await tab_to(page, "refund.py")
    await page.keyboard.press("Enter")
    await expect(file.get_by_role("heading")).to_have_text("scripts/refund.py")
    await expect(file).to_be_in_viewport()
    await tab_to(page, "Download")
    async with page.expect_download() as downloading:
        await page.keyboard.press("Enter")
    download = await downloading.value
    assert download.suggested_filename == "refund.py"
    assert await anyio.Path(await download.path()).read_bytes() == REFUNDS["scripts/refund.py"]
    await page.set_viewport_size({"width": 390, "height": 800})
    await page.goto(f"{person.served.base}/servers/{server}/skills")
    await page.get_by_text("Open a skill that is not listed").click()
    await page.get_by_label("Address of the skill").fill("skill://hidden/SKILL.md")
    await page.keyboard.press("Enter")
    await expect(file).to_have_attribute("data-integrity", "verified")
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await page.get_by_role("link", name="All skills").click()
    await expect(page.locator("#skills")).to_be_visible()
    assert await complaints(page) == []
    assert strays == []
