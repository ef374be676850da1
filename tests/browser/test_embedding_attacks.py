"""A page that shows the inbox and means harm: it learns nothing, and answers nothing for the person."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Page, expect

from tests.browser.embedding import Embedded, events, heard, opened, press
from webclient.model import Json

pytestmark = pytest.mark.anyio


COVER = '<div style="background: #fff; inset: 0; opacity: 0.99; pointer-events: none; position: fixed">A prize!</div>'
"""Lets clicks through, as that of an attacker does."""

DISTORTIONS = {
    "covered": f"document.body.insertAdjacentHTML('beforeend', `{COVER}`)",
    "transparent": "inbox.style.opacity = 0.1",
    "turned": "inbox.style.transform = 'rotate(1deg)'",
    "shrunk": "inbox.style.transform = 'scale(0.8)'",
    "blurred": "inbox.style.filter = 'blur(1px)'",
}


async def state_of(embedded: Embedded, sub: str, request: Json) -> str:
    """Return the state of a request."""
    return str((await (await embedded.user(sub)).json("GET", f"/requests/{request['id']}"))["state"])


@pytest.mark.parametrize("how", DISTORTIONS)
async def test_a_distorted_question_takes_no_answer(page: Page, embedded: Embedded, how: str) -> None:
    frame = await opened(page, embedded, sub="eve")
    await page.evaluate(DISTORTIONS[how])
    request = await embedded.ask("eve")
    decline = frame.locator(f"#request-{request['id']} button[value=decline]")
    async with asyncio.timeout(30):
        while not await events(page, "error"):
            await decline.click()
    assert {each["code"] for each in await events(page, "error")} == {"not-visible"}
    assert await state_of(embedded, "eve", request) == "pending"
    await page.evaluate("document.querySelector('div')?.remove(); inbox.removeAttribute('style')")
    await press(decline)
    await heard(page, "settled", id=request["id"], action="decline")


async def test_a_covered_question_mutes_no_one(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="ida")
    request = await embedded.ask("ida")
    card = frame.locator(f"#request-{request['id']}")
    await press(card.locator("summary[title]"))
    await card.locator("[data-mute]").press("Enter")
    await page.evaluate(DISTORTIONS["covered"])
    await expect(card).not_to_have_attribute("data-armed", "")
    async with asyncio.timeout(30):
        while not await events(page, "error"):
            await card.locator("[value=mute]").click()
    assert await state_of(embedded, "ida", request) == "pending"
    await expect(frame.locator("#muted")).to_be_empty()


async def test_a_click_as_a_question_appears_does_nothing(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="fay")
    # At once, in the moment in which the card is there: as that of a person who meant something else.
    await page.frames[1].evaluate(
        """() => new MutationObserver((_, observer) => {
          const button = document.querySelector("#cards button[value=accept]")
          if (button) button.click(), observer.disconnect()
        }).observe(document.getElementById("cards"), { childList: true, subtree: true })"""
    )
    request = await embedded.ask("fay")
    await heard(page, "error", code="not-visible")
    card = frame.locator(f"#request-{request['id']}")
    await expect(card).to_have_attribute("data-armed", "")
    # The same when the page scrolls it under the pointer, or something above it moves it.
    for moving in (
        "document.dispatchEvent(new CustomEvent('frame:focus', { detail: id }))",
        "document.getElementById('cards').style.paddingTop = '40px'",
    ):
        await page.evaluate("events.length = 0")
        await card.evaluate(
            f"card => {{ const id = card.id.slice(8); {moving}; card.querySelector('button[value=accept]').click() }}"
        )
        await heard(page, "error", code="not-visible")
        await expect(card).to_have_attribute("data-armed", "")
    assert await state_of(embedded, "fay", request) == "pending"


async def test_a_frame_that_moves_takes_no_clicks(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="gil")
    request = await embedded.ask("gil")
    card = frame.locator(f"#request-{request['id']}")
    accept = card.locator("button[value=accept]")
    await expect(card).to_have_attribute("data-armed", "")
    box = await accept.bounding_box()
    assert box
    # It jumps under the pointer, and away, and back: Chromium drops clicks into a frame that has just moved, if that
    # watches what covers it.
    await page.evaluate(
        """() => { const step = (time) => {
          inbox.style.marginTop = `${Math.floor(time / 50) % 2 * 200}px`
          window.moving = requestAnimationFrame(step)
        }
        step(0) }"""
    )
    for _ in range(10):
        await page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        await page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2 + 200)
    await page.evaluate("cancelAnimationFrame(moving); inbox.style.marginTop = 0")
    assert await state_of(embedded, "gil", request) == "pending"
    async with asyncio.timeout(30):
        while not await events(page, "settled"):
            await card.locator("button[value=decline]").click()
            await page.wait_for_timeout(100)
    assert [each["action"] for each in await events(page, "settled")] == ["decline"]


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
        [embedded.app.base, embedded.app.origin],
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
