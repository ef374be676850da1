"""The pages of tokens and agents: what an agent needs is shown, and a token for it is made."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.axe import complaints
from tests.browser.person import Person

pytestmark = pytest.mark.anyio


async def test_a_token_for_one_server_is_made(writer: Person) -> None:
    page = writer.page
    await page.goto(f"{writer.served.base}/tokens")
    await page.get_by_label("Program", exact=True).fill("Travel agent")
    await expect(page.get_by_label("All, also those")).to_be_hidden()
    await page.get_by_label("Call your servers through the gateway").check()
    await page.get_by_label("Ask you questions").uncheck()
    await expect(page.get_by_label("Demo trips")).to_be_hidden()
    await page.get_by_label("Only these").check()
    await page.get_by_label("Patience").fill("soon")
    await page.get_by_role("button", name="Create token").click()
    await expect(page.get_by_text("Choose at least one server.")).to_be_visible()
    await page.get_by_label("Demo trips").check()
    if writer.scripts:
        await page.get_by_role("button", name="Create token").click()
        await expect(page.get_by_label("Patience")).to_be_focused()
    await page.get_by_label("Patience").fill("270")
    if writer.scripts:
        assert await complaints(page) == []
    await page.get_by_role("button", name="Create token").click()
    await expect(page.locator("#secret")).to_contain_text("mcpweb_")
    token = page.locator("#tokens").get_by_role("listitem").filter(has_text="Travel agent").first
    await expect(token).to_contain_text("Servers: Demo trips")
    await expect(token).to_contain_text("Patience: 270 seconds")
    if writer.scripts:
        await page.goto(f"{writer.served.base}/agents")
        await expect(page.get_by_role("button", name="Copy lines for Cursor")).to_be_visible()
        assert await complaints(page) == []
