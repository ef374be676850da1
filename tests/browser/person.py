"""A person at a tab, who looks for what people look for: words, labels and buttons."""

from __future__ import annotations

import asyncio
import re

from playwright.async_api import ConsoleMessage, Locator, Page, expect

from tests.program import PATIENCE, Api, Program
from webclient.domain.model import Json
from webclient.web.http.advance import COOKIE as ADVANCE

_HARMLESS = ("Failed to load resource: the server responded with a status of", "Autofocus processing was blocked")

_TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""After a change of the window's size, scripts hear of what has moved only in the next frame."""


class Person:
    """A person in front of one tab. `complaints` is what the browser had to complain of."""

    def __init__(self, page: Page, served: Program, api: Api, *, scripts: bool = True) -> None:
        self.page = page
        self.scripts = scripts
        self.served = served
        self.api = api
        self.complaints: list[str] = []
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(_HARMLESS):
            self.complaints.append(message.text)

    async def sign_in(self) -> None:
        """Open the link that the program printed, and an inbox without auto-advance."""
        await self.page.context.add_cookies([{"name": ADVANCE, "value": "off", "url": self.served.base}])
        await self.page.goto(f"{self.served.login}&next=/")
        await self.page.wait_for_url(f"{self.served.base}/")

    async def live(self) -> None:
        """Wait until the page is live."""
        await self.sees_stream("live")

    async def sees_stream(self, state: str, within: float | None = None) -> None:
        """Wait, `within` milliseconds, until the stream is `live`, `reconnecting` or `signedOut`."""
        await expect(self.page.locator("#stream-state")).to_have_attribute("data-state", state, timeout=within)

    async def run(self, tool: str, server: str = "Demo trips", **fields: str) -> None:
        """Go to the server, fill in the tool's form and run it."""
        await self.page.goto(self.served.base)
        await self.page.get_by_role("link", name=server).first.click()
        await self.open_tool(tool)
        for label, value in fields.items():
            await self.page.get_by_label(label).fill(value)
        await self.run_button(tool).click()

    def tool(self, title: str) -> Locator:
        """Return the pane of the tool of this title, on the page of its server."""
        heading = self.page.get_by_role("heading", name=title, exact=True)
        return self.page.locator("#runner").filter(has=heading)

    def row(self, title: str) -> Locator:
        """Return the row of the tool of this title, a link."""
        shown = self.page.locator(".entry-row__title", has_text=re.compile(rf"^{re.escape(title)}(\s|$)"))
        return self.page.locator("a.entry-row").filter(has=shown)

    def run_button(self, title: str) -> Locator:
        """Return the button that runs the tool of this title."""
        return self.tool(title).get_by_role("button", name="Run", exact=True)

    async def open_tool(self, tool: str) -> None:
        """Open the tool in its pane, if it is not."""
        await expect(self.row(tool)).to_be_attached()
        if await (back := self.page.locator(".runner__back a")).is_visible() and not await self.tool(tool).is_visible():
            await back.click()
        if not await self.run_button(tool).is_visible():
            await self.row(tool).click()
        await expect(self.run_button(tool)).to_be_visible()

    async def refresh_until(self, wanted: Locator) -> None:
        """Press "Reload", as one does without JavaScript, until it is there."""
        async with asyncio.timeout(PATIENCE):
            while not await wanted.is_visible():
                await self.page.get_by_role("link", name="Reload").click()

    async def ask(self, label: str, message: str, *, opened: bool = True, **arguments: object) -> Json:
        """Have the asking server ask something, and return the request; an inbox shows it, unless not `opened`."""
        call = await self.api.call(label, "ask_form", {"message": message, **arguments})
        [request] = await self.api.pending_requests(call)
        if opened:
            await self.show(request)
        return request

    async def show(self, request: Json) -> None:
        """Open the request, if the page is an inbox that follows."""
        if self.scripts and await self.page.locator("#entries").count():
            await self.open(request)

    def request_row(self, request: Json) -> Locator:
        """Return the row of a request in the list of the inbox."""
        return self.page.locator(f"#row-{request['id']}")

    async def open(self, request: Json) -> None:
        """Click the row of a request, and wait until it is shown at its address."""
        await self.request_row(request).locator("a").click()
        await expect(self.page.locator(f"#detail-{request['id']}")).to_be_visible()
        # The first request is shown before that, at the address of the inbox.
        await self.page.wait_for_url(f"**/requests/{request['id']}*")
        # Where the pointer is, nothing in the list moves.
        await self.page.mouse.move(0, 0)

    async def result(self, call_id: str) -> Json:
        """Wait until the call is done, and return its result."""
        call = await self.api.in_state(await self.api.json("GET", f"/calls/{call_id}"), "done")
        result: Json = call["result"]
        return result

    async def result_here(self) -> Json:
        """Wait until the call that the page shows is done, and return its result."""
        await self.page.wait_for_url("**/calls/*")
        return await self.result(self.page.url.rpartition("/")[2])

    async def received(self, request: Json) -> Json:
        """Return the content that the asking server received as the answer."""
        content: Json = (await self.result(request["call_id"]))["structuredContent"]["content"]
        return content

    def card(self, request: Json) -> Locator:
        """Return the card of a request."""
        return self.page.locator(f"article#request-{request['id']}")

    async def read(self, request: Json) -> None:
        """Wait until the card was shown long enough to take an answer, also from keys."""
        await self.takes_keys(self.card(request).locator("button[value=cancel]"))

    async def takes_keys(self, button: Locator) -> None:
        """Wait until a button takes keys: it takes none just after it came or moved. A click waits by itself."""
        if self.scripts:
            await button.evaluate(_TWO_FRAMES)
        await expect(button).not_to_have_css("pointer-events", "none")

    def outcome(self, request: Json) -> Locator:
        """Return the line into which the card folds once it is settled."""
        return self.page.locator(f"#outcome-{request['id']}")

    async def settled(self, request: Json, state: str = "accepted") -> None:
        """Wait until the card of a request has folded, in this state."""
        await expect(self.outcome(request)).to_have_attribute("data-state", state)

    async def draft_saved(self, request: Json) -> None:
        """Wait until the card says that the typed text was saved, or what was not."""
        await expect(self.card(request).locator(".draft")).not_to_be_empty()

    def not_sent(self, request: Json) -> Locator:
        """Return the place of the card that says why its answer was not sent."""
        return self.card(request).locator(".not-sent")

    async def start_over(self, request: Json) -> Locator:
        """Start the call of a settled request over, and return the new call's card."""
        await self.outcome(request).get_by_role("button", name="Run again").click()
        await self.page.wait_for_url("**/calls/*")
        return self.page.locator("article")

    async def press(self, card: Locator, action: str) -> None:
        """Press one of the card's three buttons."""
        await card.locator(f"button[name=action][value={action}]").click()


def switch(form: Locator | Page, to: str) -> Locator:
    """Return the button that switches a form to `json`, or back to the `form`."""
    return form.locator(f"button[name=edit][value={to}]")


def json_box(form: Locator) -> Locator:
    """Return the box of a form that is edited as JSON."""
    return form.locator("textarea[name=json]")


def link_button(outcome: Locator, action: str) -> Locator:
    """Return the button of an opened link for the action `finished`, `open` or `give-up`."""
    return outcome.locator(f"form[action$='/{action}'] button")


async def open_menu(form: Locator | Page) -> None:
    """Unfold what a card has behind its three dots."""
    folded = form.locator("details.card__more:not([open]) > summary")
    if await folded.count():
        await folded.first.click()


async def switch_to(form: Locator | Page, to: str) -> None:
    """Switch a form to `json`, or back to the `form`."""
    button = switch(form, to).first
    if not await button.is_visible():
        await open_menu(form)
    await button.click()


async def show_form(card: Locator) -> None:
    """Unfold the form of a card that asks for a secret."""
    await card.locator(".folded-form:not([open]) > summary").click()


async def open_preview(form: Locator) -> None:
    """Unfold the preview of a form."""
    await open_menu(form)
    await preview_line(form).click()


def preview_line(form: Locator) -> Locator:
    """Return the line that unfolds the preview of a form; a card has it behind its three dots."""
    return form.locator("details.preview:has([hx-post$='/preview']) > summary")
