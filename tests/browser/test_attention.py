"""Attention: title, icon, notifications and sound say that a question waits and from which server, and no more."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Playwright, expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from tests.chromium import launched

pytestmark = pytest.mark.anyio

RECORD = """
// A headless tab is always focused; tests say where the person looks.
document.hasFocus = () => localStorage.getItem("looks") === "yes"
window.notified = []
window.Notification = class extends Notification {
  constructor(title, options) {
    super(title, options)
    notified.push({ title, ...options })
  }
  close() {
    super.close()
    notified.push("closed")
  }
}
const start = OscillatorNode.prototype.start
OscillatorNode.prototype.start = function (...given) {
  const root = document.documentElement
  root.dataset.tones = Number(root.dataset.tones ?? 0) + 1
  return start.apply(this, given)
}
"""
CONTENT = "Wire 9,000 EUR to Mallory?"


@pytest.fixture(scope="module")
async def chromium(playwright: Playwright) -> AsyncIterator[Browser]:
    """Chromium itself: its headless shell denies all notifications."""
    async with launched(playwright, headless_shell=False) as browser:
        yield browser


@pytest.fixture
async def context(chromium: Browser, request: pytest.FixtureRequest) -> AsyncIterator[BrowserContext]:
    context = await chromium.new_context(viewport={"width": 1280, "height": 900})
    if getattr(request, "param", None) != "denied":
        await context.grant_permissions(["notifications"])
    await context.add_init_script(RECORD)
    yield context
    await context.close()


async def looks(person: Person, here: str) -> None:
    await person.page.evaluate(
        "here => { localStorage.setItem('looks', here); dispatchEvent(new Event(here === 'yes' ? 'focus' : 'blur')) }",
        here,
    )


async def notified(persons: Sequence[Person]) -> list[Any]:
    return [each for person in persons for each in await person.page.evaluate("notified")]


async def choose(person: Person, label: str) -> None:
    await person.page.locator("#attention-bell").click()
    await person.page.get_by_label(label).check()
    await person.page.get_by_role("button", name="Close").click()


async def another_tab(person: Person, path: str) -> Person:
    tab = Person(await person.page.context.new_page(), person.served, person.api)
    await tab.page.goto(f"{person.served.base}{path}")
    await tab.live()
    return tab


async def test_title_icon_and_a_chosen_sound_say_that_something_waits(person: Person, asker: str) -> None:
    page = person.page
    await person.live()
    icon = page.locator("link[rel=icon]")
    await expect(icon).to_have_attribute("href", re.compile(r"/icon-[0-9a-f]+\.svg"))
    request = await person.ask(asker, CONTENT)
    await expect(icon).to_have_attribute("href", re.compile(r"/icon-waiting-[0-9a-f]+\.svg"))
    await expect(page).to_have_title(re.compile(r"^\(1\) "))
    response = await page.request.get(person.served.base + (await icon.get_attribute("href") or ""))
    assert response.headers["content-type"] == "image/svg+xml"
    await page.reload()
    await expect(icon).to_have_attribute("href", re.compile("icon-waiting"))
    await person.api.answer(request, action="cancel")
    await expect(icon).not_to_have_attribute("href", re.compile("icon-waiting"))
    # No notification or sound was chosen.
    assert await notified([person]) == []
    assert await page.evaluate("document.documentElement.dataset.tones") is None

    # A sound is heard when it is chosen, is remembered, and comes with a question.
    await looks(person, "no")
    await choose(person, "Sound")
    await expect(page.locator("html")).to_have_attribute("data-tones", "2")
    await page.reload()
    await person.live()
    await page.locator("#attention-bell").click()
    await expect(page.get_by_label("Sound")).to_be_checked()
    await expect(page.get_by_label("Desktop notification")).not_to_be_checked()
    assert await complaints(page) == []
    await page.keyboard.press("Escape")
    await expect(page.locator("#attention")).to_be_hidden()
    await person.ask(asker, CONTENT, opened=False)
    await expect(page.locator("html")).to_have_attribute("data-tones", "2")
    assert await notified([person]) == []


async def test_a_question_is_notified_once_unless_a_tab_is_looked_at(person: Person, asker: str) -> None:
    await looks(person, "no")
    await choose(person, "Desktop notification")
    await expect(person.page.locator("#attention-bell")).to_have_attribute("data-state", "on")
    tab = await another_tab(person, "/calls")
    tabs = [person, tab, await another_tab(person, "/history")]
    await person.page.wait_for_timeout(200)
    request = await person.ask(asker, CONTENT)
    await waits(tabs)
    await person.page.wait_for_timeout(500)
    [notification] = await notified(tabs)
    assert notification["title"] == asker
    assert asker in notification["body"]
    assert CONTENT not in str(notification)
    await person.api.answer(request, action="cancel")
    for each in tabs:
        await expect(each.page).not_to_have_title(re.compile(r"^\(1\) "))
    await person.page.wait_for_timeout(200)
    assert await notified(tabs) == [notification, "closed"]

    # The other tabs do not have the focus, but this one does.
    for each in tabs[1:]:
        await each.page.evaluate("document.hasFocus = () => false; dispatchEvent(new Event('blur'))")
    await looks(person, "yes")
    await person.page.wait_for_timeout(200)
    await person.ask(asker, CONTENT)
    await waits(tabs)
    await person.page.wait_for_timeout(500)
    assert await notified(tabs) == [notification, "closed"]
    # An old question is not shown when a page is loaded, or later.
    staying = [person, tabs[-1]]
    before = await notified(staying)
    await looks(person, "no")
    await tab.page.reload()
    await tab.live()
    await person.page.wait_for_timeout(300)
    assert await notified([tab]) == []
    assert await notified(staying) == before


async def waits(tabs: Sequence[Person]) -> None:
    """Wait until each tab says that one question waits."""
    for tab in tabs:
        await expect(tab.page).to_have_title(re.compile(r"^\(1\) "))


@pytest.mark.parametrize("context", ["denied"], indirect=True)
async def test_denied_permission_is_explained(person: Person) -> None:
    page = person.page
    await page.locator("#attention-bell").click()
    await page.get_by_label("Desktop notification").click()
    await expect(page.locator("#attention-problem")).to_contain_text("site settings")
    await expect(page.get_by_label("Desktop notification")).not_to_be_checked()
    await expect(page.locator("#attention-bell")).to_have_attribute("data-state", "off")
