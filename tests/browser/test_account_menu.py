"""The account menu by keyboard, with and without JavaScript: sign-ins, tokens, theme, language and sign-out."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.axe import complaints
from tests.browser.person import Person

pytestmark = pytest.mark.anyio

GROUND = "getComputedStyle(document.body).backgroundColor"


async def test_the_menu_is_used_by_keyboard_and_keeps_a_theme(writer: Person) -> None:
    page = writer.page
    await page.emulate_media(color_scheme="light")
    await page.goto(f"{writer.served.base}/calls")
    light = await page.evaluate(GROUND)
    button, menu = page.locator("button.account"), page.get_by_role("dialog", name="Account")
    await button.focus()
    await page.keyboard.press("Enter")
    await expect(menu).to_be_visible()
    await page.keyboard.press("Tab")
    await expect(menu.get_by_role("link").first).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(menu).to_be_hidden()
    await expect(button).to_be_focused()
    await button.click()
    await page.locator("button[name=theme][value=dark]").click()
    # The theme is the first thing that is seen of the next page.
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.url == f"{writer.served.base}/calls"
    assert await page.evaluate(GROUND) != light
    await button.click()
    await expect(page.locator("button[name=theme][value=dark]")).to_have_attribute("aria-pressed", "true")
    if writer.scripts:
        assert await complaints(page) == []
        await page.set_viewport_size({"width": 320, "height": 480})
        assert await page.evaluate("document.documentElement.scrollWidth") == 320
    else:
        # Notifications need scripts.
        await expect(page.locator("#attention-bell")).to_be_hidden()
