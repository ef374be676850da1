"""A page that shows the inbox and means harm: it learns nothing, and answers nothing for the person."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import FrameLocator, Locator, Page, expect

from tests.browser.embedding import Embedded, events, heard, opened, press
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio


COVER = '<div style="background: #fff; inset: 0; opacity: 0.99; pointer-events: none; position: fixed">A prize!</div>'
"""Lets clicks through, as that of an attacker does."""

BEHIND = "document.elementFromPoint = () => null"
"""Keeps the element from bringing its frame to the front of the page, as a page that means harm would."""

STAYS = f"inbox.shadowRoot.querySelector('[part=panel]').showPopover = undefined; {BEHIND}"
"""The same, and from lifting it above the page."""

HALF_A_SECOND = 450
"""Milliseconds in which nothing counts; clocks of two processes may differ by a little."""

DISTORTIONS = {
    "covered": f"document.body.insertAdjacentHTML('beforeend', `{COVER}`)",
    "covered by an empty layer": "document.body.insertAdjacentHTML('beforeend', `"
    '<div style="inset: 0; pointer-events: none; position: fixed"></div>`)',
    "covered by a patch": "document.body.insertAdjacentHTML('beforeend', `"
    '<div style="inset: 150px auto auto 90px; height: 9px; pointer-events: none; position: fixed; width: 9px"></div>`)',
    "covered by a shadow": "after.style.cssText = 'box-shadow: 0 0 0 90px #fff; position: relative'",
    "covered behind glass": "document.body.insertAdjacentHTML('beforeend', `<div style="
    '"backdrop-filter: blur(9px); inset: 0; pointer-events: none; position: fixed"></div>`)',
    "covered in the top layer": f"""document.body.insertAdjacentHTML('beforeend', `{COVER}`)
        const cover = document.querySelector('div')
        cover.style.cssText += '; height: auto; width: auto'; cover.popover = 'manual'; cover.showPopover()""",
    "transparent": "inbox.style.opacity = 0.1",
    "hardly transparent": "inbox.style.opacity = 0.99",
    "transparent inside": "inbox.shadowRoot.querySelector('[part=frame]').style.opacity = 0.5",
    "turned": "inbox.style.transform = 'rotate(1deg)'",
    "turned in space": "inbox.style.transform = 'perspective(500px) rotateY(20deg)'",
    "skewed": "inbox.style.transform = 'skewX(5deg)'",
    "shrunk": "inbox.style.transform = 'scale(0.8)'",
    "zoomed out": "inbox.style.zoom = 0.1",
    "blurred": "inbox.style.filter = 'blur(1px)'",
    "shadowed": "inbox.style.filter = 'drop-shadow(0 0 4px red)'",
    "blended": "inbox.style.mixBlendMode = 'difference'",
    "animated": """inbox.animate([{ opacity: 0.9 }, { opacity: 0.8 }], { duration: 500, iterations: Infinity })""",
}
"""Scripts of the page that hide or change what the person sees, and leave the button to be clicked."""

RESTORE = """document.querySelector("div")?.remove()
for (const each of inbox.getAnimations()) each.cancel()
for (const each of [inbox, after, inbox.shadowRoot.querySelector("[part=frame]")]) each.removeAttribute("style")"""


async def state_of(embedded: Embedded, sub: str, request: Json) -> str:
    """Return the state of a request."""
    return str((await (await embedded.user(sub)).json("GET", f"/requests/{request['id']}"))["state"])


CLICK = """(button, reason) => {
  button.click()
  const said = button.closest("article")?.querySelector(".refusal p")?.textContent
  return said === document.getElementById("refusal").content.firstElementChild.dataset[reason]
}"""
"""Clicks a button, with no regard to clicks that the browser drops, and returns whether the card refuses it so."""


async def new_card(frame: FrameLocator, embedded: Embedded, sub: str) -> tuple[Json, Locator]:
    """Ask a person; return the request and its card."""
    request = await embedded.ask(sub)
    return request, frame.locator(f"#request-{request['id']}")


async def refused(card: Locator, button: str = "accept", reason: str = "covered") -> None:
    """Click a button until the card refuses it for this reason."""
    if reason == "moved":
        await card.evaluate("() => new Promise((resolve) => setTimeout(resolve, 1500))")
    async with asyncio.timeout(30):
        while not await card.locator(f"button[value={button}]").evaluate(CLICK, reason):
            await card.page.wait_for_timeout(50)


@pytest.mark.parametrize("how", DISTORTIONS)
async def test_a_distorted_question_takes_no_answer(page: Page, embedded: Embedded, how: str) -> None:
    frame = await opened(page, embedded, sub="eve")
    await page.evaluate(f"{STAYS}; {DISTORTIONS[how]}")
    request, card = await new_card(frame, embedded, "eve")
    await expect(card).to_be_visible()
    await refused(card)
    assert {each["code"] for each in await events(page, "error")} == {"not-visible"}
    assert await state_of(embedded, "eve", request) == "pending"
    await page.evaluate(RESTORE)
    await accepted(page, card)


async def test_a_covered_question_is_declined_at_the_first_press(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="deb")
    request, card = await new_card(frame, embedded, "deb")
    await page.evaluate(f"{STAYS}; {DISTORTIONS['covered']}")
    await heard(page, "covered")
    # A page that has it pressed unseen could as well keep the question from the person.
    await card.locator("button[value=decline]").evaluate("(button) => button.click()")
    await heard(page, "settled", id=request["id"], action="decline")
    assert not await events(page, "error")


async def test_an_empty_layer_covers_nothing(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="lou")
    await page.evaluate(DISTORTIONS["covered by an empty layer"])
    _request, card = await new_card(frame, embedded, "lou")
    await accepted(page, card)
    assert not await events(page, "error")
    assert not await events(page, "covered")


async def test_a_cover_over_a_lifted_question_counts(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="liv")
    request, card = await new_card(frame, embedded, "liv")
    await page.evaluate(f"{BEHIND}; {DISTORTIONS['covered']}")
    await expect(card).not_to_have_attribute("data-armed", "")
    await refused(card)
    panel = page.locator("mcp-inbox").get_by_role("dialog", name="Questions")
    await expect(panel).to_be_visible()
    await expect(card).to_have_attribute("data-armed", "")
    # The page lays its cover over the layer of the frame too.
    await page.evaluate("document.querySelector('div').remove()")
    await page.evaluate(DISTORTIONS["covered in the top layer"])
    await expect(card).not_to_have_attribute("data-armed", "")
    await refused(card)
    assert await state_of(embedded, "liv", request) == "pending"
    await page.evaluate("document.querySelector('div').remove()")
    await accepted(page, card)


async def test_a_refusal_stands_by_its_button_and_opens_a_tab(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="pam")
    request, card = await new_card(frame, embedded, "pam")
    await page.evaluate(f"{BEHIND}; {DISTORTIONS['covered']}")
    await expect(card).not_to_have_attribute("data-armed", "")
    await refused(card)
    button = await card.locator("button[value=accept]").bounding_box()
    notice = await card.locator(".refusal").bounding_box()
    assert button
    assert notice
    assert 0 <= notice["y"] - button["y"] - button["height"] < button["height"] * 2
    async with page.context.expect_page() as opening:
        # By a key: Chromium drops clicks into a frame that has just moved.
        await card.locator(".refusal").get_by_role("button", name="Open in a tab").press("Enter")
    tab = await opening.value
    await press(tab.locator(f"#request-{request['id']} button[value=decline]"))
    await heard(page, "settled", id=request["id"], action="decline")


async def test_a_covered_question_mutes_no_one(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="ida")
    request, card = await new_card(frame, embedded, "ida")
    await press(card.locator(".card__more > summary"))
    await card.locator("[data-mute]").press("Enter")
    await page.evaluate(f"{STAYS}; {DISTORTIONS['covered']}")
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
    request, card = await new_card(frame, embedded, "gil")
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
    await clicked(page, card.locator("button[value=decline]"))
    assert [each["action"] for each in await events(page, "settled")] == ["decline"]


async def clicked(page: Page, button: Locator) -> None:
    """Click a button until its card is settled: Chromium drops clicks into a frame that has just moved."""
    async with asyncio.timeout(60):
        while not await events(page, "settled"):
            with suppress(PlaywrightError, AssertionError):  # it has just gone
                await expect(button.locator("xpath=ancestor::article")).to_have_attribute(
                    "data-armed", "", timeout=2000
                )
                await button.click(timeout=2000)
            await page.wait_for_timeout(100)


async def accepted(page: Page, card: Locator) -> None:
    """Answer a question: what was refused before is possible."""
    request_id = (await card.get_attribute("id") or "").removeprefix("request-")
    await card.get_by_label("Name").fill("Ada")
    await expect(card).to_have_attribute("data-seen", "")
    await clicked(page, card.locator("button[value=accept]"))
    await heard(page, "settled", id=request_id, action="accept")


AGAIN = """(sign) => {
  const button = document.querySelector("#cards button[value=accept]")
  const click = () => {
    const now = Date.now() // before the answer goes out
    button.click()
    const counted = !button.closest("article").querySelector(".refusal")
    if (counted) window.counted = now
    else setTimeout(click, 20)
  }
  click()
}"""
"""Clicks a button again and again until it counts, and notes when."""


async def test_a_cover_lifted_just_before_the_click_counts(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="jon")
    request, card = await new_card(frame, embedded, "jon")
    await card.get_by_label("Name").fill("Ada")
    await expect(card).to_have_attribute("data-seen", "")
    await page.evaluate(f"{STAYS}; {DISTORTIONS['covered']}")
    await expect(card).not_to_have_attribute("data-armed", "")
    await refused(card)
    await page.frames[1].evaluate(AGAIN)
    lifted = await page.evaluate("document.querySelector('div').remove(), Date.now()")
    await heard(page, "settled", id=request["id"], action="accept")
    assert await page.frames[1].evaluate("window.counted") - lifted >= HALF_A_SECOND


@pytest.mark.parametrize("by", [120, 30])
async def test_a_frame_moved_under_a_pointer_takes_no_click(page: Page, embedded: Embedded, by: int) -> None:
    frame = await opened(page, embedded, sub=f"kai {by}")
    request, card = await new_card(frame, embedded, f"kai {by}")
    await expect(card).to_have_attribute("data-seen", "")
    await page.frames[1].evaluate("addEventListener('submit', () => (window.counted = Date.now()))")
    box = await card.locator("button[value=decline]").bounding_box()
    assert box
    moved = 0
    for way in range(1, 7):
        # The pointer rests where the button comes to be.
        top = way % 2 * by
        await page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2 + top)
        await page.wait_for_timeout(100)
        moved = await page.evaluate("(top) => (inbox.style.marginTop = `${top}px`, Date.now())", top)
        await page.wait_for_timeout(100)
        await page.mouse.down()
        await page.mouse.up()
        if counted := await page.frames[1].evaluate("window.counted ?? 0"):
            assert counted - moved >= HALF_A_SECOND
            return
    assert await state_of(embedded, f"kai {by}", request) == "pending"
    await clicked(page, card.locator("button[value=decline]"))


@pytest.mark.parametrize("focused", ["focus()", "show(id)"])
async def test_keys_for_the_page_answer_nothing(page: Page, embedded: Embedded, focused: str) -> None:
    frame = await opened(page, embedded, sub=f"kim {focused}")
    request, card = await new_card(frame, embedded, f"kim {focused}")
    await expect(card).to_have_attribute("data-seen", "")
    # While the person types into the page, it moves the focus into the frame.
    await page.locator("#before").focus()
    await page.evaluate(f"(id) => inbox.{focused}", request["id"])
    await expect(frame.locator(f"#title-{request['id']}")).to_be_focused()
    for key in ("Enter", "Space", "y", "Control+Enter", "Enter"):
        await page.keyboard.press(key)
    # The control: the same keys do answer, once the person has gone to a button.
    assert await state_of(embedded, f"kim {focused}", request) == "pending"
    await expect(card).to_have_attribute("data-armed", "")
    await card.locator("button[value=decline]").focus()
    await page.keyboard.press("Enter")
    await heard(page, "settled", id=request["id"], action="decline")


async def test_a_cover_between_seen_and_pressed_counts(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="abe")
    request, card = await new_card(frame, embedded, "abe")
    await expect(card).to_have_attribute("data-seen", "")
    await page.evaluate(f"{STAYS}; {DISTORTIONS['covered']}")
    await expect(card).not_to_have_attribute("data-armed", "")
    await refused(card)
    assert await state_of(embedded, "abe", request) == "pending"
    await page.evaluate("document.querySelector('div').remove()")
    await accepted(page, card)


CLIP = """() => { const box = document.createElement("div"), button = %s
  box.style.cssText = "height: 60px; overflow: hidden; position: relative"
  inbox.style.cssText = `display: block; position: relative; top: ${30 - button}px`
  inbox.before(box); box.append(inbox) }"""
"""Shows a strip of the frame alone, with the middle of a button; moving an element loads its frame again."""


async def button_place(card: Locator) -> float:
    """Return where the middle of the button that accepts is in the frame."""
    script = "(button) => { const { top, height } = button.getBoundingClientRect(); return top + height / 2 }"
    return float(await card.locator("button[value=accept]").evaluate(script))


async def test_a_strip_with_the_buttons_takes_no_answer(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="bea")
    request, card = await new_card(frame, embedded, "bea")
    await expect(card).to_be_visible()
    await page.evaluate("events.length = 0")
    await page.evaluate(CLIP % await button_place(card))
    await heard(page, "pending", count=1)
    for button in ("accept", "decline"):  # what they answer is not beside them
        await refused(card, button, "moved")
    assert await state_of(embedded, "bea", request) == "pending"
    # The control: in sight, and seen from its head to its end.
    await page.evaluate("inbox.style.top = 0; inbox.parentElement.style.height = 'auto'")
    await expect(card).to_have_attribute("data-seen", "")
    await accepted(page, card)


async def test_another_question_in_the_place_of_a_seen_one_is_new(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="cyd")
    first = await embedded.ask("cyd", "Which colour?")
    card = frame.locator(f"#request-{first['id']}")
    await expect(card).to_have_attribute("data-seen", "")
    # Its words are exchanged within the same element.
    await card.locator("h2").evaluate("(heading) => (heading.textContent = 'Delete everything?')")
    await expect(card).not_to_have_attribute("data-seen", "")
    await card.locator("button[value=accept]").evaluate("(button) => button.click()")
    await expect(card.locator(".refusal")).to_have_count(1)
    assert await state_of(embedded, "cyd", first) == "pending"
    await accepted(page, card)


async def test_a_scroll_under_a_pressed_pointer_answers_nothing(page: Page, embedded: Embedded) -> None:
    space = "<script>document.body.style.paddingBottom = '3000px'</script>"
    frame = await opened(page, embedded, sub="dov", script=space)
    request, card = await new_card(frame, embedded, "dov")
    await expect(card).to_have_attribute("data-seen", "")
    heading, accept = await card.locator("h2").bounding_box(), await card.locator("button[value=accept]").bounding_box()
    assert heading
    assert accept
    await page.mouse.move(accept["x"] + accept["width"] / 2, heading["y"] + 4)
    await page.mouse.down()
    await page.evaluate("(by) => scrollBy(0, by)", accept["y"] + accept["height"] / 2 - heading["y"] - 4)
    await page.mouse.up()
    await expect(card).to_have_attribute("data-armed", "")
    assert await state_of(embedded, "dov", request) == "pending"
    await accepted(page, card)


async def test_a_transparent_layer_that_moves_is_a_cover(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="eli")
    request, card = await new_card(frame, embedded, "eli")
    await expect(card).to_have_attribute("data-seen", "")
    await page.evaluate(
        f"""{STAYS}; document.body.insertAdjacentHTML("beforeend", `{COVER}`)
        const layer = document.querySelector("div")
        layer.style.cssText += "; opacity: 0.01; inset: auto; width: 40px; height: 40px"
        const step = (time) => {{
          const {{ left, top, width, height }} = inbox.getBoundingClientRect()
          layer.style.left = `${{left + (time / 5) % (width - 40)}}px`
          layer.style.top = `${{top + (time / 7) % (height - 40)}}px`
          window.moving = requestAnimationFrame(step)
        }}
        step(0)"""
    )
    await expect(card).not_to_have_attribute("data-armed", "")
    await refused(card)
    assert await state_of(embedded, "eli", request) == "pending"
    await page.evaluate("cancelAnimationFrame(moving); document.querySelector('div').remove()")
    await accepted(page, card)


async def test_a_question_seen_in_one_frame_counts_in_no_other(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="fil")
    request, card = await new_card(frame, embedded, "fil")
    await expect(card).to_have_attribute("data-seen", "")
    place = await button_place(card)
    await page.evaluate(
        """(place) => {
          const box = document.createElement("div"), other = inbox.cloneNode()
          box.style.cssText = "height: 60px; overflow: hidden"
          other.id = "other"
          other.style.cssText = `display: block; position: relative; top: ${30 - place}px`
          box.append(other)
          document.body.append(box)
        }""",
        place,
    )
    other = page.frame_locator("#other iframe").locator(f"#request-{request['id']}")
    await refused(other, reason="moved")
    assert await state_of(embedded, "fil", request) == "pending"
    own = page.frame_locator("#inbox iframe").locator(f"#request-{request['id']}")
    await accepted(page, own)


async def test_a_theme_never_reaches_who_asks(page: Page, embedded: Embedded) -> None:
    style = ":root { --color-background-primary: #102030; --color-text-primary: #fff; --color-text-secondary: #ddd; "
    style += "--color-background-secondary: #102030; --color-background-tertiary: #000; --color-text-info: #9cf; "
    style += "--border-radius-lg: url(//evil.example) }"
    frame = await opened(page, embedded, sub="ned", style=style, more='color-scheme="dark" density="compact"')
    _request, card = await new_card(frame, embedded, "ned")
    ground = "element => getComputedStyle(element).backgroundColor"
    assert await card.evaluate(ground) == "rgb(16, 32, 48)"
    assert await card.locator(".card__head").evaluate(ground) != "rgb(16, 32, 48)"
    # White on white would hide the question: it is left out, and the page hears of it.
    await page.evaluate("document.documentElement.style.setProperty('--color-background-primary', '#fff')")
    await heard(page, "error", code="contrast")
    assert await card.evaluate(ground) not in ("rgb(16, 32, 48)", "rgb(255, 255, 255)")
