"""What a person does about a server that asks too much, and about the time that a question has, in a browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route, expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from tests.mcp_servers import stdio
from tests.program import Api, program
from webclient.model import Reason, ReasonCode
from webclient.reasons import sentence

pytestmark = pytest.mark.anyio

SCHEMA = {"type": "object", "properties": {"name": {"type": "string", "title": "Your name"}}}


@asynccontextmanager
async def with_deadline(seconds: float, folder: Path, chromium: Browser) -> AsyncIterator[tuple[Person, Api]]:
    """A person at a program of their own in which a question has so much time."""
    entry = {key: value for key, value in stdio("asker").items() if key != "type" and value}
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEBCLIENT_DEADLINE_PUSH", str(seconds))
        async with (
            program(folder, servers={"it": {**entry, "era": "2025-11-25"}}) as served,
            served.client() as api,
            await chromium.new_context(reduced_motion="reduce") as context,
        ):
            person = Person(await context.new_page(), served, api)
            await person.sign_in()
            await person.live()
            yield person, api
            assert person.complaints == []


async def test_a_server_is_muted_from_its_card_and_shown_as_muted(person: Person, asker: str) -> None:
    await person.live()
    request = await person.asked(asker, "Me again", schema=SCHEMA)
    await person.card(request).get_by_role("link", name=f"Mute {asker}").click()
    await expect(person.page.get_by_text("1 question is waiting for you. It will be cancelled")).to_be_visible()
    assert await complaints(person.page) == []
    await person.page.get_by_role("button", name="Mute").click()
    await expect(person.page.get_by_role("button", name="Unmute")).to_be_visible()
    assert await complaints(person.page) == []
    await person.page.set_viewport_size({"width": 1280, "height": 900})
    row = person.page.locator("#servers").get_by_role("link", name=asker)
    await expect(row).to_contain_text("muted")
    await person.page.goto(person.served.base)
    await person.live()
    call = await person.api.call(asker, "ask_form", {"message": "And again", "schema": SCHEMA})
    await person.api.in_state(call, "done")
    await expect(person.page.locator(".outcome").get_by_text(sentence(Reason(ReasonCode.SERVER_MUTED)))).to_be_visible()
    await row.click()
    await person.page.get_by_role("button", name="Unmute").click()
    await expect(row).not_to_contain_text("muted")


async def test_all_requests_of_a_server_are_declined_in_one_action(person: Person, asker: str) -> None:
    await person.live()
    waiting = [await person.asked(asker, f"Question {n}", schema=SCHEMA) for n in range(3)]
    await person.card(waiting[0]).get_by_role("link", name=f"Decline all from {asker}").click()
    await expect(person.page.get_by_text("3 questions are waiting for you. Each will be declined")).to_be_visible()
    await person.page.get_by_role("button", name="Decline all").click()
    await person.page.wait_for_url(f"{person.served.base}/")
    for request in waiting:
        assert (await person.api.json("GET", f"/requests/{request['id']}"))["state"] == "declined"
    again = await person.asked(asker, "Question 1", schema=SCHEMA)
    await expect(person.card(again).get_by_text(f"You declined this 1 time; {asker} asks again.")).to_be_visible()
    assert await complaints(person.page, unfold="none") == []


async def test_before_it_disconnects_the_page_says_what_is_cut_off(person: Person, asker: str) -> None:
    await person.live()
    request = await person.asked(asker, "Still there?", schema=SCHEMA)
    await person.page.locator("#servers").get_by_role("link", name=asker).click()
    confirmation = person.page.get_by_text("1 question is waiting for you. It will be interrupted")
    await person.page.get_by_text("Connection settings").click()
    await person.page.get_by_role("button", name="Disconnect").click()
    await expect(confirmation).to_be_visible()
    assert (await person.api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"
    await person.page.get_by_role("link", name="Cancel").click()
    await person.page.get_by_text("Connection settings").click()
    await person.page.get_by_role("button", name="Disconnect").click()
    await expect(confirmation).to_be_visible()
    await person.page.get_by_role("button", name="Disconnect").click()
    await expect(person.page.locator(".state")).to_contain_text("not connected")
    assert (await person.api.json("GET", f"/requests/{request['id']}"))["state"] == "interrupted"


async def test_a_near_deadline_is_shown_and_extended_keeping_text(tmp_path: Path, chromium: Browser) -> None:
    async with with_deadline(500, tmp_path, chromium) as (person, api):
        [request] = await api.asked(await api.call("it", "ask_form", {"schema": SCHEMA}))
        card = person.card(request)
        await expect(card.get_by_text("Without an answer, this is cancelled")).to_be_visible()
        assert await complaints(person.page) == []
        name = card.get_by_label("Your name")
        await name.fill("Ada")
        await card.get_by_role("button", name="I need more time").click()
        await expect(card.get_by_text("Without an answer")).to_have_count(0)
        await expect(card.get_by_role("button", name="I need more time")).to_have_count(0)
        assert await name.input_value() == "Ada"
        await name.press("Enter")
        await expect(person.outcome(request)).to_contain_text("You answered")


async def test_a_push_older_than_the_answer_brings_no_card_back(tmp_path: Path, chromium: Browser) -> None:
    """A second tab answers while a push about the same request, rendered before the answer, is on its way to it."""
    rendered, answered = asyncio.Event(), asyncio.Event()

    async def delay(route: Route) -> None:
        response = await route.fetch()
        rendered.set()
        await answered.wait()
        await route.fulfill(response=response)

    async with with_deadline(500, tmp_path, chromium) as (person, api):
        [request] = await api.asked(await api.call("it", "ask_form", {"schema": SCHEMA}))
        other = Person(await person.page.context.new_page(), person.served, api)
        await other.page.goto(person.served.base)
        await other.live()
        await other.page.route("**/stream?*once=true*", delay, times=1)
        await person.card(request).get_by_role("button", name="I need more time").click()
        await rendered.wait()
        await other.press(other.card(request), "accept")
        await expect(other.outcome(request)).to_contain_text("You answered")
        answered.set()
        later = await person.asked("it", "Later", schema=SCHEMA)
        await expect(other.card(later)).to_be_visible()
        await expect(other.card(request)).to_have_count(0)
        await expect(other.outcome(request)).to_have_count(1)
        assert other.complaints == []


async def test_what_runs_out_says_so_on_the_open_page(tmp_path: Path, chromium: Browser) -> None:
    async with with_deadline(3, tmp_path, chromium) as (person, api):
        [request] = await api.asked(await api.call("it", "ask_form", {"schema": SCHEMA}))
        await expect(person.outcome(request)).to_contain_text("The time to answer it ran out.")
        await expect(person.outcome(request)).to_contain_text(sentence(Reason(ReasonCode.DEADLINE_PASSED)))
        await expect(person.page.locator("#announce")).to_contain_text("ended without your answer")
