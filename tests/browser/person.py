"""What a person does and sees in a tab; it looks for what they would look for: words, labels and buttons."""

from __future__ import annotations

import re

from playwright.async_api import ConsoleMessage, Locator, Page, expect

from tests.program import Api, Program
from webclient.model import Json

_HARMLESS = ("Failed to load resource: the server responded with a status of", "Autofocus processing was blocked")


class Person:
    """A person in front of one tab. `complaints` is what the browser had to complain of."""

    def __init__(self, page: Page, served: Program, api: Api) -> None:
        self.page = page
        self.served = served
        self.api = api
        self.complaints: list[str] = []
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(_HARMLESS):
            self.complaints.append(message.text)

    async def sign_in(self) -> None:
        """Open the link that the program printed."""
        await self.page.goto(self.served.login)
        await self.page.wait_for_url(f"{self.served.base}/")

    async def live(self) -> None:
        """Wait until the page says that it is live."""
        await expect(self.page.get_by_text("Live", exact=True)).to_be_visible()

    async def run(self, tool: str, server: str = "Demo trips", **fields: str) -> None:
        """Go to the server, fill in the tool's form and run it."""
        await self.page.goto(self.served.base)
        await self.page.get_by_role("link", name=server).first.click()
        await self.open_tool(tool)
        for label, value in fields.items():
            await self.page.get_by_label(label).fill(value)
        await self.run_button(tool).click()

    def tool(self, title: str) -> Locator:
        """The tool of this title, on the page of its server."""
        shown = self.page.locator(".catalog-entry__title", has_text=re.compile(rf"^{re.escape(title)}(\s|$)"))
        return self.page.locator("details.catalog-entry").filter(has=shown)

    def run_button(self, title: str) -> Locator:
        """The button that runs the tool of this title."""
        return self.tool(title).get_by_role("button", name="Run", exact=True)

    async def open_tool(self, tool: str) -> None:
        """Unfold the tool, if it is not."""
        summary = self.page.locator("summary").filter(has_text=tool).first
        await expect(summary).to_be_visible()
        button = self.run_button(tool)
        if not await button.is_visible():
            await summary.click()
        await expect(button).to_be_visible()

    async def refresh_until(self, wanted: Locator) -> None:
        """Press "Reload", as one does without JavaScript, until it is there."""
        while not await wanted.is_visible():
            await self.page.get_by_role("link", name="Reload").click()

    async def asked(self, label: str, message: str, **arguments: object) -> Json:
        """Have the asking server ask a question through the API, and return it."""
        call = await self.api.call(label, "ask_form", {"message": message, **arguments})
        [request] = await self.api.asked(call)
        return request

    def card(self, request: Json) -> Locator:
        """The card of a question."""
        return self.page.locator(f"article#request-{request['id']}")

    def outcome(self, request: Json) -> Locator:
        """The line into which the card folds once it is settled."""
        return self.page.locator(f"#outcome-{request['id']}")

    async def start_over(self, request: Json) -> Locator:
        """Start the call of a settled question over, and return the card of the new call, on its page."""
        await self.outcome(request).get_by_role("button", name="Start over").click()
        await self.page.wait_for_url("**/calls/*")
        return self.page.locator("article")

    async def press(self, card: Locator, action: str) -> None:
        """Press one of the card's three buttons."""
        await card.locator(f"button[name=action][value={action}]").click()
