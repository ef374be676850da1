"""The inbox in a page of another site: signed in by its backend, answered in the frame, and safe from hostile pages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from playwright.async_api import Browser, FrameLocator, Locator, Page, expect

from tests.browser.chat_app import ChatApp, chat_app
from tests.embedders.minting import ISSUER, SECRET
from tests.mcp_servers import entry
from tests.program import Api, Program, program
from webclient.model import Json

pytestmark = pytest.mark.anyio

SCOPES = ["inbox", "calls", "embed:admin"]


@dataclass
class Embedded:
    """The chat app, the inbox that it embeds, and the API for its users."""

    app: ChatApp
    served: Program
    users: dict[str, Api] = field(default_factory=dict)

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


@pytest.fixture(scope="module")
async def embedded(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Embedded]:  # noqa: ARG001
    folder = tmp_path_factory.mktemp("embedded")
    async with chat_app() as app:
        chat = {"issuer": ISSUER, "origins": [app.origin], "secret_env": "CHAT_SECRET", "may": SCOPES}
        (folder / "embedders.json").write_text(json.dumps({"chat": chat}))
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("CHAT_SECRET", SECRET)
            options = ["--embedders", str(folder / "embedders.json")]
            async with program(folder, servers={"asker": entry("asker")}, options=options) as served:
                app.base = served.base
                embedded = Embedded(app, served)
                yield embedded
                for api in embedded.users.values():
                    await api.aclose()


@pytest.fixture
async def page(chromium: Browser) -> AsyncIterator[Page]:
    context = await chromium.new_context(viewport={"width": 900, "height": 700})
    yield await context.new_page()
    await context.close()


def frame_of(page: Page) -> FrameLocator:
    return page.frame_locator("mcp-inbox iframe")


async def events(page: Page, type_: str) -> list[Json]:
    return [each for each in await page.evaluate("events") if each["type"] == type_]


async def opened(page: Page, embedded: Embedded, **parameters: str) -> FrameLocator:
    """Open the chat app, and wait until the frame shows the inbox."""
    await page.goto(embedded.app.url(**{"sub": "ada"} | parameters))
    await page.wait_for_function("events.some(({ type }) => type === 'ready')")
    return frame_of(page)


async def press(button: Locator) -> None:
    """Click a button once its card has been in sight for long enough."""
    await expect(button.locator("xpath=ancestor::article")).to_have_attribute("data-armed", "")
    await button.click()


async def heard(page: Page, type_: str, **detail: Any) -> None:
    """Wait until the page has heard such an event."""
    script = """([type, detail]) => events.some((event) =>
      event.type === type && Object.entries(detail).every(([name, value]) => event[name] === value))"""
    await page.wait_for_function(script, arg=[type_, detail])


async def test_a_question_is_answered_in_the_frame(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded)
    [cookie] = await page.context.cookies(embedded.served.base)
    assert cookie["partitionKey"] == "http://localhost"
    # From here on as in a browser that keeps no cookies at all: the frame has its session in memory.
    await page.context.clear_cookies()
    request = await embedded.ask("ada", "Which secret plan?")
    card = frame.locator(f"#request-{request['id']}")
    await expect(card).to_be_visible()
    await heard(page, "pending", count=1)
    await frame.get_by_label("Name").fill("Ada")
    await press(card.locator("button[value=accept]"))
    await heard(page, "settled", id=request["id"], action="accept")
    await heard(page, "pending", count=0)
    await heard(page, "call", id=request["call_id"], state="done")
    assert await page.evaluate("document.querySelector('mcp-inbox').pending") == 0
    said = json.dumps(await page.evaluate("events"))
    assert "plan" not in said
    assert "Ada" not in said


async def test_a_covered_question_takes_no_answer(page: Page, embedded: Embedded) -> None:
    # What covers it lets clicks through, as that of an attacker does.
    cover = "#cover { background: #fff; inset: 0; opacity: 0.99; pointer-events: none; position: fixed }"
    frame = await opened(page, embedded, sub="eve", style=cover, script='<div id="cover">Click here for a prize!</div>')
    request = await embedded.ask("eve")
    decline = frame.locator(f"#request-{request['id']} button[value=decline]")
    async with asyncio.timeout(30):
        while not await events(page, "error"):
            await decline.click()
    assert {each["code"] for each in await events(page, "error")} == {"not-visible"}
    assert (await (await embedded.user("eve")).json("GET", f"/requests/{request['id']}"))["state"] == "pending"
    await page.evaluate("document.getElementById('cover').remove()")
    await press(decline)
    await heard(page, "settled", id=request["id"], action="decline")


async def test_a_page_of_another_origin_cannot_show_the_frame(page: Page, embedded: Embedded) -> None:
    minted = embedded.app.minted
    await page.goto(embedded.app.url(host="evil.example", sub="ada"))
    # It frames us with the name of the right page as well, and answers in its place.
    await page.evaluate(
        """async ([base, host]) => {
          const frame = document.createElement("iframe")
          frame.src = `${base}/embed/chat?host=${encodeURIComponent(host)}`
          const loaded = new Promise((resolve) => (frame.onload = resolve))
          document.body.append(frame)
          await loaded
          frame.contentWindow.postMessage({ ns: "mcp-inbox", type: "welcome", v: 1 }, "*", [new MessageChannel().port2])
        }""",
        [embedded.served.base, embedded.app.origin],
    )
    for frame in page.frames[1:]:
        assert frame.url.startswith("chrome-error:")
    assert await events(page, "token-needed") == []
    assert embedded.app.minted == minted


async def test_forged_messages_change_nothing(page: Page, embedded: Embedded) -> None:
    forged = """<script type="module">addEventListener("message", (event) => {
      if (event.data?.type !== "hello") return
      events.push({ type: "heard", origin: event.origin })
      // A welcome after that of the element, and a greeting that comes from no frame.
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data }) => events.push({ type: "stolen", data })
      event.source.postMessage({ ns: "mcp-inbox", type: "welcome", v: 1 }, event.origin, [port2])
      postMessage({ ns: "mcp-inbox", type: "hello", v: [1] }, "*")
    })</script>"""
    minted = embedded.app.minted
    frame = await opened(page, embedded, sub="kim", script=forged)
    request = await embedded.ask("kim")
    await expect(frame.locator(f"#request-{request['id']}")).to_be_visible()
    await heard(page, "heard", origin=embedded.served.base)
    # The element listens first, so its port is the one; the other one hears nothing.
    assert await events(page, "stolen") == []
    assert embedded.app.minted == minted + 2  # of the frame, and of the test's own session


async def test_a_link_opens_from_the_click_in_the_frame(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="liz")
    request = await embedded.ask("liz", tool="ask_url", url=f"http://127.0.0.1:{embedded.app.port}/")
    card = frame.locator(f"#request-{request['id']}")
    async with page.context.expect_page() as opening:
        await press(card.locator("button[value=accept]"))
    tab = await opening.value
    await tab.wait_for_url(f"http://127.0.0.1:{embedded.app.port}/")
    assert await tab.evaluate("opener") is None
    await heard(page, "settled", id=request["id"], action="accept")


async def test_the_questions_open_in_a_tab_once(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="max")
    request = await embedded.ask("max")
    # Chromium drops clicks into a frame that has just moved or grown, if that watches what covers it.
    await expect(frame.locator(f"#request-{request['id']}")).to_have_attribute("data-armed", "")
    async with page.context.expect_page() as opening:
        await frame.get_by_role("button", name="Open in a tab").click()
    tab = await opening.value
    await tab.wait_for_url("**/panel/chat/tab*")
    await expect(tab.locator(f"#request-{request['id']}")).to_be_visible()
    await press(tab.locator("button[value=decline]"))
    await heard(page, "settled", id=request["id"], action="decline")
    # The rest of the program is closed to that tab.
    assert (await tab.goto(f"{embedded.served.base}/servers")).status == 403  # type: ignore[union-attr]


async def test_a_theme_never_reaches_who_asks(page: Page, embedded: Embedded) -> None:
    style = ":root { --color-background-primary: #102030; --color-text-primary: #fff; --color-text-secondary: #ddd; "
    style += "--color-background-secondary: #102030; --color-background-tertiary: #000; --color-text-info: #9cf; "
    style += "--border-radius-lg: url(//evil.example) }"
    frame = await opened(page, embedded, sub="ned", style=style, more='color-scheme="dark" density="compact"')
    request = await embedded.ask("ned")
    card = frame.locator(f"#request-{request['id']}")
    ground = "element => getComputedStyle(element).backgroundColor"
    assert await card.evaluate(ground) == "rgb(16, 32, 48)"
    assert await card.locator(".card__head").evaluate(ground) != "rgb(16, 32, 48)"
    # White on white would hide the question: it is left out, and the page hears of it.
    await page.evaluate("document.documentElement.style.setProperty('--color-background-primary', '#fff')")
    await heard(page, "error", code="contrast")
    assert await card.evaluate(ground) not in ("rgb(16, 32, 48)", "rgb(255, 255, 255)")


async def test_another_person_sees_nothing_of_the_one_before(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="oda")
    request = await embedded.ask("oda", "For Oda alone")
    await expect(frame.locator(f"#request-{request['id']}")).to_be_visible()
    other = embedded.app.token("pia")
    await page.evaluate("(token) => { inbox.getToken = () => token; events.length = 0 }", other)
    # The session is ended, as by the application when the person signs out.
    headers = {"Authorization": f"Bearer {embedded.app.token('oda', scope='embed:admin')}"}
    async with httpx2.AsyncClient() as client:
        address = f"{embedded.served.base}/api/v1/embed/sessions?sub=oda"
        assert (await client.delete(address, headers=headers)).status_code == 200
    await heard(page, "token-needed", why="refused")
    await expect(frame.locator(f"#request-{request['id']}")).to_have_count(0)


async def test_focus_goes_in_and_escape_brings_it_back(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="ron", more='display="badge"')
    request = await embedded.ask("ron")
    await heard(page, "pending", count=1)
    badge = page.get_by_role("button", name="Questions")
    await expect(badge).to_have_attribute("aria-expanded", "false")
    await badge.click()
    heading = frame.locator(f"#title-{request['id']}")
    await expect(heading).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(badge).to_be_focused()
    await expect(badge).to_have_attribute("aria-expanded", "false")
