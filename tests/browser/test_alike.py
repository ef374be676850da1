"""A person decides on fifty approvals with the keyboard: similar calls in groups, the others one by one."""

from __future__ import annotations

import time
from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

WIPE: Json = {"name": "wipe", "title": "Delete file", "annotations": {"destructiveHint": True}}
MAIL: Json = {"name": "mail", "title": "Send an e-mail", "annotations": {"openWorldHint": True}}
NOTE: Json = {"name": "note", "title": "Take a note"}
PAY: Json = {"name": "pay", "title": "Send a payment"}

LONGEST = 120
"""Seconds in which a person decides on all."""


async def propose(person: Person, tool: Json, **arguments: Any) -> Json:
    """Ask whether a tool may run, as a program does."""
    body = {"kind": "approval", "tool": tool, "arguments": arguments}
    request: Json = await person.api.json("POST", "/requests", 201, json=body)
    return request


async def states(person: Person, requests: list[Json]) -> list[str]:
    """Return the states of these questions by now."""
    return [(await person.api.json("GET", f"/requests/{each['id']}"))["state"] for each in requests]


async def decide_together(person: Person, count: int, action: str) -> None:
    """Open the page of a group from its head, and decide there."""
    await person.page.keyboard.press("Enter")
    await expect(person.page.locator(".alike__calls > li")).to_have_count(count)
    button = person.page.locator(f"button[name=action][value={action}]")
    await person.page.wait_for_timeout(1000)  # to read it
    await person.page.keyboard.press("a" if action == "accept" else "d")
    await expect(button).to_be_focused()
    await person.page.keyboard.press("Enter")
    await expect(person.page.locator("#entries")).to_be_visible()


async def test_fifty_approvals_are_decided_with_the_keyboard(person: Person) -> None:
    wiped = [await propose(person, WIPE, path=f"/srv/reports/report-{n}.pdf") for n in range(18)]
    disguised = await propose(person, WIPE, path="/srv/keys/report-7.pdf")
    paid = [await propose(person, PAY, to=f"DE{n}", amount=100 + n) for n in range(6)]
    mailed = [await propose(person, MAIL, to=f"n{n}@example.com") for n in range(12)]
    noted = [await propose(person, NOTE, text=f"note {n}") for n in range(13)]
    page = person.page
    await page.goto(person.served.base)
    await person.live()
    await expect(page.locator("#entries .request-row")).to_have_count(50)
    began = time.monotonic()
    for group, action in ((wiped, "accept"), (mailed, "decline"), (noted, "accept")):
        await page.locator(".inbox__alike").first.focus()
        await decide_together(person, len(group), action)
        await expect(person.request_row(group[0])).not_to_be_attached()
    await person.live()
    alone = [disguised, *paid]
    for request in alone:
        # Each is opened, and shows what it would run.
        await person.request_row(request).locator("a").focus()
        await page.keyboard.press("Enter")
        await expect(person.card(request).locator("h2")).to_be_focused()
        await person.read(request)
        await page.keyboard.press("d" if request is disguised else "a")
        await expect(person.card(request).locator("button[name=action]:focus")).to_be_attached()
        await page.keyboard.press("Enter")
        await expect(person.outcome(request)).to_be_visible()
    assert time.monotonic() - began < LONGEST
    assert await states(person, wiped) == ["accepted"] * 18
    assert await states(person, mailed) == ["declined"] * 12
    assert await states(person, noted) == ["accepted"] * 13
    assert await states(person, alone) == ["declined", *["accepted"] * 6]
    assert person.complaints == []


async def test_a_group_grows_and_shrinks_while_the_list_is_open(person: Person) -> None:
    await person.live()
    first = await propose(person, WIPE, path="/srv/live/a.txt")
    await expect(person.request_row(first)).to_be_visible()
    group = person.page.locator(".inbox__alike")
    await expect(group).to_have_count(0)
    second = await propose(person, WIPE, path="/srv/live/b.txt")
    await expect(person.request_row(second)).to_be_visible()
    await expect(group).to_have_count(1)
    await expect(person.page.locator("#entries > .inbox__entry")).to_have_count(1)
    await person.api.answer(first, action="decline")
    await expect(person.request_row(first)).not_to_be_visible()
    await expect(group).to_have_count(0)
    await expect(person.request_row(second)).to_be_visible()


async def test_the_page_of_a_group_says_which_calls_have_ended(person: Person) -> None:
    calls = [await propose(person, WIPE, path=f"/srv/open/{name}.txt") for name in "abc"]
    page = person.page
    await page.goto(person.served.base)
    await page.locator(".inbox__alike").click()
    ends = page.locator(".alike__end")
    await expect(ends).to_have_count(3)
    await person.live()
    await page.get_by_text("Decline with a message").click()
    await page.locator("#alike-message").fill("Typed before one has ended")
    await person.api.answer(calls[0], action="decline")
    await expect(ends.nth(0)).to_have_attribute("data-state", "ended")
    late = await propose(person, WIPE, path="/srv/open/d.txt")
    await expect(page.locator("#alike-more")).not_to_be_empty()
    # One that came later is not shown, and what is shown keeps its place.
    await expect(ends).to_have_count(3)
    await expect(page.locator("#alike-message")).to_have_value("Typed before one has ended")
    await expect(page.locator("input[name=fence]")).to_have_count(2)
    assert await complaints(page) == []
    await page.locator("button[name=action][value=accept]").click()
    await expect(page.locator("#entries")).to_be_visible()
    assert await states(person, [*calls, late]) == ["declined", "accepted", "accepted", "pending"]


async def test_a_group_of_which_none_waits_has_no_buttons(person: Person) -> None:
    calls = [await propose(person, WIPE, path=f"/srv/none/{name}.txt") for name in "ab"]
    await person.page.goto(person.served.base)
    await person.page.locator(".inbox__alike").click()
    await person.live()
    for each in calls:
        await person.api.answer(each, action="decline")
    await expect(person.page.locator("#alike-answers a")).to_be_visible()
    await expect(person.page.locator("#alike-answers button")).to_have_count(0)


async def test_j_stops_at_the_head_of_a_group_which_opens_its_page(person: Person) -> None:
    plain = await propose(person, PAY, to="DE1", amount=1)
    for n in range(2):
        await propose(person, NOTE, text=f"note {n}")
    await person.page.goto(person.served.base)
    await person.live()
    await person.request_row(plain).locator("a").focus()
    await person.page.keyboard.press("j")
    await expect(person.page.locator(".inbox__alike")).to_be_focused()
    assert await complaints(person.page) == []
    await person.page.locator(".inbox__alike").click()
    await expect(person.page.locator(".alike__calls > li")).to_have_count(2)
    assert await complaints(person.page) == []
