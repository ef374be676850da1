"""The guided demo in Chromium, with the mouse: from one click to “What just happened”."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, expect

from tests.browser.guide import Guide
from tests.browser.person import Person
from webclient.web.pages.guide.scenes import all_scenes, chapters

pytestmark = pytest.mark.anyio


@pytest.fixture
async def guide(person: Person) -> Guide:
    """The guide at its beginning."""
    guide = Guide(person)
    await guide.open()
    await person.page.get_by_role("button", name="Reset").click()
    await expect(person.page.locator("[data-seen='0']")).to_have_count(len(chapters()))
    return guide


async def test_answers_are_repeated_as_the_server_got_them(guide: Guide) -> None:
    card = await guide.run("book")
    await guide.page.locator(".scene__messages > summary").click()
    # The call and its response are the messages; that which asks is open.
    await expect(guide.page.locator("#wire-log-messages > li[data-requests] pre")).to_be_visible()
    await expect(guide.page.locator("#wire-log-messages details[open]")).to_have_count(1)
    await expect(guide.page.locator(".wire-log__filter, .wire-log summary:text-is('Wire log')")).to_have_count(0)
    await card.get_by_text("Yes", exact=True).click()
    await guide.answer("accept")
    sentence = await guide.happened("gave")
    await expect(sentence.locator("strong").first).to_have_text("Yes")
    await expect(guide.page.locator("#happened pre")).to_be_hidden()
    await expect(guide.page.locator("[data-guide=next]")).to_be_in_viewport(ratio=1)
    await guide.page.locator("#happened summary").click()
    await expect(guide.page.locator("#happened pre")).to_contain_text('"checkAlternative": true')
    await expect(guide.page.locator("#chapters [data-seen='1']")).to_have_count(1)
    await guide.page.locator("[data-guide=next]").click()
    await expect(guide.page.locator("#scene-heading")).to_have_text("Two questions")

    card = await guide.run("two")
    await guide.answer("accept")
    await expect(guide.page.locator("#cards [data-state=accepted]")).to_have_count(1)
    await guide.card.get_by_text("Yes", exact=True).click()
    await guide.answer("accept")
    await guide.happened("gave_all")

    await guide.run("fields")
    await guide.card.get_by_label("Booking code").fill("wrong")
    await guide.answer("accept")
    await expect(guide.card.get_by_label("Booking code")).to_have_attribute("aria-invalid", "true")
    await guide.card.get_by_label("Booking code").fill("XYZ-42")
    await guide.answer("accept")
    await expect((await guide.happened("gave")).locator("strong").first).to_have_text("XYZ-42")


async def test_text_typed_elsewhere_is_not_in_the_sentence(guide: Guide) -> None:
    async def opened() -> Locator:
        async with guide.page.context.expect_page() as opening:
            await guide.answer("accept")
        return (await opening.value).locator("main")

    await guide.run("sign-in")
    office = await opened()
    for step in ("Sign in as Alice", "Continue to Demo Drive", "alice@drive.example", "Allow"):
        await office.get_by_role("button", name=step, exact=True).click()
    await expect(await guide.happened("visited")).to_contain_text("127.0.0.1")

    await guide.run("key")
    office = await opened()
    await office.get_by_label("Key").fill("nobody-sees-this")
    await office.get_by_role("button", name="Store the key", exact=True).click()
    await guide.happened("visited")
    assert "nobody-sees" not in await guide.page.content()


async def test_the_second_click_on_a_trap_answers_nothing(guide: Guide) -> None:
    await guide.run("second-click")
    button = guide.card.locator("button[value=accept]")
    await button.click(click_count=2, delay=50)
    await expect(guide.card).to_contain_text("5,000 EUR")
    await guide.answer("decline")
    await expect(await guide.happened("agreed")).to_contain_text("1 of them")


async def test_the_next_step_stays_under_the_pointer_that_presses_it(guide: Guide) -> None:
    """Pressing it takes the focus from the outcome, whose place is kept."""
    await guide.run("book")
    await guide.answer("decline")
    await guide.happened("declined")
    following = guide.page.locator("[data-guide=next]")
    await following.hover()
    before = await following.bounding_box()
    await guide.page.mouse.down()
    await guide.page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    assert await following.bounding_box() == before
    await guide.page.mouse.up()
    await expect(guide.page.locator("#scene-heading")).to_have_text("Two questions")


async def test_a_new_card_leaves_the_focus_of_the_keyboard_in_sight(guide: Guide) -> None:
    """The server asks again after each answer (WCAG 2.2, 2.4.11)."""
    await guide.page.set_viewport_size({"width": 390, "height": 500})
    first = await (await guide.run("endless-requests")).get_attribute("id")
    await guide.page.locator(".scene__messages > summary").press("Shift+Tab")
    focused = guide.page.locator(":focus")
    before = await focused.bounding_box()
    [request] = (await guide.person.api.json("GET", "/requests", params={"state": "pending"}))["requests"]
    await guide.person.api.answer(request, action="decline")
    await expect(guide.page.locator(f"#cards article:not(#{first})").first).to_be_visible()
    after = await focused.bounding_box()
    assert before
    assert after
    # Pages scroll by whole pixels.
    assert abs(after["y"] - before["y"]) <= 1
    await expect(focused).to_be_in_viewport()


async def test_the_focus_goes_to_the_heading_if_all_cards_leave(guide: Guide) -> None:
    """Neither the question that had it nor the one after it is there any more."""
    card = await guide.run("flood")
    await expect(guide.page.locator("#scene-waiting")).to_contain_text("247")
    await card.locator("button[value=decline]").focus()
    elsewhere = await guide.page.context.new_page()
    await elsewhere.goto(f"{guide.person.served.base}/demo?scene=flood")
    await elsewhere.locator("form[action='/demo/decline-all'] button").click()
    await guide.happened("nothing")
    await expect(guide.page.get_by_role("heading", level=1)).to_be_focused()


async def test_on_a_phone_what_is_next_is_in_sight(guide: Guide) -> None:
    """The button that begins, and the question of a scene that runs, to which Enter leads."""
    await guide.page.set_viewport_size({"width": 390, "height": 844})
    await guide.open("start")
    await expect(guide.page.locator(".guide__begin button")).to_be_in_viewport(ratio=1)
    await guide.page.set_viewport_size({"width": 390, "height": 400})
    card = await guide.run("book")
    # A card that has come is led to once; only then is it left.
    await expect(card.get_by_role("heading")).to_be_in_viewport()
    await guide.page.mouse.wheel(0, 2000)
    await expect(card.get_by_role("heading")).not_to_be_in_viewport()
    await guide.page.keyboard.press("Enter")
    await expect(guide.page.locator("[data-guide=runs]")).not_to_be_empty()
    await expect(card.get_by_role("heading")).to_be_in_viewport()
    assert len((await guide.person.api.json("GET", "/requests", params={"state": "pending"}))["requests"]) == 1


async def test_the_guide_works_without_javascript(plain: Person) -> None:
    guide = Guide(plain)
    card = await guide.run("book")
    await card.get_by_text("No", exact=True).click()
    await guide.answer("accept")
    await plain.page.wait_for_url("**/demo?scene=book#*")
    sentence = plain.page.locator("#happened [data-code]")
    await plain.refresh_until(sentence)
    await guide.happened("gave")


async def test_the_presenters_view_is_larger_and_stays(guide: Guide) -> None:
    async def size() -> float:
        found: str = await guide.page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize")
        return float(found.removesuffix("px"))

    usual = await size()
    await guide.open(present=True)
    assert await size() > 1.2 * usual
    await guide.page.locator("#scene-status button").click()
    await expect(guide.card).to_be_visible()
    assert await size() > 1.2 * usual
    await guide.answer("decline")
    await guide.happened("declined")
    # The button was pushed meanwhile.
    await guide.page.locator("#scene-status button").click()
    await guide.page.wait_for_url("**present")
    assert await size() > 1.2 * usual


async def test_the_presenters_view_has_each_scene_on_one_screen(guide: Guide) -> None:
    """What is longer than a screen scrolls beside the story, so the page does not."""
    await guide.page.set_viewport_size({"width": 1280, "height": 720})
    for scene in (each.key for each in all_scenes()):
        await guide.open(scene, present=True)
        await _fits(guide, scene)
    for scene in ("fields", "lookalike-link"):
        await guide.open(scene, present=True)
        await guide.page.locator("#scene-status button").click()
        await expect(guide.card.locator("button[value=decline]")).to_be_attached()
        await _fits(guide, scene)
        await guide.answer("decline")
        await guide.happened("declined")
        await _fits(guide, scene)


async def _fits(guide: Guide, scene: str) -> None:
    assert await guide.page.evaluate("document.documentElement.scrollHeight") == 720, scene
    await expect(guide.page.locator("[data-guide=next]")).to_be_in_viewport(ratio=1)
