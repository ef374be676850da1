"""The page of the guided demo, as tests use it."""

from __future__ import annotations

from playwright.async_api import Locator, expect

from tests.browser.person import Person


class Guide:
    """The page of the guide, in front of a person."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.page = person.page

    async def open(self, scene: str = "book", *, present: bool = False) -> None:
        """Open the guide at a scene."""
        await self.page.goto(f"{self.person.served.base}/demo?scene={scene}{'&present' if present else ''}")

    async def run(self, scene: str) -> Locator:
        """Run a scene with one click, and return its first card."""
        await self.open(scene)
        await self.page.locator("#scene-status button").click()
        await expect(self.card).to_be_visible()
        return self.card

    @property
    def card(self) -> Locator:
        """The first card of the scene."""
        return self.page.locator("#cards article").first

    async def answer(self, action: str) -> None:
        """Press a button of the first card, once it takes clicks."""
        await self.card.locator(f"button[name=action][value={action}]").click()

    async def happened(self, code: str) -> Locator:
        """Wait for the sentence on what happened, and return it."""
        sentence = self.page.locator("#happened [data-code]")
        await expect(sentence).to_have_attribute("data-code", code)
        return sentence
