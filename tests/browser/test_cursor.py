"""One cursor: the row with the ring is the open card, and no key ever answers another question."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Iterable

import pytest
from playwright.async_api import Route, expect

from tests.browser.keyboard import Keyboard
from tests.browser.person import Person
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

CONFIRMATION: Json = {"type": "object", "properties": {}}
COUNT = 6
SCREENFUL = 20

_SETTLED = {"accept": "accepted", "decline": "declined"}


@pytest.fixture
def keyboard(person: Person) -> Keyboard:
    """The keyboard of the person's tab."""
    return Keyboard(person.page)


async def ask_all(person: Person, asker: str, words: Iterable[str]) -> list[Json]:
    """Ask one question after the other, and show them in an inbox that is live."""
    requests = [await person.ask(asker, each, opened=False, schema=CONFIRMATION) for each in words]
    await person.page.goto(f"{person.served.base}/")
    await person.live()
    return requests


async def cursor(person: Person) -> str:
    """Return the words of the row with the ring; it must be that of the open card."""
    ring = person.page.locator(".request-row__link:focus-visible")
    await expect(ring).to_have_attribute("aria-current", "true")
    await expect(person.page.locator("[aria-current].request-row__link")).to_have_count(1)
    id_ = str(await ring.locator("xpath=..").get_attribute("id")).removeprefix("row-")
    await expect(person.page.locator(f"#detail-{id_}")).to_be_visible()
    await expect(person.page.locator(".detail__card")).to_have_count(1)
    return (await ring.locator(".request-row__text").inner_text()).strip()


async def answer_here(person: Person, keyboard: Keyboard, action: str) -> None:
    """Answer the question under the cursor by keyboard, once its card takes keys."""
    card = person.page.locator("#detail article.card")
    await keyboard.press("a" if action == "accept" else "d")
    button = card.locator(f"button[value={action}]")
    await expect(button).to_be_focused()
    await person.takes_keys(button)
    await keyboard.press("Enter")
    await expect(card).to_have_count(0)


async def states_of(person: Person, requests: Iterable[Json]) -> list[str]:
    """Return the states that the program has."""
    return [(await person.api.json("GET", f"/requests/{each['id']}"))["state"] for each in requests]


async def disturb(person: Person, asker: str, stop: asyncio.Event) -> list[Json]:
    """Ask until it stops: questions that expire in a second, and others that are declined elsewhere."""
    program = {"kind": "form", "message": "Brief?", "requestedSchema": CONFIRMATION, "expires_in": 1}
    others: list[Json] = []
    while not stop.is_set():
        await person.api.json("POST", "/requests", 201, json=program)
        other = await person.ask(asker, "Elsewhere?", opened=False, schema=CONFIRMATION)
        others.append(other)
        await asyncio.sleep(0.2)
        await person.api.answer(other, action="decline")
    return others


async def test_answers_find_their_question_while_others_come_and_go(
    person: Person, keyboard: Keyboard, asker: str
) -> None:
    """Questions arrive, expire and are answered elsewhere between any two keys."""
    requests = await ask_all(person, asker, [f"Step {n}?" for n in range(COUNT)])
    by_words = {f"Step {n}?": request for n, request in enumerate(requests)}
    answered: dict[str, str] = {}
    stop = asyncio.Event()
    disturbing = asyncio.create_task(disturb(person, asker, stop))
    try:
        for n in range(COUNT):
            words = await next_of(by_words, person, keyboard) if n else "Step 0?"
            action = "decline" if n % 2 else "accept"
            await answer_here(person, keyboard, action)
            await person.settled(by_words[words], _SETTLED[action])
            answered[by_words[words]["id"]] = action
    finally:
        stop.set()
        others = await disturbing
    for request in requests:
        result = (await person.result(request["call_id"]))["structuredContent"]
        assert result["action"] == answered[request["id"]]
    assert len(others) > 1
    assert set(await states_of(person, others)) == {"declined"}


async def next_of(wanted: Container[str], person: Person, keyboard: Keyboard) -> str:
    """Go on to the next question that is `wanted`, past others."""
    for _each in range(SCREENFUL):
        await keyboard.press("j")
        if (words := await cursor(person)) in wanted:
            return words
    raise AssertionError("the cursor does not come to a question that waits")


async def hold_back(person: Person, request: Json) -> asyncio.Event:
    """Let the card of the request come only once the event is set."""
    let = asyncio.Event()

    async def wait(route: Route) -> None:
        await let.wait()
        await route.continue_()

    await person.page.route(f"**/requests/{request['id']}*", wait)
    return let


async def test_a_key_waits_for_the_card_of_its_row(person: Person, keyboard: Keyboard, asker: str) -> None:
    first, second = requests = await ask_all(person, asker, ["First?", "Second?"])
    await person.read(first)
    await person.request_row(first).locator("a").focus()
    come = await hold_back(person, second)
    await keyboard.press("ArrowDown", "a", "Enter", "Enter")
    await expect(person.request_row(second).locator("a")).to_be_focused()
    # The other card is still in sight, and takes neither keys nor clicks.
    await expect(person.page.locator("#detail")).to_have_js_property("inert", True)
    await keyboard.press("Tab", "Enter")
    await person.request_row(second).locator("a").focus()
    await keyboard.press("d")
    come.set()
    await expect(person.card(second).locator("[value=decline]")).to_be_focused()
    assert await states_of(person, requests) == ["pending", "pending"]
    await person.read(second)
    await keyboard.press("Enter")
    await person.settled(second, "declined")
    assert await states_of(person, requests) == ["pending", "declined"]


async def test_a_key_opens_the_row_that_tab_came_to(person: Person, keyboard: Keyboard, asker: str) -> None:
    first, second = requests = await ask_all(person, asker, ["First?", "Second?"])
    await person.request_row(second).locator("input").focus()
    await keyboard.press("Tab", "a")
    await expect(person.card(second).locator("[value=accept]")).to_be_focused()
    await person.read(second)
    await keyboard.press("Enter")
    await person.settled(second)
    assert await states_of(person, requests) == ["pending", "accepted"]
    # From the end of the list the cursor goes back to what is left.
    await keyboard.press("j")
    assert await cursor(person) == "First?"
    await expect(person.card(first)).to_be_visible()


async def test_a_card_that_cannot_come_leaves_the_ring_where_it_is(
    person: Person, keyboard: Keyboard, asker: str
) -> None:
    first, second = requests = await ask_all(person, asker, ["First?", "Second?"])
    await person.read(first)
    address = f"**/requests/{second['id']}"
    await person.page.route(address, lambda route: route.abort())
    await keyboard.press("j", "a")
    await expect(person.page.locator("#detail")).to_have_js_property("inert", False)
    await keyboard.press("Enter")
    await expect(person.request_row(second).locator("a")).to_be_focused()
    await person.page.unroute(address)
    await keyboard.press("a")
    await expect(person.card(second).locator("[value=accept]")).to_be_focused()
    assert await states_of(person, requests) == ["pending", "pending"]
    person.complaints.clear()


async def test_pushes_do_not_move_the_ring(person: Person, keyboard: Keyboard, asker: str) -> None:
    first, second, third = await ask_all(person, asker, ["First?", "Second?", "Third?"])
    await keyboard.press("j")
    assert await cursor(person) == "Second?"
    await person.api.answer(second, action="decline")
    await person.settled(second, "declined")
    await person.api.answer(first, action="decline")
    await expect(person.request_row(first).first).to_have_attribute("data-state", "gone")
    await expect(person.request_row(second).first.locator("a")).to_be_focused()
    # There is nothing to answer under the ring, and the key finds nothing else.
    await keyboard.press("a", "Enter", "j")
    assert await cursor(person) == "Third?"
    assert await states_of(person, [third]) == ["pending"]


async def test_an_opened_link_scrolls_the_list_to_its_row(person: Person, asker: str) -> None:
    requests = await ask_all(person, asker, [f"Step {n}?" for n in range(SCREENFUL)])
    before = await person.page.evaluate("history.length")
    await person.page.goto(f"{person.served.base}/requests/{requests[-1]['id']}")
    await expect(person.request_row(requests[-1])).to_be_in_viewport()
    await person.live()
    await Keyboard(person.page).press("k")
    assert await cursor(person) == f"Step {SCREENFUL - 2}?"
    await expect(person.page).to_have_url(f"{person.served.base}/requests/{requests[-2]['id']}")
    # Back does not return to each step.
    assert await person.page.evaluate("history.length") == before + 1


async def test_x_selects_a_row_and_an_opened_card_is_soon_ready(person: Person, keyboard: Keyboard, asker: str) -> None:
    first, second, third = await ask_all(person, asker, ["First?", "Second?", "Third?"])
    button = person.page.locator("#detail button[value=accept]")
    await expect(button).to_have_css("animation-duration", "0.7s")
    await expect(person.request_row(first).get_by_role("img", name="Confirmation")).to_be_visible()
    await keyboard.press("x", "j")
    await expect(person.card(second).locator("[value=accept]")).to_have_css("animation-duration", "0.25s")
    await keyboard.press("x", "x", "a")
    await expect(person.request_row(first).locator("input")).to_be_checked()
    await expect(person.request_row(second).locator("input")).not_to_be_checked()
    await expect(person.card(second).locator("[value=accept]")).to_be_focused()
    # Where the pointer is on a link, the buttons of the next card may come under it.
    await person.read(second)
    await keyboard.press("Enter")
    await person.settled(second)
    await person.page.get_by_role("link", name="Next question").click()
    await expect(person.card(third).locator("[value=accept]")).to_have_css("animation-duration", "0.7s")
    assert await states_of(person, [first, third]) == ["pending", "pending"]


async def test_a_refused_key_says_so_and_the_next_answers(person: Person, keyboard: Keyboard, asker: str) -> None:
    """Before the card has come, and while it takes no keys yet."""
    _first, second, third = await ask_all(person, asker, ["First?", "Second?", "Third?"])
    for request, is_early in ((second, True), (third, False)):
        come = await hold_back(person, request)
        await keyboard.press("j", "a")
        if is_early:
            await keyboard.press("Enter")
        come.set()
        button = person.card(request).locator("[value=accept]")
        await expect(button).to_be_focused()
        if not is_early:
            await button.evaluate("(it) => { it.style.pointerEvents = 'none' }")
            await keyboard.press("Enter")
            await button.evaluate("(it) => { it.style.pointerEvents = '' }")
        await expect(person.card(request).locator(".answers__not-ready")).not_to_be_empty()
        assert await states_of(person, [request]) == ["pending"]
        await person.read(request)
        await keyboard.press("Enter")
        await person.settled(request)


async def test_enter_on_an_outcome_goes_on_and_answers_nothing(person: Person, keyboard: Keyboard, asker: str) -> None:
    first, second = requests = await ask_all(person, asker, ["First?", "Second?"])
    await person.read(first)
    await answer_here(person, keyboard, "accept")
    await expect(person.outcome(first)).to_be_focused()
    await keyboard.press("Enter")
    await expect(person.card(second).locator("h2")).to_be_focused()
    # A hasty person presses it again and again.
    await keyboard.press("Enter", "Enter")
    assert await states_of(person, requests) == ["accepted", "pending"]
    await person.read(second)
    await answer_here(person, keyboard, "decline")
    # None is left to go on to.
    await keyboard.press("Enter")
    await expect(person.outcome(second)).to_be_focused()
    assert await states_of(person, requests) == ["accepted", "declined"]


async def test_all_of_a_server_or_a_call_are_selected(writer: Person, asker: str, round_asker: str) -> None:
    other = await writer.ask(asker, "Who else?", opened=False)
    mine = [await writer.ask(round_asker, f"Step {n}?", opened=False) for n in range(2)]
    of_call = await writer.api.pending_requests(await writer.api.call(round_asker, "ask_many", {"n": 2}))
    requests = [other, *mine, *of_call]
    await writer.page.goto(writer.served.base)
    boxes = [writer.request_row(each).get_by_role("checkbox") for each in requests]
    all_of_call = writer.page.get_by_role("button", name="All of this call")
    await boxes[1].check()
    await expect(all_of_call).to_be_hidden()
    await boxes[1].uncheck()
    await boxes[3].check()
    await all_of_call.click()
    for box, is_checked in zip(boxes, [False, False, False, True, True], strict=True):
        await expect(box).to_be_checked(checked=is_checked)
    await writer.page.get_by_role("button", name="All of this server").click()
    for box, is_checked in zip(boxes, [False, True, True, True, True], strict=True):
        await expect(box).to_be_checked(checked=is_checked)


async def test_shift_selects_between_and_a_server_what_is_shown(person: Person, asker: str) -> None:
    requests = await ask_all(person, asker, ["Stop?", "Ship it?", "Ship more?", "Wait?", "Ship all?"])
    boxes = [person.request_row(each).get_by_role("checkbox") for each in requests]
    await boxes[3].click()
    await boxes[1].click(modifiers=["Shift"])
    assert [await each.is_checked() for each in boxes] == [False, True, True, True, False]
    await expect(person.page.locator("#selected")).to_contain_text("3")
    await boxes[2].click(modifiers=["Shift"])
    assert [await each.is_checked() for each in boxes] == [False, False, False, True, False]
    await boxes[3].uncheck()
    await person.page.locator("#filter").fill("ship")
    boxes = [person.request_row(each).locator("input") for each in requests]
    await boxes[1].check()
    await person.page.get_by_role("button", name="All of this server").click()
    assert [await each.is_checked() for each in boxes] == [False, True, True, False, True]
    await expect(person.page.locator("#selected")).to_contain_text("3")
