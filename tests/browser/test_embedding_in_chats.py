"""The inbox in pages as chats have them: bars that stay, lists that scroll, layers over the window, small windows."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest
from playwright.async_api import FrameLocator, Locator, Page, expect

from tests.browser.embedding import Embedded, events, heard, opened
from tests.mcp_servers import ROOT
from tests.program import PATIENCE

pytestmark = pytest.mark.anyio

LONG = {"type": "object", "properties": {f"field{n}": {"type": "string", "title": f"Field {n}"} for n in range(8)}}

HEADER = "<header>Team chat</header>"
COMPOSER = '<footer><input id="composer" aria-label="Message"><button>Send</button></footer>'
TEXT = "<p>Text of the conversation, and what the agent said about it.</p>" * 30
STYLE = """html { scroll-behavior: auto } body { margin: 0; padding: 0 8px }
header, footer { background: #fff; border: 1px solid #999; inset-inline: 0; padding: 16px; position: sticky }
header { order: -1; top: 0; z-index: 5 } footer { bottom: 0; z-index: 5 }
"""


@dataclass(frozen=True)
class Chat:
    """A page: what it is called, what is around the element, and the size of the window."""

    name: str
    width: int
    height: int
    parts: str = ""
    style: str = ""
    arrange: str = ""
    schema: Any = None


# The element has text above and below it, so that it can be scrolled under both bars.
FLOW = f"""const above = document.createElement("main"), below = document.createElement("main")
above.innerHTML = below.innerHTML = `{TEXT}`; inbox.before(above); inbox.after(below)"""
TOP = "document.body.prepend(document.querySelector('header'))"
LIST = f"""{FLOW}; const list = document.createElement("div"); list.id = "list"; list.append(above, inbox, below)
document.body.replaceChildren(document.querySelector("header"), list, document.querySelector("footer"))"""
COLUMN = """body { display: flex; flex-direction: column; height: 100vh } header, footer { position: static }
#list { flex: 1; min-height: 0; overflow: auto }"""
LAYER = '<div style="inset: 16px; pointer-events: none; position: fixed; z-index: 9999"></div>'

BUBBLE = "#after { inset: 40% 0 auto auto; padding: 30px; position: fixed; z-index: 9 }"
"""A button that stays over the middle of the frame."""

SHADOW = "filter: drop-shadow(0 2px 4px #0004)"

BARS = Chat("header and composer, one field", 390, 700, HEADER + COMPOSER, arrange=f"{FLOW}; {TOP}")
TALL = replace(BARS, name="header and composer, eight fields", schema=LONG)
CHATS = [
    Chat("no bars, eight fields", 390, 700, arrange=FLOW, schema=LONG),
    TALL,
    Chat("header and composer, eight fields", 1280, 800, HEADER + COMPOSER, arrange=f"{FLOW}; {TOP}", schema=LONG),
    BARS,
    Chat("message list that scrolls, eight fields", 390, 700, HEADER + COMPOSER, COLUMN, LIST, schema=LONG),
    Chat("message list that scrolls, one field", 1280, 800, HEADER + COMPOSER, COLUMN, LIST),
    Chat("empty layer for toasts, one field", 1280, 800, LAYER, arrange=FLOW),
    Chat("element at 99 % opacity, one field", 1280, 800, style="mcp-inbox { opacity: 0.99 }", arrange=FLOW),
    Chat("element with a shadow by `filter`, one field", 1280, 800, style=f"mcp-inbox {{ {SHADOW} }}", arrange=FLOW),
    Chat("element scaled to 90 %, one field", 1280, 800, style="mcp-inbox { scale: 0.9 }", arrange=FLOW),
    Chat("page scaled to 90 %, one field", 1280, 800, style="body { scale: 0.9 }", arrange=FLOW),
    Chat("page turned by 0.2 degrees, one field", 1280, 800, style="body { rotate: 0.2deg }", arrange=FLOW),
    Chat("page at `zoom: 1.25`, one field", 1280, 800, style="html { zoom: 1.25 }", arrange=FLOW),
    Chat("page at `zoom: 0.8`, one field", 390, 700, style="html { zoom: 0.8 }", arrange=FLOW),
]

POSITIONS = (75, 30)
"""Where the button is in the window, in percent of its height from above."""

DOCS = (ROOT / "docs" / "embedding.md").read_text("utf-8")
OUTCOMES = {1: "counted at once", 2: "refused, and lifted above the page; the second press counted"}

READING_MS = 1200
"""How long a person looks at each part: more than the half second after which it counts as seen.

In a page that distorts the frame, it comes to the front after each scroll, which takes a third of a second more.
"""

SCROLLER = "(document.getElementById('list') ?? document.scrollingElement)"


async def visited(page: Page, embedded: Embedded, chat: Chat, sub: str) -> tuple[FrameLocator, str]:
    """Open the chat, have a question asked, and return the frame and the id."""
    frame = await opened_chat(page, embedded, chat, sub)
    return frame, await new_request(frame, embedded, chat, sub)


async def opened_chat(page: Page, embedded: Embedded, chat: Chat, sub: str) -> FrameLocator:
    """Open the chat, and return the frame."""
    await page.set_viewport_size({"width": chat.width, "height": chat.height})
    script = f"{chat.parts}<script>{chat.arrange}</script>"
    return await opened(page, embedded, sub=sub, style=STYLE + chat.style, script=script)


async def new_request(frame: FrameLocator, embedded: Embedded, chat: Chat, sub: str) -> str:
    """Have a question asked in the chat, and return its id."""
    given = {"schema": chat.schema} if chat.schema else {}
    request = await embedded.ask(sub, **given)
    await expect(frame.locator(f"#request-{request['id']}")).to_be_visible()
    return str(request["id"])


RECT = "(each) => (({ x, y, width, height }) => [x, y, width, height, innerWidth])(each.getBoundingClientRect())"


async def middle_of(page: Page, button: Locator) -> tuple[float, float]:
    """Return the middle of a button of the frame in the window, also if zoomed."""
    left, top, width, height, across = await button.evaluate(RECT)
    frame = await page.locator("mcp-inbox iframe").bounding_box()
    assert frame
    zoom = frame["width"] / across
    return frame["x"] + (left + width / 2) * zoom, frame["y"] + (top + height / 2) * zoom


PANEL_HEIGHT = "document.getElementById('panel').offsetHeight"


async def scroll_to(page: Page, button: Locator, share: float) -> None:
    """Scroll a button in the frame to this share of the window"""
    # A frame that is out of sight does not know its height yet.
    await page.evaluate("inbox.scrollIntoView()")
    async with asyncio.timeout(PATIENCE):
        # Read again each time: the card may still grow, as by a line that says that the draft is saved.
        while abs(await page.evaluate("inbox.offsetHeight") - await page.frames[1].evaluate(PANEL_HEIGHT)) >= 2:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert page.viewport_size
    by = (await middle_of(page, button))[1] - share * page.viewport_size["height"]
    await page.evaluate(f"(by) => {SCROLLER}.scrollBy(0, by)", by)


async def pressed(page: Page, frame: FrameLocator, request_id: str, button: str, presses: int = 2) -> tuple[int, str]:
    """Press a button as a person does until it counts; return how often, and what a refusal said."""
    said = ""
    card = frame.locator(f"#request-{request_id}")
    for number in range(1, presses + 1):
        place = card.locator(button)
        # As long as a person needs to come here and to see what they press.
        await page.mouse.move(*await middle_of(page, place))
        async with asyncio.timeout(30):
            while await card.get_attribute("data-armed") is None and not await events(page, "covered"):
                await page.wait_for_timeout(50)
        for sign in ("data-armed", "data-seen") if number > 1 else ():
            await expect(card).to_have_attribute(sign, "")
        # A button that has just moved, as the words above it were repeated, takes no clicks yet.
        await expect(place).not_to_have_css("pointer-events", "none")
        await expect(place).to_be_in_viewport(ratio=0.99)
        await page.frames[1].evaluate("document.querySelector('.refusal')?.setAttribute('data-old', '')")
        script = "(id) => !document.getElementById(id) || !!document.querySelector('.refusal:not([data-old])')"
        # Chromium drops clicks into a frame that has just moved, so one that never came in does not count as a press.
        async with asyncio.timeout(30):
            while not await page.frames[1].evaluate(script, f"request-{request_id}"):
                await page.mouse.click(*await middle_of(page, place))
                await page.wait_for_timeout(600)
        if not await card.count():
            return number, said
        said = await card.locator(".refusal p").first.inner_text()
    return 0, said


@pytest.mark.parametrize("chat", CHATS, ids=lambda chat: f"{chat.name} {chat.width}")
async def test_a_press_counts_wherever_it_is_seen(page: Page, embedded: Embedded, chat: Chat) -> None:
    """Four questions come after each other, as in a conversation."""
    sub = f"chat {CHATS.index(chat)}"
    frame = await opened_chat(page, embedded, chat, sub)
    rows = []
    for position in POSITIONS:
        outcomes = []
        for action in ("decline", "accept"):
            await page.evaluate("events.length = 0")
            request_id = await new_request(frame, embedded, chat, sub)
            outcomes.append(await outcome(page, frame, request_id, action, position))
        rows.append(f"| {chat.name} | {chat.width} | {position} % | {' | '.join(outcomes)} |")
    # The table is made of these rows.
    assert [each for each in rows if each not in DOCS] == []


KEEPS_NO_PLACE = """() => document.adoptedStyleSheets.every(
  (sheet) => [...sheet.cssRules].every((rule) => !rule.style.minBlockSize))"""


async def outcome(page: Page, frame: FrameLocator, request_id: str, action: str, position: int) -> str:
    """Press a button at this place of the window; return how the press counted.

    A person reads what they accept.
    """
    card = frame.locator(f"#request-{request_id}")
    if action == "accept":
        await read_through(page, card)
    await scroll_to(page, card.locator(f"button[value={action}]"), position / 100)
    await page.wait_for_timeout(500)  # as long as it takes to find the button
    number, said = await pressed(page, frame, request_id, f"button[value={action}]")
    await heard(page, "settled", id=request_id, action=action)
    # What is settled keeps its place for a moment: a question that comes next would move when it lets go of it.
    await page.frames[1].wait_for_function(KEEPS_NO_PLACE)
    # A page that hears of a cover hears so once.
    assert len(await events(page, "covered")) <= 1
    assert f'"{said}"' in DOCS or not said
    return OUTCOMES[number] + said


async def read_through(page: Page, card: Locator) -> None:
    """Fill in a card and scroll through it, as a person who reads does."""
    await card.get_by_role("textbox").first.fill("Ada")
    await expect(card.locator(".draft")).not_to_be_empty()  # which makes the card higher
    decline = card.locator("button[value=decline]")
    assert page.viewport_size
    end = 0.8 * page.viewport_size["height"]
    for _ in range(5):
        await scroll_to(page, card.locator("h2"), 0.3)
        await page.wait_for_timeout(READING_MS)
        while (await middle_of(page, decline))[1] > end:
            await page.evaluate(f"{SCROLLER}.scrollBy(0, 250)")
            await page.wait_for_timeout(READING_MS)
        # What is distorted is not seen before it is lifted.
        if await card.get_attribute("data-seen") is not None or await events(page, "covered"):
            return


def test_the_table_has_rows_of_these_pages_alone() -> None:
    table = (
        DOCS.partition("| page | width | button at | *Decline* | *Send answer* |\n")[2]
        .partition("\n\n")[0]
        .splitlines()[1:]
    )
    rows = [row.strip("| ").split(" | ") for row in table]
    pages = [row[:3] for row in rows if not row[0].startswith("badge ")]
    assert pages == [[chat.name, str(chat.width), f"{position} %"] for chat in CHATS for position in POSITIONS]
    assert {outcome for row in rows for outcome in row[3:]} == {OUTCOMES[1]}


async def test_a_long_form_is_accepted_above_the_page(page: Page, embedded: Embedded) -> None:
    chat = replace(TALL, style=BUBBLE)
    frame, request_id = await visited(page, embedded, chat, "long")
    await scroll_to(page, frame.locator(f"#request-{request_id} button[value=decline]"), 0.75)
    card = frame.locator(f"#request-{request_id}")
    await frame.locator("body").evaluate("() => (window.mark = true)")
    await heard(page, "covered")
    # The person begins to type: the same frame is on top, and the focus stays in the field.
    field = card.get_by_label("Field 7")
    box = await field.bounding_box()
    assert box
    await page.mouse.click(box["x"] + 20, box["y"] + 10)
    panel = page.locator("mcp-inbox").get_by_role("dialog", name="Questions")
    await expect(panel).to_be_visible()
    await page.keyboard.type("seven")
    await expect(field).to_have_value("seven")
    accept = card.locator("button[value=accept]")
    await accept.scroll_into_view_if_needed()
    await expect(card).to_have_attribute("data-armed", "")
    # What has not been in sight is not accepted; scrolling through it is enough.
    await accept.click()
    await expect(card.locator(".refusal [data-show]")).to_be_visible()
    await card.locator(".refusal [data-show]").click()
    async with asyncio.timeout(60):
        while await card.get_attribute("data-seen") is None:
            await page.wait_for_timeout(700)  # as a person reads: each part for half a second or more
            await page.mouse.wheel(0, 250)
    await accept.scroll_into_view_if_needed()
    await expect(card).to_have_attribute("data-armed", "")
    await accept.click()
    await heard(page, "settled", id=request_id, action="accept")
    assert await frame.locator("body").evaluate("() => window.mark"), "the frame was loaded again"
    # It goes back when the person turns to the page.
    await page.mouse.move(1, 1)
    await page.locator("#composer").focus()
    await expect(panel).to_have_count(0)


async def test_a_covered_question_leaves_the_page_alone(page: Page, embedded: Embedded) -> None:
    chat = replace(BARS, style=BUBBLE)
    warnings: list[str] = []
    page.on("console", lambda message: warnings.append(message.text) if message.type == "warning" else None)
    frame, request_id = await visited(page, embedded, chat, "calm")
    composer = page.locator("#composer")
    await scroll_to(page, frame.locator(f"#request-{request_id} button[value=decline]"), 0.3)
    await composer.focus()
    await heard(page, "covered")
    # Nothing was pressed: the page hears of it once, and nothing is lifted or focused.
    assert [each for each in warnings if "<mcp-inbox>" in each]
    await page.keyboard.type("Hello")
    await expect(composer).to_have_value("Hello")
    await expect(page.locator("mcp-inbox").get_by_role("dialog")).to_have_count(0)


AT = "(y) => document.elementFromPoint(innerWidth / 2, y).closest('header, footer, mcp-inbox, #layer')?.id"
"""Returns the id of what is on top at this height of the window."""


async def test_a_field_under_a_bar_is_lifted_when_focused(page: Page, embedded: Embedded) -> None:
    frame, request_id = await visited(page, embedded, TALL, "field")
    card = frame.locator(f"#request-{request_id}")
    await scroll_to(page, card.get_by_label("Field 1"), 0.5)
    inside = "(id) => document.activeElement.id !== '' && inbox.shadowRoot.querySelector('[popover]')"
    await card.get_by_label("Field 1").focus()
    await page.wait_for_timeout(1500)
    for _ in range(7):
        await page.keyboard.press("Tab")
        await page.wait_for_timeout(300)
    await page.wait_for_function(inside)
    field = card.locator(":focus")
    await expect(field).to_be_in_viewport(ratio=0.99)
    place = (await middle_of(page, field))[1]
    assert await page.evaluate(AT, place) == "inbox"


async def test_an_answer_counts_in_a_badge_in_each_corner(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="badge", more='display="badge"')
    rows = []
    for corner in ("top left", "top right", "bottom left", "bottom right"):
        block, inline = corner.split()
        for width, height in ((1280, 800), (390, 700)):
            await page.set_viewport_size({"width": width, "height": height})
            await page.evaluate(f"inbox.style.cssText = 'position: fixed; {block}: 16px; {inline}: 16px'")
            request_id = str((await embedded.ask("badge"))["id"])
            await page.wait_for_function("inbox.pending === 1")
            await page.locator("mcp-inbox").get_by_role("button", name="Questions").click()
            button = frame.locator(f"#request-{request_id} button[value=decline]")
            await button.scroll_into_view_if_needed()
            await frame.locator(f"#request-{request_id}").get_by_role("textbox").fill("Ada")
            # What takes more to count, in a panel that shows all of the card or has been scrolled through.
            number, _said = await pressed(page, frame, request_id, "button[value=accept]")
            await heard(page, "settled", id=request_id, action="accept")
            outcome = OUTCOMES[number]
            rows.append(f"| badge in the corner {corner}, one field | {width} | its panel | {outcome} | {outcome} |")
            await page.evaluate("inbox.open = false")
    assert [each for each in rows if each not in DOCS] == []


@pytest.mark.parametrize("stays", ["at its place", "at the end"])
async def test_a_press_counts_while_the_frame_grows(page: Page, embedded: Embedded, stays: str) -> None:
    follow = "new ResizeObserver(() => (document.scrollingElement.scrollTop = 1e6)).observe(document.body)"
    above = f"document.body.insertAdjacentHTML('afterbegin', `{TEXT}`); {follow}" if stays == "at the end" else ""
    frame = await opened(page, embedded, sub=stays, script=f"<script>{above}</script>")
    request_id = str((await embedded.ask(stays))["id"])
    card = frame.locator(f"#request-{request_id}")
    for part in ("h2", "button[value=decline]"):
        await expect(card).to_have_attribute("data-armed", "")
        await page.mouse.move(*await middle_of(page, card.locator(part)))
        await page.wait_for_timeout(700)  # Chromium drops presses into a frame that has just got its size
        height = await page.evaluate("inbox.offsetHeight")
        await page.mouse.down()
        await frame.locator("#panel").evaluate("(panel) => panel.insertAdjacentHTML('beforeend', '<p>News</p>')")
        await page.wait_for_timeout(200)
        assert await page.evaluate("inbox.offsetHeight") == height
        if part == "h2":
            # A press without an end, as one that opens a menu of the browser.
            await page.wait_for_function("(height) => inbox.offsetHeight > height", arg=height)
        await page.mouse.up()
    await heard(page, "settled", id=request_id, action="decline")


CORNERS = """([direction]) => {
  document.documentElement.dir = direction
  const panel = inbox.shadowRoot.querySelector("[part=panel]")
  const corners = [["top", "left"], ["top", "right"], ["bottom", "left"], ["bottom", "right"]]
  return corners.map(([block, inline]) => {
    inbox.style.cssText = `position: fixed; ${block}: 16px; ${inline}: 16px`
    inbox.open = true
    const { left, right, top, bottom, width, height } = panel.getBoundingClientRect()
    inbox.open = false
    const across = Math.min(right, innerWidth) - Math.max(left, 0)
    const down = Math.min(bottom, innerHeight) - Math.max(top, 0)
    return width < 280 || height < 240 ? 0 : (across * down) / (width * height)
  })
}"""
"""Opens a badge in each corner, and returns how much of its panel is in the window."""


async def test_the_panel_of_a_badge_is_in_the_window(page: Page, embedded: Embedded) -> None:
    await opened(page, embedded, sub="corners", more='display="badge"')
    for width, height in ((1280, 800), (768, 900), (390, 700), (320, 480)):
        await page.set_viewport_size({"width": width, "height": height})
        for direction in ("ltr", "rtl"):
            shares = await page.evaluate(CORNERS, [direction])
            assert min(shares) > 0.99, (width, direction, shares)


async def test_the_panel_of_a_badge_closes_in_five_ways(page: Page, embedded: Embedded) -> None:
    box = "<script>const box = document.createElement('div'); box.style.cssText = 'height: 80px; overflow: auto'; "
    box += "inbox.before(box); box.append(inbox)</script>"
    await opened(page, embedded, sub="ways", more='display="badge"', script=box)
    inbox = page.locator("mcp-inbox")
    badge, panel = inbox.get_by_role("button", name="Questions"), inbox.get_by_role("dialog", name="Questions")
    outside, close = page.locator("#before"), panel.get_by_role("button", name="Close")
    ways = (
        close.click,
        outside.click,
        badge.click,
        partial(page.keyboard.press, "Escape"),
        partial(close.press, "Escape"),
    )
    for way in ways:
        await badge.click()
        await expect(panel).to_be_in_viewport(ratio=1)
        await way()
        await expect(panel).to_have_count(0)
        await expect(badge).to_have_attribute("aria-expanded", "false")
