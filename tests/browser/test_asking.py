"""Muting, declining and deadlines of questions, in a browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route, expect

from tests.browser.axe import complaints
from tests.browser.person import Person, open_menu
from tests.mcp_servers import entry
from tests.program import Api, program
from webclient.domain.model import Reason, ReasonCode
from webclient.domain.reasons import sentence

pytestmark = pytest.mark.anyio

SCHEMA = {"type": "object", "properties": {"name": {"type": "string", "title": "Your name"}}}


@asynccontextmanager
async def with_deadline(seconds: float, folder: Path, chromium: Browser) -> AsyncIterator[tuple[Person, Api]]:
    """Run a program whose requests expire after `seconds`, with a person in front of it."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEBCLIENT_DEADLINE_PUSH", str(seconds))
        async with (
            program(folder, servers={"it": entry("asker", era="2025-11-25")}) as served,
            served.client() as api,
            await chromium.new_context(reduced_motion="reduce") as context,
        ):
            person = Person(await context.new_page(), served, api)
            await person.sign_in()
            await person.live()
            yield person, api
            assert person.complaints == []


async def test_a_server_is_muted_unmuted_and_disconnected(person: Person, asker: str) -> None:
    """Muting is asked about and shown as such; before it disconnects, the page says what is cut off."""
    await person.live()
    request = await person.ask(asker, "Me again", schema=SCHEMA)
    await open_menu(person.card(request))
    await person.card(request).get_by_role("link", name=f"Mute {asker}").click()
    confirmation = person.page.locator("#confirmation")
    await expect(confirmation).to_be_visible()
    assert await complaints(person.page) == []
    await person.page.get_by_role("button", name="Mute").click()
    unmute = person.page.locator("section.head").get_by_role("button", name="Unmute")
    await expect(unmute).to_be_visible()
    assert await complaints(person.page) == []
    row = person.page.locator("#servers .server-link__name").filter(has_text=asker)
    await expect(row).to_contain_text("Muted")
    await person.page.goto(person.served.base)
    await person.live()
    call = await person.api.call(asker, "ask_form", {"message": "And again", "schema": SCHEMA})
    await person.api.in_state(call, "done")
    await expect(person.page.locator("#settled .request-row").filter(has_text="And again")).to_be_attached()
    await person.page.goto(f"{person.served.base}/calls/{call['id']}")
    await expect(person.page.locator(".outcome").get_by_text(sentence(Reason(ReasonCode.SERVER_MUTED)))).to_be_visible()
    await row.click()
    await unmute.click()
    await expect(row).not_to_contain_text("Muted")

    request = await person.ask(asker, "Still there?", schema=SCHEMA)
    for decided in (False, True):
        await person.page.get_by_role("link", name="Settings", exact=True).click()
        await person.page.get_by_role("button", name="Disconnect").click()
        await expect(confirmation).to_be_visible()
        assert (await person.api.json("GET", f"/requests/{request['id']}"))["state"] == "pending"
        if not decided:
            await person.page.get_by_role("link", name="Cancel").click()
    await person.page.get_by_role("button", name="Disconnect").click()
    await expect(person.page.locator(".state")).to_have_attribute("data-state", "disconnected")
    assert (await person.api.json("GET", f"/requests/{request['id']}"))["state"] == "interrupted"


async def test_a_card_counts_what_was_declined_and_declines_all(person: Person, asker: str) -> None:
    await person.live()
    await person.api.answer(await person.ask(asker, "Question 1", schema=SCHEMA), action="decline")
    waiting = [await person.ask(asker, f"Question {n}", schema=SCHEMA) for n in (0, 1)]
    card = person.card(waiting[-1])
    await expect(card.get_by_text("You've declined this 1 time.")).to_be_visible()
    assert await complaints(person.page, unfold="none") == []
    await open_menu(card)
    await card.get_by_role("link", name=f"Decline all from {asker}").click()
    await expect(person.page.locator("#confirmation")).to_be_visible()
    await person.page.get_by_role("button", name="Decline all").click()
    await person.page.wait_for_url(f"{person.served.base}/")
    await expect(person.page.locator("#flash")).to_be_visible()
    await expect(person.page.locator("#entries [data-state=pending]")).to_have_count(0)
    for request in waiting:
        assert (await person.result(request["call_id"]))["structuredContent"]["action"] == "decline"


async def test_a_deadline_is_extended_and_an_old_push_brings_no_card(tmp_path: Path, chromium: Browser) -> None:
    """A second tab answers while a push about the same request, rendered before the answer, is on its way to it."""
    rendered, answered = asyncio.Event(), asyncio.Event()

    async def delay(route: Route) -> None:
        response = await route.fetch()
        rendered.set()
        await answered.wait()
        await route.fulfill(response=response)

    async with with_deadline(500, tmp_path, chromium) as (person, api):
        [request] = await api.pending_requests(await api.call("it", "ask_form", {"schema": SCHEMA}))
        card = person.card(request)
        deadline, name = card.locator(".card__deadline"), card.get_by_label("Your name")
        await expect(deadline).to_contain_text("Expires")
        assert await complaints(person.page) == []
        other = Person(await person.page.context.new_page(), person.served, person.api)
        await other.page.goto(person.served.base)
        await other.live()
        await other.page.route("**/stream?*once=true*", delay, times=1)
        await name.fill("Ada")
        await card.get_by_role("button", name="Extend deadline").click()
        await expect(deadline).to_be_empty()
        await expect(card.get_by_role("button", name="Extend deadline")).to_have_count(0)
        assert await name.input_value() == "Ada"
        await rendered.wait()
        await other.read(request)
        await other.card(request).get_by_label("Your name").press("Enter")
        await other.settled(request)
        answered.set()
        later = await person.ask("it", "Later", schema=SCHEMA)
        await expect(other.request_row(later)).to_be_visible()
        await expect(other.card(request)).to_have_count(0)
        await expect(other.outcome(request)).to_have_count(1)
        assert other.complaints == []


async def test_a_late_push_shows_nothing_over_a_newer_one(person: Person, asker: str) -> None:
    """An answer comes back after pushes; what the page then asks for is overtaken by the end of the call."""
    call = await person.api.call(asker, "ask_rounds", {"n": 2})
    [first] = await person.api.pending_requests(call)
    head = person.page.locator(f"#call-head-{call['id']} [data-status]")
    await person.page.goto(f"{person.served.base}/calls/{call['id']}")
    await person.live()

    async def come_after_pushes(route: Route) -> None:
        response = await route.fetch()
        await person.settled(first, "declined")
        await route.fulfill(response=response)

    second_request = asyncio.Event()

    async def come_after_the_end(route: Route) -> None:
        response = await route.fetch()
        await person.page.route("**/stream?*once=true", come_at_once)
        [second] = await person.api.pending_requests(call)
        await person.api.answer(second, action="decline")
        await expect(head).to_have_attribute("data-status", "declined")
        await route.fulfill(response=response)

    async def come_at_once(route: Route) -> None:
        await route.continue_()
        second_request.set()

    await person.page.route(f"**/requests/{first['id']}", come_after_pushes, times=1)
    await person.page.route("**/stream?*once=true", come_after_the_end, times=1)
    await person.press(person.card(first), "decline")
    async with asyncio.timeout(30):
        await second_request.wait()
    await expect(head).to_have_attribute("data-status", "declined")


async def test_an_expired_request_says_so_on_the_open_page(person: Person) -> None:
    await person.live()
    body = {"kind": "form", "message": "Quick?", "requestedSchema": SCHEMA, "expires_in": 5}
    request = await person.api.json("POST", "/requests", 201, json=body)
    await person.settled(request, "expired")
    await expect(person.outcome(request)).to_contain_text(sentence(Reason(ReasonCode.DEADLINE_PASSED)))
    await expect(person.page.locator("#announce")).to_contain_text("ended without your answer")
