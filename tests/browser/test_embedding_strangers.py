"""Pages that may not show the inbox, and messages that only look like those of the element: they reach nothing."""

from __future__ import annotations

import httpx2
import pytest
from playwright.async_api import Page, expect

from tests.browser.embedding import Embedded, events, heard, opened

pytestmark = pytest.mark.anyio

BLOCKED = "chrome-error:"
"""How the address of a frame begins that its own server has forbidden."""

SHOW = """async (address) => {
  const frame = document.createElement("iframe")
  const loaded = new Promise((resolve) => (frame.onload = resolve))
  frame.src = address
  document.body.append(frame)
  await loaded
}"""
"""Shows an address in a frame, and waits until it has loaded."""


async def test_no_page_is_shown_in_a_strangers_frame(page: Page, embedded: Embedded) -> None:
    await page.goto(embedded.app.url(host="evil.example"))
    await page.evaluate("inbox.remove()")  # whose own frame would be tried again
    for path in ("/", "/login", "/servers", "/embed/chat/tab", "/history"):
        await page.evaluate(SHOW, f"{embedded.app.base}{path}")
        assert page.frames[-1].url.startswith(BLOCKED), path


async def test_a_stranger_around_the_chat_app_shows_no_inbox(page: Page, embedded: Embedded) -> None:
    minted = embedded.app.minted
    await page.goto(embedded.app.url(host="evil.example", more="hidden"))
    await page.evaluate("inbox.remove()")
    await page.evaluate(SHOW, embedded.app.url(sub="nat"))
    nested = page.frame_locator("body > iframe").locator("mcp-inbox")
    await expect(nested).to_be_visible()
    inner = next(each for each in page.frames if each.parent_frame and each.parent_frame.parent_frame)
    assert inner.url.startswith(BLOCKED)
    assert embedded.app.minted == minted


EXCHANGE = """([base, body]) => fetch(`${base}/api/v1/sessions`, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body)
}).then(({ status }) => status, () => 0)"""
"""Exchanges a token as a page can, and returns the status, or 0 if the browser keeps the answer from the page."""


async def test_a_stolen_token_is_refused_to_a_stranger(page: Page, embedded: Embedded) -> None:
    body = {"token": embedded.app.token("stu"), "origin": embedded.app.origin}
    await page.goto(embedded.app.url(host="evil.example"))
    assert await page.evaluate(EXCHANGE, [embedded.app.base, body]) == 0
    # The control: it was not used up, and is good where it belongs.
    async with httpx2.AsyncClient() as client:
        assert (await client.post(f"{embedded.app.base}/api/v1/sessions", json=body)).status_code == 201


async def test_a_popup_of_the_inbox_is_out_of_reach(page: Page, embedded: Embedded) -> None:
    await page.goto(embedded.app.url())
    async with page.context.expect_page() as opening:
        await page.evaluate(
            "(address) => void (window.popup = open(address))",
            f"{embedded.app.base}/embed/chat?host={embedded.app.origin}",
        )
    popup = await opening.value
    said = popup.locator("#frame-state")
    await expect(said).to_have_text(await said.get_attribute("data-alone") or "-")
    assert await popup.evaluate("opener") is None
    await page.wait_for_function("popup.closed")


async def test_a_page_of_another_origin_cannot_show_the_frame(page: Page, embedded: Embedded) -> None:
    minted = embedded.app.minted
    await page.goto(embedded.app.url(host="evil.example", sub="ada"))
    # It frames us with the name of the right page as well, and answers in its place.
    await page.evaluate(SHOW, f"{embedded.app.base}/embed/chat?host={embedded.app.origin}")
    await page.evaluate(
        """[...document.querySelectorAll("iframe")].pop().contentWindow.postMessage(
          { ns: "mcp-inbox", type: "welcome", v: 1 }, "*", [new MessageChannel().port2])"""
    )
    for frame in page.frames[1:]:
        assert frame.url.startswith(BLOCKED)
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
