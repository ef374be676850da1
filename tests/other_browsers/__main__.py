"""Walks through `<mcp-inbox>` and the examples in Firefox and WebKit: `make browsers`.

It is not part of `make test`, which drives Chromium alone.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from tests.browser.embedding import Embedded, embedding
from tests.other_browsers.browser import Browser
from tests.other_browsers.examples import said, walk_examples, write
from tests.other_browsers.marionette import firefox
from tests.other_browsers.webkit import webkit

FRAME = "inbox.shadowRoot.querySelector('iframe')"
ESCAPE, TAB = "\ue00c", "\ue004"

COOKIES = {"partitioned (default)": 5, "blocked for other sites": 1, "blocked": 2}
"""The setting `network.cookie.cookieBehavior` of Firefox."""


async def opened(browser: Browser, embedded: Embedded, sub: str, more: str = "") -> None:
    """Open the chat app, and wait until the frame shows the inbox."""
    await browser.leave_frame()
    await browser.send("Navigate", url=embedded.app.url(sub=sub, more=more))
    await browser.until("events.some(({ type }) => type === 'ready')")


async def settled(browser: Browser, request_id: str, action: str) -> None:
    """Wait until the page has heard how a question ended."""
    await browser.until(f"events.some(({{ id, action }}) => id === '{request_id}' && action === '{action}')")


async def walk(browser: Browser, embedded: Embedded, sub: str) -> None:
    """Answer a form, follow a link, and move the focus."""
    await opened(browser, embedded, sub)
    form = (await embedded.ask(sub))["id"]
    await browser.enter_frame(FRAME)
    name = f"document.querySelector('#request-{form} input[type=text], #request-{form} textarea')"
    await browser.type(name, "Ada")
    await browser.until(f"document.getElementById('request-{form}').hasAttribute('data-armed')")
    await browser.click(f"document.querySelector('#request-{form} button[value=accept]')")
    await browser.leave_frame()
    await settled(browser, form, "accept")
    said("  a form is answered, and the page hears of it")

    link = (await embedded.ask(sub, tool="ask_url", url=f"http://127.0.0.1:{embedded.app.port}/"))["id"]
    await browser.enter_frame(FRAME)
    await browser.until(f"document.getElementById('request-{link}')?.hasAttribute('data-armed')")
    await browser.click(f"document.querySelector('#request-{link} button[value=accept]')")
    await browser.leave_frame()
    await settled(browser, link, "accept")
    tabs = await browser.tabs(2)
    await browser.send("SwitchToWindow", handle=tabs[-1])
    await browser.until("document.title === 'Chat' && opener === null")
    await browser.send("CloseWindow")
    await browser.send("SwitchToWindow", handle=tabs[0])
    said("  a link opens in a tab without opener, from the click in the frame")

    await opened(browser, embedded, sub, 'display="badge"')
    later = (await embedded.ask(sub, "And then?"))["id"]
    await browser.until("inbox.pending === 1")
    await browser.click("inbox.shadowRoot.querySelector('button')")
    await browser.enter_frame(FRAME)
    focused = f"document.activeElement.id === 'title-{later}'" if browser.moves_focus else "document.hasFocus()"
    await browser.until(focused)
    await browser.press(ESCAPE)
    await browser.leave_frame()
    await browser.until("!inbox.open && inbox.shadowRoot.activeElement?.tagName === 'BUTTON'")
    await browser.press(TAB)
    await browser.until("document.activeElement.id === 'after'")
    said("  the badge opens, the focus goes into it, Escape brings it back")

    await opened(browser, embedded, sub)
    await browser.enter_frame(FRAME)
    await browser.until(f"document.getElementById('request-{later}')?.hasAttribute('data-armed')")
    await browser.run(f"document.dispatchEvent(new CustomEvent('frame:focus', {{ detail: '{later}' }}))")
    await browser.run(f"document.querySelector('#request-{later} button[value=decline]').click()")
    await browser.leave_frame()
    await browser.until("events.some(({ type, code }) => type === 'error' && code === 'not-visible')")
    said("  a click before the card was in sight for half a second does nothing")

    last = [(await embedded.ask(sub, f"Question {number}?"))["id"] for number in range(2)][-1]
    await browser.enter_frame(FRAME)
    await browser.until("document.querySelectorAll('#entries li').length === 3")
    await browser.click(f"document.querySelector('[data-entry=\"{last}\"]')")
    await browser.until("document.querySelectorAll('#cards > article').length === 3")
    shown = "[...document.querySelectorAll('#cards > article')].filter((card) => card.offsetHeight)"
    await browser.until(f"{shown}.map((card) => card.id).join() === 'request-{last}'")
    await browser.until(f"document.getElementById('request-{last}').hasAttribute('data-armed')")
    await browser.click(f"document.querySelector('#request-{last} button[value=decline]')")
    await browser.leave_frame()
    await settled(browser, last, "decline")
    said("  three questions are a list and a card, and the one that is chosen is answered")


async def main() -> None:
    """Walk once in WebKit, and in Firefox with each setting of cookies."""
    with tempfile.TemporaryDirectory() as folder:
        async with embedding(Path(folder)) as embedded:
            async with webkit(Path(folder)) as browser:
                said(browser.name)
                await walk(browser, embedded, "person")
            for number, (name, behavior) in enumerate(COOKIES.items()):
                preferences = {"network.cookie.cookieBehavior": behavior}
                async with firefox(Path(folder) / f"profile-{number}", preferences) as browser:
                    said(f"{browser.name}, cookies {name}")
                    await walk(browser, embedded, f"person-{number}")
    write(await walk_examples())


if __name__ == "__main__":
    asyncio.run(main())
