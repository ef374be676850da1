"""Auto-advance: after an answer the next question opens, and no key or click ever answers it by mistake."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from functools import partial

import pytest
from playwright.async_api import Locator, Route, expect

from tests.browser.axe import complaints
from tests.browser.keyboard import Keyboard
from tests.browser.person import Person
from tests.browser.test_cursor import CONFIRMATION, ask_all, hold_back, states_of
from tests.mcp_servers import entry
from tests.program import Program, program
from webclient.web.http.advance import COOKIE

pytestmark = pytest.mark.anyio

COUNT = 6
LOST = (
    (500, "Not sent. Answer again."),
    (422, "Not sent: check your answer."),
    (409, "Not sent: the question had ended."),
    (None, "Not sent: no connection. Answer again."),
    (401, "Not sent: sign in, then answer again."),
)
"""A status, or none, and what the row says of an answer that is lost with it."""


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    """A program in which an approval can be undone for as long as by default."""
    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("WEBCLIENT_UNDO_APPROVAL_SECONDS")
        async with program(tmp_path_factory.mktemp("advance"), servers={"it": entry("asker")}) as served:
            yield served


@pytest.fixture
async def asker() -> str:
    return "it"


async def choose(person: Person, choice: str) -> None:
    """Remember a choice in the browser; "" is a browser that never heard of it."""
    await person.page.context.clear_cookies(name=COOKIE)
    if choice:
        await person.page.context.add_cookies([{"name": COOKIE, "value": choice, "url": person.served.base}])


@pytest.fixture
async def advancing(person: Person) -> Person:
    """A person for whom the next question opens."""
    await choose(person, "on")
    return person


@pytest.fixture
def keyboard(person: Person) -> Keyboard:
    return Keyboard(person.page)


def suggestion(person: Person) -> Locator:
    return person.page.locator(".detail__suggestion button")


async def test_questions_in_a_row_take_two_keys_each(advancing: Person, keyboard: Keyboard, asker: str) -> None:
    person = advancing
    requests = await ask_all(person, asker, [f"Deploy {n}?" for n in range(COUNT)])
    wanted = ["decline" if n % 3 == 1 else "accept" for n in range(COUNT)]
    sent: list[str] = []
    person.page.on("request", lambda each: sent.append(each.method) if "/requests/" in each.url else None)
    for request, action in zip(requests, wanted, strict=True):
        await person.read(request)
        await expect(person.page.locator("[aria-current].request-row__link")).to_contain_text(
            request["params"]["message"]
        )
        await keyboard.press("a" if action == "accept" else "d", "Enter")
    await expect(person.card(requests[-1])).to_have_count(0)
    # The response to each answer has brought the next card.
    assert sent == ["POST"] * COUNT
    got = [(await person.result(each["call_id"]))["structuredContent"]["action"] for each in requests]
    assert got == wanted


async def test_auto_advance_begins_after_its_suggestion(person: Person, keyboard: Keyboard, asker: str) -> None:
    await choose(person, "")
    requests = await ask_all(person, asker, [f"Ship {n}?" for n in range(3)])
    await person.read(requests[0])
    await expect(suggestion(person)).to_be_hidden()
    await keyboard.press("a", "Enter")
    await expect(suggestion(person)).to_be_visible()
    await expect(person.page.locator(f"#undo-{requests[0]['id']}")).to_be_focused()
    await keyboard.press("Enter")
    await person.read(requests[1])
    await keyboard.press("a", "Enter")
    await expect(person.card(requests[2]).locator("h2")).to_be_focused()
    await expect(person.page.locator(f"#last-{requests[1]['id']}")).to_be_visible()
    assert await complaints(person.page) == []


async def test_declining_the_suggestion_keeps_the_outcome(person: Person, keyboard: Keyboard, asker: str) -> None:
    await choose(person, "")
    requests = await ask_all(person, asker, [f"Ship {n}?" for n in range(3)])
    await person.read(requests[0])
    await keyboard.press("d", "Enter")
    await suggestion(person).click()
    await expect(suggestion(person)).to_have_count(0)
    await person.live()
    await person.open(requests[1])
    await person.read(requests[1])
    await keyboard.press("d", "Enter")
    await person.settled(requests[1], "declined")
    await person.page.get_by_role("button", name="Account").click()
    await person.page.get_by_role("button", name="Open the next question").click()
    await expect(
        person.page.get_by_role("button", name="Open the next question", include_hidden=True)
    ).to_have_attribute("aria-pressed", "true")


async def test_hasty_keys_answer_no_other_and_back_shows_the_answer(
    advancing: Person, keyboard: Keyboard, asker: str
) -> None:
    person = advancing
    requests = await ask_all(person, asker, [f"Ship {n}?" for n in range(3)])
    await person.read(requests[0])
    await keyboard.press("a", "Enter", "Enter", "Enter", "a", "Enter")
    await expect(person.card(requests[1])).to_be_visible()
    await person.read(requests[1])
    await person.card(requests[1]).locator("button[value=accept]").dblclick()
    await expect(person.card(requests[2]).locator("h2")).to_be_focused()
    await asyncio.sleep(0.3)
    await expect(person.request_row(requests[2])).to_have_attribute("data-state", "pending")
    await expect(person.page).to_have_url(re.compile(requests[2]["id"]))
    await expect(person.page.locator(f"#last-{requests[1]['id']}")).to_be_visible()
    await person.page.go_back()
    await person.settled(requests[1])


async def test_a_late_answer_brings_nothing_over_another_card(
    advancing: Person, keyboard: Keyboard, asker: str
) -> None:
    person = advancing
    first, second, third = await ask_all(person, asker, [f"Ship {n}?" for n in range(3)])
    come = await hold_back(person, first)
    await person.read(first)
    await keyboard.press("a", "Enter", "j", "j")
    await expect(person.card(third)).to_be_visible()
    come.set()
    await expect(person.request_row(first)).to_have_attribute("data-state", re.compile("gone|decided"))
    await expect(person.card(third)).to_be_visible()
    await expect(person.page).to_have_url(re.compile(third["id"]))
    assert await states_of(person, [second, third]) == ["pending"] * 2


async def test_undo_shows_the_text_that_the_answer_had(advancing: Person, asker: str) -> None:
    person = advancing
    first, second = [await person.ask(asker, each, opened=False) for each in ("Where to?", "And then?")]
    # What is pushed does not come before the response to the answer.
    await person.page.route("**/stream?*", lambda route: route.fulfill(status=503))
    await person.page.goto(f"{person.served.base}/")
    field = person.card(first).locator("input:not([type=hidden])").first
    await field.fill("Ada")
    await person.press(person.card(first), "decline")
    await expect(person.card(second)).to_be_visible()
    await person.page.locator(f"#last-{first['id']} button").click()
    await expect(field).to_have_value("Ada")
    # The card is a new one, not that which was left with the answer.
    await expect(person.card(first).locator("form[data-typed]")).to_have_count(1)


async def test_z_brings_the_answer_before_back(advancing: Person, keyboard: Keyboard, asker: str) -> None:
    person = advancing
    first, second, _third = requests = await ask_all(person, asker, [f"Ship {n}?" for n in range(3)])
    await person.read(first)
    await keyboard.press("a", "Enter")
    await expect(person.card(second)).to_be_visible()
    await keyboard.press("z")
    await expect(person.card(first)).to_be_visible()
    await expect(person.page.locator(f"#row-{first['id']} [aria-current]")).to_have_count(1)
    await asyncio.sleep(5.2)
    assert await states_of(person, requests) == ["pending"] * 3


async def test_a_lost_answer_is_said_at_its_card_or_its_row(person: Person, keyboard: Keyboard, asker: str) -> None:
    first, second = await ask_all(person, asker, ["Ship?", "And this?"])
    address = f"**/requests/{first['id']}"
    await person.page.route(address, lambda route: route.fulfill(status=500), times=1)
    await person.read(first)
    await keyboard.press("a", "Enter")
    await expect(person.not_sent(first)).to_be_visible()
    # Keys act on it again.
    await keyboard.press("d")
    await expect(person.card(first).locator("button[value=decline]")).to_be_focused()
    said = person.request_row(first).locator(".request-row__not-sent")
    for status, words in LOST:
        arrives = asyncio.Event()
        await person.page.route(address, partial(_refuse_late, arrives, status), times=1)
        await person.read(first)
        await keyboard.press("a", "Enter", "j")
        await expect(person.card(second)).to_be_visible()
        arrives.set()
        await expect(said).to_have_text(words)
        await expect(person.not_sent(second)).to_be_hidden()
        await person.open(first)
        await expect(said).to_have_count(0)
    person.complaints.clear()


async def _refuse_late(arrives: asyncio.Event, status: int | None, route: Route) -> None:
    await arrives.wait()
    if status is None:
        await route.abort()
    else:
        await route.fulfill(status=status, headers={"X-Webclient": "1"})


async def test_the_next_question_comes_without_scripts(plain: Person, asker: str) -> None:
    first, second = [await plain.ask(asker, each, opened=False, schema=CONFIRMATION) for each in ("Ship?", "And this?")]
    await choose(plain, "")
    await plain.page.goto(f"{plain.served.base}/requests/{first['id']}")
    await plain.press(plain.card(first), "accept")
    await expect(suggestion(plain)).to_be_visible()
    await plain.page.locator(f"#undo-{first['id']} button").click()
    await plain.page.goto(f"{plain.served.base}/requests/{first['id']}")
    await plain.press(plain.card(first), "accept")
    await expect(plain.card(second)).to_be_visible()
    await plain.page.locator(f"#last-{first['id']} button").click()
    await expect(plain.card(first)).to_be_visible()
    assert await states_of(plain, [first, second]) == ["pending"] * 2
