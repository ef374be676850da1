"""MCP Inspector and ours in a tab: the same clicks, and the moments at which each page shows what they lead to."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any

from playwright.async_api import Locator, Page

TOOL = "Trigger Elicitation Request Tool"
"""The tool of server-everything that asks for a form with 13 fields."""

# In each document from its first moment on. A frame counts when it lays out what is looked for: asking for the
# rectangles in `requestAnimationFrame` makes this frame's layout. A click may lead to another document, so its moment
# is stored. Nothing is looked for at other times, so that one client costs nothing while the other is measured.
_STOPWATCH = """
  const now = () => performance.timeOrigin + performance.now()
  const laidOut = (element) => element?.getClientRects().length > 0
  const sought = (selector, text) =>
    [...document.querySelectorAll(selector)].find((each) => each.textContent.trim() === text)
  const firstFrame = (isThere, done) => {
    const look = () => isThere() ? done() : requestAnimationFrame(look)
    requestAnimationFrame(look)
  }
  const awaitForm = () => firstFrame(() => laidOut(sought(SEND, SEND_TEXT)), () => {
    sessionStorage.setItem("milliseconds", now() - sessionStorage.getItem("clicked"))
    sessionStorage.removeItem("clicked")
  })
  addEventListener("click", (event) => {
    if (event.target.closest("button")?.textContent.trim() !== RUN_TEXT) return
    sessionStorage.setItem("clicked", now())
    awaitForm()
  }, {capture: true})
  if (sessionStorage.getItem("clicked")) awaitForm()
  let parsed = false
  addEventListener("DOMContentLoaded", () => { parsed = true })
  firstFrame(() => parsed && laidOut(document.querySelector(SERVER)), () => { window.usable = performance.now() })
"""


# Playwright's own waiting for a condition evaluates texts, which our Content-Security-Policy refuses.
_WAIT = """() => new Promise((resolve) => {
  const look = () => FOUND ? resolve(FOUND) : requestAnimationFrame(look)
  look()
})"""


async def seen(page: Page, expression: str) -> Any:
    """Wait until a JavaScript expression is true in the page, and return its value."""
    return await page.evaluate(_WAIT.replace("FOUND", expression))


class Tab(ABC):
    """One client in a tab; `run` and `send` are the words of its buttons, the others are selectors."""

    run: str
    send: str
    leave: str
    sends: str
    form: str
    server: str

    def __init__(self, page: Page, link: str) -> None:
        self.page = page
        self.link = link

    async def watch(self) -> None:
        """Put the stopwatch into every document that is opened from now on."""
        constants = {"RUN_TEXT": self.run, "SEND_TEXT": self.send, "SEND": self.sends, "SERVER": self.server}
        given = "".join(f"const {name} = {value!r};" for name, value in constants.items())
        await self.page.add_init_script(f"{{{given}{_STOPWATCH}}}")

    async def click_to_form(self, server: str) -> float:
        """Return the milliseconds from the click that runs the tool to the form."""
        await self.page.bring_to_front()
        await self.choose(server)
        await self.page.evaluate("sessionStorage.removeItem('milliseconds')")
        await self.run_button.click()
        await self.page.locator(self.form).get_by_role("button", name=self.send, exact=True).wait_for()
        return float(await seen(self.page, "sessionStorage.getItem('milliseconds')"))

    async def shown(self) -> str:
        """Return what the form says."""
        return await self.page.locator(self.form).inner_text()

    @property
    def run_button(self) -> Locator:
        """Return the button that runs the chosen tool."""
        return self.page.get_by_role("button", name=self.run, exact=True)

    @abstractmethod
    async def choose(self, server: str) -> None:
        """Go to the tool of this server, connected, so that one click runs it."""

    async def dismiss(self) -> None:
        """Cancel the form, and wait until it is gone."""
        await self.page.locator(self.form).get_by_role("button", name=self.leave, exact=True).click()
        await self.page.locator(self.form).wait_for(state="detached")


class OurTab(Tab):
    """Ours: each server has a page, and running a tool may lead to another."""

    run = "Run"
    send = "Send answer"
    leave = "Dismiss"
    sends = "article button"
    form = "article"
    server = "a[href^='/servers/']"

    async def choose(self, server: str) -> None:
        await self.page.goto(self.link)
        await self.page.get_by_role("link", name=server).first.click()
        await self.page.locator("a.entry-row", has_text=TOOL).click()
        await self.page.locator("#stream-state[data-state=live]").wait_for(state="attached")

    @property
    def run_button(self) -> Locator:
        return self._tool.get_by_role("button", name=self.run, exact=True)

    @property
    def _tool(self) -> Locator:
        return self.page.locator("#runner").filter(has_text=TOOL)


class InspectorTab(Tab):
    """Inspector: one document for everything, and one connected server at a time."""

    run = "Execute Tool"
    send = "Submit"
    leave = "Cancel"
    sends = "[role=dialog] button"
    form = "[role=dialog]"
    server = "input[role=switch]"
    _connected = ""

    async def choose(self, server: str) -> None:
        if server != self._connected:
            await self._connect(server)
        await self.run_button.wait_for()

    async def _connect(self, server: str) -> None:
        await self.page.goto(self.link)
        await self.page.get_by_role("switch", name=f'"{server}"').click(force=True)
        await self.page.locator("label").filter(has_text=re.compile("^Tools$")).click()
        await self.page.get_by_text(TOOL).click()
        self._connected = server

    async def dismiss(self) -> None:
        await super().dismiss()
        await self.page.get_by_role("button", name="Close results").click()
