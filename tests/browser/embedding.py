"""A person at a chat app on another site, in whose page the inbox is a frame: the app, the program, and steps."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import FrameLocator, JSHandle, Locator, Page, expect

from tests.browser.chat_app import ChatApp, chat_app
from tests.embedders.minting import ISSUER, SECRET
from tests.mcp_servers import entry
from tests.program import PATIENCE, Api, Program, program
from webclient.domain.model import Json

SCOPES = ["inbox", "calls", "embed:admin"]

BASE_PATH = "/inbox"
"""Every test has the inbox under a path, as behind a proxy; the examples have it at the root."""


@dataclass
class Embedded:
    """The chat app, the inbox that it embeds, and the API for its users."""

    app: ChatApp
    served: Program
    users: dict[str, Api] = field(default_factory=dict)
    folder: Path = field(default_factory=Path)

    async def user(self, sub: str) -> Api:
        """Return the API for one of its users."""
        if sub not in self.users:
            body = {"token": self.app.token(sub, scope="inbox calls")}
            async with httpx2.AsyncClient() as client:
                answer = await client.post(f"{self.served.base}/api/v1/sessions", json=body)
            assert answer.status_code == 201, answer.text
            headers = {"Authorization": f"Bearer {answer.json()['token']}"}
            self.users[sub] = Api(base_url=f"{self.served.base}/api/v1", headers=headers, timeout=30)
        return self.users[sub]

    async def ask(self, sub: str, message: str = "Which colour?", tool: str = "ask_form", **arguments: Any) -> Json:
        """Have the server ask the user something, and return the request."""
        api = await self.user(sub)
        call = await api.call("asker", tool, {"message": message, **arguments})
        [request] = await api.pending_requests(call)
        return dict(request)

    def expire(self, sub: str) -> None:
        """Let the sessions of a user end by their time."""
        with sqlite3.connect(self.folder / "data" / "webclient.sqlite3", timeout=30) as database:
            change = "UPDATE embed_sessions SET ends_at = '2020-01-01 00:00:00' WHERE subject = ?"
            assert database.execute(change, [sub]).rowcount

    async def end(self, sub: str) -> None:
        """End the sessions of a user, as the app does when the user signs out."""
        headers = {"Authorization": f"Bearer {self.app.token(sub, scope='embed:admin')}"}
        async with httpx2.AsyncClient() as client:
            answer = await client.delete(f"{self.served.base}/api/v1/embed/sessions?sub={sub}", headers=headers)
        assert answer.status_code == 200, answer.text
        if api := self.users.pop(sub, None):
            await api.aclose()


@asynccontextmanager
async def embedding(folder: Path, *, base_path: str = BASE_PATH, **servers: Json) -> AsyncIterator[Embedded]:
    """Run both programs while the block runs, with an asking server or these."""
    async with chat_app() as app:
        chat = {"issuer": ISSUER, "origins": [app.origin], "secret_env": "CHAT_SECRET", "may": SCOPES}
        (folder / "embedders.json").write_text(json.dumps({"chat": chat}), "utf-8")
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("CHAT_SECRET", SECRET)
            options = ["--embedders", str(folder / "embedders.json")]
            options += ["--public-url", f"http://127.0.0.1:8765{base_path}"] if base_path else []
            async with program(folder, servers=servers or {"asker": entry("asker")}, options=options) as served:
                app.base = f"{served.base}{base_path}"
                embedded = Embedded(app, served, folder=folder)
                yield embedded
                for api in embedded.users.values():
                    await api.aclose()


def frame_of(page: Page) -> FrameLocator:
    return page.frame_locator("mcp-inbox iframe")


async def events(page: Page, type_: str) -> list[Json]:
    return [each for each in await page.evaluate("events") if each["type"] == type_]


async def opened(page: Page, embedded: Embedded, **parameters: str) -> FrameLocator:
    """Open the chat app, and wait until the frame shows the inbox."""
    await page.goto(embedded.app.url(**{"sub": "ada"} | parameters))
    await page.wait_for_function("events.some(({ type }) => type === 'ready')")
    return frame_of(page)


NOTE_CLICK = """(button) => {
  const noted = { arrived: false }
  const note = () => (noted.arrived = true)
  button.ownerDocument.defaultView.addEventListener("click", note, { capture: true, once: true })
  return noted
}"""
"""Returns what tells whether a click has arrived in the frame since."""


async def press(button: Locator) -> None:
    """Click a button once its card has been in sight for long enough."""
    await button.scroll_into_view_if_needed()
    card = button.locator("xpath=ancestor::article")
    await expect(card).to_have_attribute("data-armed", "")
    if await button.get_attribute("value") in ("accept", "open"):
        await expect(card).to_have_attribute("data-seen", "")
    noted = await button.evaluate_handle(NOTE_CLICK)
    await button.click()
    # Chromium drops clicks into a frame that has just moved or grown.
    async with asyncio.timeout(PATIENCE):
        while not await has_arrived(noted):
            await asyncio.sleep(0.2)
            await button.click()


async def has_arrived(noted: JSHandle) -> bool:
    """Return whether a click has arrived, also if its page was left for it."""
    try:
        return bool(await noted.evaluate("(noted) => noted.arrived"))
    except PlaywrightError:
        return True


async def press_until_taken(card: Locator, press: Callable[[], Awaitable[None]]) -> None:
    """Press, and once more if the frame refused it because the card had just moved."""
    # One that was refused before is not this one.
    await card.locator(".refusal").evaluate_all("(all) => all.forEach((each) => each.remove())")
    await press()
    async with asyncio.timeout(PATIENCE):
        while await card.count() and not await card.locator(".refusal").count():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    if await card.count():
        await expect(card).to_have_attribute("data-armed", "")
        await press()


async def heard(page: Page, type_: str, **detail: Any) -> None:
    """Wait until the page has heard such an event."""
    script = """([type, detail]) => events.some((event) =>
      event.type === type && Object.entries(detail).every(([name, value]) => event[name] === value))"""
    await page.wait_for_function(script, arg=[type_, detail])
