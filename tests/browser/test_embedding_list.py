"""Three questions or more in a frame: one card and a list of all."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from playwright.async_api import FrameLocator, Locator, Page, expect

from tests.browser.axe import complaints
from tests.browser.embedding import Embedded, events, heard, opened, press, press_until_taken
from tests.program import PATIENCE

pytestmark = pytest.mark.anyio


async def ask_many(embedded: Embedded, sub: str, number: int, **given: Any) -> list[str]:
    """Have questions asked one after the other, and return their ids."""
    return [str((await embedded.ask(sub, f"Question {n}?", **given))["id"]) for n in range(number)]


def entry(frame: FrameLocator, id_: str) -> Locator:
    """Return the entry of a question in the list."""
    return frame.locator(f"[data-entry='{id_}']")


async def choose(frame: FrameLocator, id_: str) -> None:
    """Choose a question by mouse, again if the click is lost."""
    # Chromium drops clicks into a frame that has just grown.
    async with asyncio.timeout(PATIENCE):
        while not await frame.locator(f"#request-{id_}").is_visible():
            await entry(frame, id_).click()
            await asyncio.sleep(0.5)


async def decline(frame: FrameLocator, id_: str) -> None:
    """Decline a question by mouse."""
    card = frame.locator(f"#request-{id_}")
    await press_until_taken(card, lambda: press(card.locator("button[value=decline]")))


async def test_thirty_questions_are_a_list_and_a_card(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="many")
    ids = await ask_many(embedded, "many", 30)
    await heard(page, "pending", count=30)
    await expect(frame.locator("#entries li")).to_have_count(30)
    await expect(frame.locator("article:visible")).to_have_count(1)
    await expect(entry(frame, ids[0])).to_have_attribute("aria-current", "true")
    await page.wait_for_function("inbox.offsetHeight < 900")
    assert await complaints(page, frame=page.frames[1]) == []
    # The same for a frame that begins with them.
    await page.reload()
    await expect(frame.locator("#entries li")).to_have_count(30)
    await expect(frame.locator("article:visible")).to_have_count(1)
    await page.wait_for_function("inbox.offsetHeight < 900 && inbox.pending === 30")


async def test_a_row_has_tile_age_and_warning_of_its_card(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="rows")
    [plain] = await ask_many(embedded, "rows", 1)
    password = {"type": "object", "properties": {"password": {"type": "string"}}}
    secret = str((await embedded.ask("rows", "Sign in?", schema=password))["id"])
    url = "https://accounts.google.com@evil.example/"
    link = str((await embedded.ask("rows", "Open it?", tool="ask_url", url=url))["id"])
    await expect(entry(frame, plain).locator(".tile")).to_have_text("A")
    await expect(entry(frame, plain).locator("time")).to_have_text("Now")
    await expect(entry(frame, plain).locator("[data-alarm]")).to_have_count(0)
    await expect(entry(frame, secret).locator("[data-alarm=secret]")).to_be_visible()
    # The script of the field came with the card.
    await expect(frame.locator(f"#request-{secret} .field__show")).to_have_js_property("hidden", False)
    await expect(entry(frame, link).locator("[data-alarm=disguised-link]")).to_be_visible()
    # The same for a frame that begins with the card.
    await page.reload()
    await expect(frame.locator(f"#request-{secret} .field__show")).to_have_js_property("hidden", False)
    # They stay when the question is settled.
    await choose(frame, plain)
    await decline(frame, plain)
    await heard(page, "settled", id=plain)
    await expect(entry(frame, plain).locator(".tile")).to_have_text("A")
    await expect(entry(frame, plain).locator("time")).to_be_visible()
    assert await complaints(page, frame=page.frames[1]) == []


async def test_an_entry_that_changes_while_it_is_pressed_is_chosen(page: Page, embedded: Embedded) -> None:
    """The browser sends no click if the pressed element was replaced."""
    frame = await opened(page, embedded, sub="pressed")
    ids = await ask_many(embedded, "pressed", 3)
    await choose(frame, ids[1])
    pressed = entry(frame, ids[2])
    await pressed.locator(".request-row__about bdi").first.hover()
    async with asyncio.timeout(PATIENCE):
        while not await pressed.evaluate("(entry) => entry.matches(':active')"):
            # One that was dropped, because the frame had just moved, has no effect at all.
            await page.mouse.up()
            await page.mouse.down()
            await asyncio.sleep(0.5)
    await (await embedded.user("pressed")).answer({"id": ids[2]}, action="decline")
    await expect(frame.locator(f"#outcome-{ids[2]}")).to_be_attached()
    await expect(pressed.locator("xpath=..")).to_have_attribute("data-state", "settled")
    await page.mouse.up()
    await expect(pressed).to_have_attribute("aria-current", "true")


async def test_one_or_two_questions_are_cards(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="two")
    await ask_many(embedded, "two", 2)
    await expect(frame.locator("article:visible")).to_have_count(2)
    await expect(frame.locator("#entries")).to_be_hidden()


async def test_a_settled_question_leads_to_the_next(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="lead")
    ids = await ask_many(embedded, "lead", 4)
    await choose(frame, ids[1])
    await decline(frame, ids[1])
    await heard(page, "settled", id=ids[1], action="decline")
    # The outcome is in the card's place, without an empty box, and nothing goes on by itself.
    outcome = frame.locator(f"#outcome-{ids[1]}")
    await expect(outcome).to_be_visible()
    await page.frames[1].wait_for_function(
        "(id) => document.getElementById(id).offsetHeight < 120", arg=f"outcome-{ids[1]}"
    )
    await expect(frame.locator("article:visible")).to_have_count(0)
    await expect(frame.locator("#entries li")).to_have_count(4)
    await frame.locator("#next-question button").press("Enter")
    await expect(frame.locator(f"#title-{ids[2]}")).to_be_focused()
    await expect(frame.locator("#next-question")).to_be_hidden()
    # The last one leads to the first that waits.
    for id_ in (ids[2], ids[3]):
        await decline(frame, id_)
        await heard(page, "settled", id=id_)
        await frame.locator("#next-question button").press("Enter")
    await expect(frame.locator(f"#title-{ids[0]}")).to_be_focused()
    await decline(frame, ids[0])
    await heard(page, "pending", count=0)
    await expect(frame.locator("#next-question")).to_be_hidden()
    # What comes then is shown, as the person has left what is settled.
    await page.mouse.move(1, 1)
    await page.locator("#before").focus()
    later = await embedded.ask("lead", "And then?")
    await expect(frame.locator(f"#request-{later['id']}")).to_be_visible()


async def test_new_questions_leave_the_open_card_and_its_text(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="keep")
    ids = await ask_many(embedded, "keep", 2)
    field = frame.locator(f"#request-{ids[1]}").get_by_label("Name")
    await field.fill("Second")
    # A list would move the second card while the person types in it, so none is shown yet.
    third = str((await embedded.ask("keep", "Third?"))["id"])
    await expect(frame.locator(f"#request-{third}")).to_be_visible()
    await expect(field).to_be_focused()
    await page.locator("#before").focus()
    await page.mouse.move(1, 1)
    await expect(frame.locator("#entries li")).to_have_count(3)
    await choose(frame, ids[0])
    first = frame.locator(f"#request-{ids[0]}").get_by_label("Name")
    await first.fill("First")
    await ask_many(embedded, "keep", 3)
    await expect(frame.locator("#entries li")).to_have_count(6)
    await expect(first).to_be_focused()
    await expect(first).to_have_value("First")
    await choose(frame, ids[1])
    await expect(field).to_have_value("Second")
    await choose(frame, ids[0])
    await expect(first).to_have_value("First")


async def test_a_hidden_card_has_not_been_seen(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="unseen")
    ids = await ask_many(embedded, "unseen", 3)
    await expect(frame.locator(f"#request-{ids[0]}")).to_have_attribute("data-seen", "")
    await expect(entry(frame, ids[2])).to_be_visible()
    # Until the third one came, there was no list: the second card may have been seen.
    for sign in ("data-seen", "data-armed"):
        await expect(frame.locator(f"#request-{ids[2]}")).not_to_have_attribute(sign, "")
    # Its button stands where that of the other card stood, and takes nothing just after it came.
    await entry(frame, ids[2]).focus()
    await page.keyboard.press("Enter")
    await frame.locator(f"#request-{ids[2]} form:has(button[value=decline])").evaluate(
        "(form) => form.requestSubmit(form.querySelector('button[value=decline]'))"
    )
    await expect(frame.locator(f"#request-{ids[2]} .refusal")).to_be_visible()
    await decline(frame, ids[2])
    await heard(page, "settled", id=ids[2])


async def test_a_page_that_swaps_cards_begins_the_half_second(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="swap")
    ids = await ask_many(embedded, "swap", 3)
    await expect(frame.locator("#entries li")).to_have_count(3)
    card = frame.locator(f"#request-{ids[0]}")
    await expect(card).to_have_attribute("data-armed", "")
    # Away and back between two looks, and then another question under the pointer that was about to press.
    for shown, pressed in ((ids[1::-1], ids[0]), ([ids[1]], ids[1])):
        await page.evaluate("events.length = 0")
        await page.frames[1].evaluate(
            """([shown, pressed]) => {
              for (const detail of shown) document.dispatchEvent(new CustomEvent("frame:focus", { detail }))
              document.querySelector(`#request-${pressed} button[value=decline]`).click()
            }""",
            [shown, pressed],
        )
        await heard(page, "error", code="not-visible")
        await expect(frame.locator(f"#request-{pressed} .refusal")).to_be_visible()
        await expect(frame.locator(f"#request-{pressed}")).to_have_attribute("data-armed", "")
    # The same where the person comes back: the buttons that counted before were hidden since.
    await page.evaluate("events.length = 0")
    await page.frames[1].evaluate(
        """(id) => {
          document.querySelector(`[data-entry='${id}']`).click()
          document.querySelector(`#request-${id} button[value=decline]`).click()
        }""",
        ids[0],
    )
    await heard(page, "error", code="not-visible")
    assert await events(page, "settled") == []
    await decline(frame, ids[0])
    await heard(page, "settled", id=ids[0], action="decline")


async def test_the_list_scrolls_to_the_chosen_question(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="reveal")
    ids = await ask_many(embedded, "reveal", 10)
    await expect(frame.locator("#entries li")).to_have_count(10)
    await frame.locator("#entries").scroll_into_view_if_needed()
    await expect(entry(frame, ids[8])).not_to_be_in_viewport()
    await page.evaluate("(id) => inbox.show(id)", ids[8])
    await expect(frame.locator(f"#title-{ids[8]}")).to_be_focused()
    await frame.locator("#entries").scroll_into_view_if_needed()
    await expect(entry(frame, ids[8])).to_be_in_viewport(ratio=0.9)
    await frame.locator("#entries").evaluate("(list) => list.scrollTo(0, 0)")
    await decline(frame, ids[8])
    await heard(page, "settled", id=ids[8])
    await frame.locator("#next-question button").press("Enter")
    await expect(frame.locator(f"#title-{ids[9]}")).to_be_focused()
    await frame.locator("#entries").scroll_into_view_if_needed()
    await expect(entry(frame, ids[9])).to_be_in_viewport(ratio=0.9)


async def test_the_list_is_used_by_keys(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="keys", more='display="badge"')
    ids = await ask_many(embedded, "keys", 5)
    await heard(page, "pending", count=5)
    await page.get_by_role("button", name="Questions").click()
    await expect(frame.locator(f"#title-{ids[0]}")).to_be_focused()
    await entry(frame, ids[0]).focus()
    for key in ("ArrowDown", "j", "j", "k"):
        await page.keyboard.press(key)
    await expect(entry(frame, ids[2])).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(frame.locator(f"#title-{ids[2]}")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("button", name="Questions")).to_be_focused()
    # The page around shows one of them by its id.
    await page.evaluate("(id) => { inbox.open = true; inbox.show(id) }", ids[4])
    await expect(frame.locator(f"#title-{ids[4]}")).to_be_focused()


async def test_an_opened_link_stays_in_the_list(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="link")
    api = await embedded.user("link")
    link = {"url": f"http://127.0.0.1:{embedded.app.port}/", "elicitation_id": "link"}
    [request] = await api.pending_requests(await api.call("asker", "await_url", link))
    await ask_many(embedded, "link", 2)
    await heard(page, "pending", count=3)
    async with page.context.expect_page():
        accept = frame.locator(f"#request-{request['id']} button[value=accept]")
        await expect(frame.locator(f"#request-{request['id']}[data-armed][data-seen]")).to_be_visible()
        # By a key: Chromium drops clicks into a frame that has just grown.
        await accept.press("Enter")
    await heard(page, "settled", id=request["id"], action="accept")
    await expect(frame.locator(f"#outcome-{request['id']}")).to_be_visible()
    assert (await events(page, "pending"))[-1]["count"] == 3
    await expect(entry(frame, str(request["id"]))).to_have_attribute("aria-current", "true")
    await api.json("POST", f"/requests/{request['id']}/give-up")
    await heard(page, "pending", count=2)
    await expect(frame.locator("#next-question")).to_be_visible()
