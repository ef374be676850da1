"""A language is chosen on a page; all later parts of the page are in it, also if another tab chooses another one."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from webclient.domain.languages import translations
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "title": "N"}}, "required": ["n"]}
CHINESE = translations("zh-Hans").gettext


async def opened(person: Person, path: str) -> Person:
    """Open a page in another tab."""
    tab = Person(await person.page.context.new_page(), person.served, person.api)
    await tab.page.goto(person.served.base + path)
    await tab.live()
    return tab


async def choose_chinese(person: Person) -> None:
    """Press the button for Chinese."""
    await person.page.locator("button.account").click()
    await person.page.locator("button[name=language][value=zh-Hans]").click()
    await expect(person.page.locator("html")).to_have_attribute("lang", "zh-Hans")


async def test_each_tab_keeps_its_language(person: Person, asker: str) -> None:
    settled, wrong = [await person.ask(asker, f"Question {n}", schema=SCHEMA) for n in range(2)]
    english = await opened(person, f"/calls/{settled['call_id']}")
    typing = await opened(person, f"/requests/{wrong['id']}")
    await choose_chinese(person)
    chinese = await opened(person, f"/calls/{settled['call_id']}")
    await person.api.answer(settled, action="decline")
    await expect(english.outcome(settled)).to_contain_text("Declined.")
    await expect(chinese.outcome(settled)).to_contain_text(CHINESE("Declined."))
    await typing.read(wrong)
    await typing.card(wrong).locator("button[value=accept]").click()
    await expect(typing.card(wrong).locator("[aria-invalid=true]")).to_be_visible()
    await expect(typing.card(wrong).locator("button[value=decline]")).to_have_text("Decline")
    await typing.page.reload()
    await expect(typing.card(wrong).locator("button[value=decline]")).to_have_text(CHINESE("Decline"))
    await _fits_and_is_accessible(person, await person.ask(asker, "هل توافق؟", schema=SCHEMA, opened=False))


async def _fits_and_is_accessible(person: Person, request: Json) -> None:
    """Look at pages in Chinese that show a question in Arabic."""
    for path in ("/", f"/requests/{request['id']}", f"/calls/{request['call_id']}", f"/servers/{request['server_id']}"):
        await person.page.goto(person.served.base + path)
        # The page of the question has all that the inbox has.
        assert path == "/" or await complaints(person.page) == [], path
        await person.page.set_viewport_size({"width": 320, "height": 256})
        assert await person.page.evaluate("document.documentElement.scrollWidth") == 320, path
        await person.page.set_viewport_size({"width": 1280, "height": 900})
