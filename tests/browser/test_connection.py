"""A page whose connection is cut or silent, or whose sign-in has ended, says so and keeps typed text."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import anyio
import pytest
from playwright.async_api import BrowserContext, Locator, Route, expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from tests.mcp_servers.proxy import Proxy, proxied
from tests.program import Program

pytestmark = pytest.mark.anyio

LONG = 30_000
"""Milliseconds within which a page notices that a sign is missing; slow machines included."""


@pytest.fixture
async def proxy(served: Program) -> AsyncIterator[Proxy]:
    async with proxied(served.base) as (proxy, _address):
        yield proxy


@pytest.fixture
async def behind(person: Person, proxy: Proxy) -> AsyncIterator[Person]:
    """The same person, whose tab reaches the program through the proxy; the browser may complain of that."""
    person.served = Program(proxy.address(person.served.login), person.served.pid)
    await person.sign_in()
    await person.live()
    yield person
    await person.page.goto("about:blank")
    expected = ("net::ERR_", "Failed to fetch")
    person.complaints[:] = [each for each in person.complaints if not any(text in each for text in expected)]


async def test_a_cut_or_silent_connection_is_shown_and_made_up_for(behind: Person, proxy: Proxy, asker: str) -> None:
    typed = await behind.ask(asker, "Before")
    field = behind.card(typed).get_by_role("textbox").first
    await field.fill("typed before the cut")
    proxy.stall()
    proxy.cut()
    await behind.sees_stream("reconnecting")
    await expect(behind.page.locator("#stream-state")).not_to_be_empty(timeout=LONG)
    await _is_shown_and_moves_nothing(behind, behind.card(typed).get_by_role("button", name="Decline"))
    missed = await behind.ask(asker, "Meanwhile", opened=False)
    proxy.flow()
    await expect(behind.request_row(missed)).to_be_visible(timeout=LONG)
    await behind.live()
    await expect(field).to_have_value("typed before the cut")

    # A silent stream is noticed without being closed.
    proxy.stall()
    await behind.sees_stream("reconnecting", within=LONG)
    missed = await behind.ask(asker, "Meanwhile again", opened=False)
    proxy.flow()
    await expect(behind.request_row(missed)).to_be_visible(timeout=LONG)
    await behind.live()


async def _is_shown_and_moves_nothing(behind: Person, button: Locator) -> None:
    state = behind.page.locator("#stream-state")
    size = behind.page.viewport_size
    assert size
    for width in (1280, 390):
        await behind.page.set_viewport_size({"width": width, "height": 900})
        await expect(state).to_be_in_viewport(ratio=1)
        place = await button.bounding_box()
        # A press goes to what is below it.
        box = await state.bounding_box()
        assert box
        top = "([x, y]) => document.elementFromPoint(x, y).id"
        assert await behind.page.evaluate(top, [box["x"] + 9, box["y"] + 9]) != "stream-state"
        await state.evaluate("(each) => (each.style.display = 'none')")
        assert await button.bounding_box() == place
        await state.evaluate("(each) => (each.style.display = '')")
    await behind.page.set_viewport_size(size)


async def sign_out(context: BrowserContext, served: Program) -> None:
    """End the session, as another tab of the same browser would."""
    [cookie] = [each for each in await context.cookies() if re.fullmatch(r"webclient-\d+", each["name"])]
    response = await context.request.post(f"{served.base}/logout", headers={"Sec-Fetch-Site": "same-origin"})
    assert response.ok
    await context.add_cookies([{**cookie, "value": "gone"}])  # type: ignore[typeddict-item]


async def test_when_the_sign_in_ends_pages_say_so_and_keep_typed_text(person: Person, asker: str) -> None:
    await person.live()
    request = await person.ask(asker, "Still there?")
    field = person.card(request).get_by_role("textbox").first
    await field.fill("typed while signed in")
    await sign_out(person.page.context, person.served)
    said = person.page.locator("#signed-out")
    await expect(said).to_be_visible(timeout=LONG)
    await person.sees_stream("signedOut")
    await field.fill("typed while signed out")
    await person.press(person.card(request), "accept")
    await expect(person.not_sent(request)).to_be_visible()
    await expect(field).to_have_value("typed while signed out")
    async with person.page.expect_popup() as opening:
        await person.page.get_by_role("link", name="Sign in").click()
    again = await opening.value
    await again.get_by_label("Token").fill(person.served.token)
    await again.get_by_role("button", name="Sign in").click()
    await expect(again.get_by_label("Token")).to_have_count(0)
    await person.live()
    await expect(said).to_be_hidden()
    await expect(field).to_have_value("typed while signed out")
    await person.not_sent(request).get_by_role("button", name="Try again").click()
    await person.settled(request)
    answered = await person.api.json("GET", f"/requests/{request['id']}")
    assert answered["state"] == "accepted"


async def test_a_slow_or_failed_send_is_said_in_its_card(person: Person, asker: str) -> None:
    await person.live()
    other = await person.ask(asker, "Another?")
    request = await person.ask(asker, "Who are you?")
    await person.card(request).get_by_role("textbox").first.fill("Ada")
    address = f"**/requests/{request['id']}"
    await person.page.route(address, lambda route: route.abort(), times=1)
    await person.press(person.card(request), "decline")
    await expect(person.not_sent(request)).to_be_in_viewport()
    await expect(person.not_sent(request)).to_have_attribute("role", "alert")
    await expect(person.not_sent(other)).to_be_hidden()
    await expect(person.page.locator("#problem")).to_be_empty()
    assert await complaints(person.page) == []
    await person.page.route(address, lambda route: route.fulfill(status=500), times=1)
    await person.not_sent(request).get_by_role("button", name="Try again").click()
    await expect(person.not_sent(request)).to_be_visible()
    arrives = anyio.Event()

    async def wait(route: Route) -> None:
        await arrives.wait()
        await route.continue_()

    await person.page.route(address, wait, times=1)
    await person.not_sent(request).get_by_role("button", name="Try again").click()
    status = person.card(request).locator("[data-slow]")
    for attribute in ("data-sending", "data-slow"):
        await expect(status).to_have_text(await status.get_attribute(attribute) or "missing")
    arrives.set()
    await expect(person.outcome(request)).to_contain_text("Declined")
    # The browser and htmx report the aborted request.
    person.complaints.clear()


@pytest.mark.smoke
async def test_signing_in_again_comes_back_to_the_same_page(person: Person) -> None:
    path = "/calls?state=done"
    await sign_out(person.page.context, person.served)
    await person.page.goto(f"{person.served.base}{path}")
    await person.page.get_by_role("link", name="Sign in").click()
    await person.page.get_by_label("Token").fill(person.served.token)
    await person.page.get_by_role("button", name="Sign in").click()
    await person.page.wait_for_url(f"{person.served.base}{path}")


async def test_without_javascript_a_signed_out_answer_can_be_resent(plain: Person, asker: str) -> None:
    request = await plain.ask(asker, "Without scripts")
    await plain.page.goto(plain.served.base)
    await plain.card(request).get_by_role("textbox").first.fill("Ada")
    await sign_out(plain.page.context, plain.served)
    await plain.press(plain.card(request), "accept")
    await expect(plain.page.get_by_text("your text is still in this tab")).to_be_visible()
    async with plain.page.context.expect_page() as opening:
        await plain.page.get_by_role("link", name="Sign in").click()
    again = await opening.value
    await again.get_by_label("Token").fill(plain.served.token)
    await again.get_by_role("button", name="Sign in").click()
    # The demo begins on its guided page.
    await again.wait_for_url(f"{plain.served.base}/demo")
    await plain.page.reload()
    await plain.settled(request)
    answered = await plain.api.json("GET", f"/requests/{request['id']}")
    assert answered["state"] == "accepted"
