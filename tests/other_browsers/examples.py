"""Answers a question in each example in Firefox and WebKit, at four widths, light, dark and from right to left.

`make browsers` runs it, and writes how that went into the table of `docs/embedding.md`. For some examples alone:

    python -m tests.other_browsers.examples plain "messenger: badge"
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path
from typing import Any

from tests.examples.chat import example
from tests.examples.people import NARROW, PLACES
from tests.examples.widths import VIEWS
from tests.mcp_servers import ROOT
from tests.other_browsers.browser import Browser, CommandError
from tests.other_browsers.marionette import COLORS, firefox
from tests.other_browsers.webkit import webkit

DOCS = ROOT / "docs" / "embedding.md"
TABLE = re.compile(r"(\| example \| width \| Firefox .*\n\|[ |-]+\n)(?:\|.*\n)*")
LOOKS = {"light": "ltr", "dark": "ltr", "right to left": "rtl"}
"""The looks of a walk, and the direction of its page."""

PEOPLE = {"Firefox": "Ada", "WebKit": "Grace"}
ENTER = "\ue007"
FAILED = "not answered"
STEP = 200
"""By how many pixels a person scrolls at once while reading."""

READING = 0.8
"""How long a person looks at a part of a card, in seconds."""

INBOX = """(function found(root) {
  const inner = () => [...root.querySelectorAll("*")].map((each) => each.shadowRoot && found(each.shadowRoot))
  return root.querySelector("mcp-inbox") ?? inner().find(Boolean)
})(document)"""
"""The element, which may be in a shadow tree of the chat."""

FRAME = f"{INBOX}?.shadowRoot.querySelector('iframe')"
BUTTON = "[...document.querySelectorAll('button')].find((each) => (each.ariaLabel ?? each.textContent).includes('{}'))"
CARD = "document.querySelector('article.card[id^=request-]')"
BOOKED = "document.body.textContent.split('Booked for').length"

MIDDLE = "(({ left, top, width, height }) => [left + width / 2, top + height / 2])"
HIT = """((inbox, x, y) => {
  const frame = inbox.shadowRoot.querySelector("iframe").getBoundingClientRect()
  const hit = inbox.getRootNode().elementFromPoint(frame.left + x, frame.top + y)
  return hit === inbox ? "" : (hit?.tagName.toLowerCase() ?? "the edge of the window")
})"""
"""The name of an element at a point of the frame, if it is another one."""

SCROLL = """((inbox, y) => {
  const by = inbox.shadowRoot.querySelector("iframe").getBoundingClientRect().top + y - innerHeight / 2
  if (inbox.shadowRoot.querySelector("[popover]") || Math.abs(by) < innerHeight / 4) return
  for (let box = inbox; box; box = box.parentElement ?? box.getRootNode().host) {
    const before = box.scrollTop
    if (box === document.scrollingElement || /auto|scroll/.test(getComputedStyle(box).overflowY)) box.scrollTop += by
    if (box.scrollTop !== before) return
  }
})"""
"""Brings a place of the frame to the middle of the window: WebKit scrolls no page from a frame of another site."""

Outcomes = dict[tuple[str, int], dict[str, dict[str, str]]]
"""By example and width, then by browser, then by look: how it went."""


def said(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def enter(browser: Browser, place: str) -> None:
    """Sign in, unless this browser is signed in; each of them as another person."""
    person = PEOPLE[browser.name.split()[0]]
    if place == "chainlit":
        await browser.until(f"Boolean(document.getElementById('email') || {INBOX})")
        if await browser.run("!document.getElementById('email')"):
            return
        await browser.type("document.getElementById('email')", person.lower())
        await browser.type("document.getElementById('password')", person.lower())
        await browser.press(ENTER)
        await browser.until(INBOX)
    else:
        button = BUTTON.format(f"Sign in as {person}")
        await browser.until(f"{button} || {INBOX}")
        if await browser.run(f"{button}?.offsetHeight"):
            await browser.click(button)
    await browser.until(f"{INBOX}?.state === 'ready'")


async def ask(browser: Browser, place: str, width: int) -> None:
    """Have the agent use a tool that asks, and open what hides its question."""
    if place == "chainlit":
        if width < NARROW:
            await browser.click(BUTTON.format("Close"))
        await browser.type("document.getElementById('chat-input')", "Book me a trip")
        await browser.press(ENTER)
    elif place == "streamlit":
        await browser.type("document.querySelector('[data-testid=stChatInputTextArea]')", "Book me a trip")
        await browser.press(ENTER)
    else:
        await browser.click(BUTTON.format("Send"))
    await browser.until(f"{INBOX}?.pending === 1")
    if place == "messenger: badge":
        await browser.click(f"{INBOX}.shadowRoot.querySelector('[part=badge]')")


async def show(browser: Browser, top: str) -> None:
    """Scroll to a place of the frame, given by its distance from above: in the frame and in the page."""
    await browser.run(f"scrollBy(0, {top} - innerHeight / 2)")
    y = await browser.run(top)
    await browser.leave_frame()
    await browser.run(f"{SCROLL}({INBOX}, {y})")
    await browser.enter_frame(FRAME)
    await asyncio.sleep(READING)


async def read(browser: Browser) -> None:
    """Read the card from its first line to its last."""
    for y in range(0, int(await browser.run(f"{CARD}.offsetHeight")), STEP):
        await show(browser, f"({CARD}.getBoundingClientRect().top + {y})")


async def press(browser: Browser, part: str) -> None:
    """Scroll to a part of the card and press it; raises CommandError if something of the page lies over it."""
    middle = f"{MIDDLE}({CARD}.querySelector('{part}').getBoundingClientRect())"
    await show(browser, f"{middle}[1]")
    x, y = await browser.run(middle)
    await browser.leave_frame()
    over = await browser.run(f"{HIT}({INBOX}, {x}, {y})")
    await browser.enter_frame(FRAME)
    if over:
        raise CommandError(f"{over} lies over {part}")
    await browser.click(f"{CARD}.querySelector('{part}')")


async def answer(browser: Browser) -> str:
    """Read the card, choose *Yes* and send it; return how that went."""
    await browser.until(f"{CARD}?.offsetHeight")
    if await browser.run(
        f"{CARD}.getBoundingClientRect().left < 0 || {CARD}.getBoundingClientRect().right > innerWidth"
    ):
        raise CommandError("the card is wider than the window")
    if await browser.run("[...document.querySelectorAll('legend')].some((each) => each.offsetWidth < 40)"):
        raise CommandError("a label stands there letter by letter")
    await read(browser)
    await press(browser, "input[type=radio]")
    words = ""
    for number in (1, 2):
        await press(browser, "button[value=accept]")
        await browser.until(f"!{CARD} || {CARD}.querySelector('.refusal, .field__error')")
        if await browser.run(f"!{CARD}"):
            return f"refused: “{words}”; the second press counted" if number > 1 else "answered at once"
        words = await browser.run(f"{CARD}.querySelector('.refusal p, .field__error').textContent")
        await read(browser)
        await press(browser, "h2")
    raise CommandError(f"refused twice: {words}")


async def walk(browser: Browser, address: str, place: str, width: int, direction: str) -> str:
    """Ask and answer in one example; return how that went."""
    await browser.send("Navigate", url=f"{address}/?{place.partition(': ')[2]}")
    await enter(browser, place)
    await browser.run(f"document.documentElement.dir = '{direction}'")
    before = await browser.run(BOOKED)
    await ask(browser, place, width)
    await browser.enter_frame(FRAME)
    outcome = await answer(browser)
    await browser.leave_frame()
    await browser.until(f"{BOOKED} > {before} && {INBOX}.pending === 0")
    aside = await browser.run("document.scrollingElement.scrollWidth - innerWidth")
    return outcome + (f", on a page that is {aside} px too wide" if aside > 0 else "")


@asynccontextmanager
async def browsers(folder: Path, *, is_dark: bool) -> AsyncIterator[Mapping[str, Browser]]:
    """Run both browsers for a person who likes light pages, or dark ones."""
    preferences = {COLORS: 0 if is_dark else 1}
    options = ["--dark-mode"] if is_dark else []
    async with firefox(folder / "profile", preferences) as first, webkit(folder, *options) as second:
        yield {"Firefox": first, "WebKit": second}


async def walk_all(place: str, widths: Iterable[int], outcomes: Outcomes) -> None:
    """Walk through one example in both browsers, in all looks."""
    heights = {view.width: view.height for view in VIEWS}
    for is_dark in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            async with example(place.partition(":")[0]) as address, browsers(Path(folder), is_dark=is_dark) as running:
                for name, browser in running.items():
                    for width, look in product(widths, [each for each in LOOKS if (each == "dark") is is_dark]):
                        await browser.resize(width, heights[width])
                        outcome = await outcome_of(walk(browser, address, place, width, LOOKS[look]))
                        outcomes[place, width].setdefault(name, {})[look] = outcome
                        said(f"{place}, {width}, {look}, {browser.name}: {outcome}")
                        if outcome.startswith(FAILED):
                            break  # its question still waits


async def outcome_of(walking: Coroutine[Any, Any, str]) -> str:
    """Return how a walk went, also if it failed."""
    try:
        return await walking
    except (CommandError, TimeoutError) as error:
        return f"{FAILED}: {str(error) or 'it took too long'}"


def cell(outcomes: Mapping[str, str]) -> str:
    """Return how all looks went, or each of them if they differ."""
    if len(outcomes) == len(LOOKS) and len(set(outcomes.values())) == 1:
        return next(iter(outcomes.values()))
    return "; ".join(f"{look}: {outcome}" for look, outcome in outcomes.items())


def row(place: str, width: int, outcomes: Mapping[str, Mapping[str, str]]) -> str:
    """Return a row of the table."""
    return f"| {place} | {width} | {' | '.join(cell(outcomes.get(name, {})) for name in PEOPLE)} |\n"


async def walk_examples(places: Iterable[str] = PLACES) -> str:
    """Walk through these examples, and return the rows of the table."""
    os.environ["WEBCLIENT_UNDO_SECONDS"] = "0"
    outcomes: Outcomes = defaultdict(dict)
    for place in places:
        await walk_all(place, [view.width for view in VIEWS], outcomes)
    return "".join(row(place, width, each) for (place, width), each in outcomes.items())


def write(rows: str) -> None:
    """Put rows into the table of the docs."""
    DOCS.write_text(TABLE.sub(lambda found: found[1] + rows, DOCS.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    asyncio.run(walk_examples(sys.argv[1:]))
