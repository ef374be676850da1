"""What a page says and keeps when its connection is cut, goes silent, or the sign-in has ended."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, BrowserContext, expect

from tests.browser.person import Person
from tests.mcp_servers.proxy import Proxy, proxied
from tests.program import Program

pytestmark = pytest.mark.anyio

LONG = 30_000
"""Milliseconds within which a page notices what it is not told; slow machines included."""


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
    person.complaints[:] = [each for each in person.complaints if "net::ERR_" not in each]


async def test_a_cut_connection_comes_back_with_what_was_missed(behind: Person, proxy: Proxy, asker: str) -> None:
    typed = await behind.asked(asker, "Before")
    field = behind.card(typed).get_by_role("textbox").first
    await field.fill("typed before the cut")
    proxy.stall()
    proxy.cut()
    await expect(behind.page.locator("#stream-state")).to_have_text("Reconnecting…")
    missed = await behind.asked(asker, "Meanwhile")
    proxy.flow()
    await expect(behind.card(missed)).to_be_visible(timeout=LONG)
    await behind.live()
    await expect(field).to_have_value("typed before the cut")


async def test_a_silent_stream_is_noticed_without_being_closed(behind: Person, proxy: Proxy, asker: str) -> None:
    proxy.stall()
    await expect(behind.page.locator("#stream-state")).to_have_text("Reconnecting…", timeout=LONG)
    missed = await behind.asked(asker, "Meanwhile")
    proxy.flow()
    await expect(behind.card(missed)).to_be_visible(timeout=LONG)
    await behind.live()


async def sign_out(context: BrowserContext, served: Program) -> None:
    """End the session, as another tab of the same browser would."""
    [cookie] = [each for each in await context.cookies() if each["name"].startswith("webclient-")]
    response = await context.request.post(f"{served.base}/logout", headers={"Sec-Fetch-Site": "same-origin"})
    assert response.ok
    await context.add_cookies([{**cookie, "value": "gone"}])  # type: ignore[typeddict-item]


async def test_when_the_sign_in_ends_pages_say_so_and_keep_typed_text(person: Person, asker: str) -> None:
    await person.live()
    request = await person.asked(asker, "Still there?")
    field = person.card(request).get_by_role("textbox").first
    await field.fill("typed while signed in")
    await sign_out(person.page.context, person.served)
    said = person.page.get_by_text("You are signed out. Sign in again: your text is still here.")
    await expect(said).to_be_visible(timeout=LONG)
    await expect(person.page.get_by_text("Signed out", exact=True)).to_be_visible()
    await field.fill("typed while signed out")
    await person.press(person.card(request), "accept")
    await expect(field).to_have_value("typed while signed out")
    async with person.page.expect_popup() as opening:
        await person.page.get_by_role("link", name="Sign in").click()
    again = await opening.value
    await again.get_by_label("Token").fill(person.served.token)
    await again.get_by_role("button", name="Sign in").click()
    await again.wait_for_url(f"{person.served.base}/")
    await person.live()
    await expect(said).to_be_hidden()
    await expect(field).to_have_value("typed while signed out")
    await person.press(person.card(request), "accept")
    await expect(person.outcome(request)).to_contain_text("You answered")
    answered = await person.api.json("GET", f"/requests/{request['id']}")
    assert answered["state"] == "accepted"


async def test_signing_in_again_comes_back_to_the_same_page(person: Person) -> None:
    path = "/calls?state=done"
    await sign_out(person.page.context, person.served)
    await person.page.goto(f"{person.served.base}{path}")
    await person.page.get_by_role("link", name="Sign in").click()
    await person.page.get_by_label("Token").fill(person.served.token)
    await person.page.get_by_role("button", name="Sign in").click()
    await person.page.wait_for_url(f"{person.served.base}{path}")


async def test_without_javascript_a_signed_out_answer_can_be_resent(
    chromium: Browser, person: Person, asker: str
) -> None:
    context = await chromium.new_context(java_script_enabled=False)
    plain = Person(await context.new_page(), person.served, person.api)
    await plain.sign_in()
    request = await plain.asked(asker, "Without scripts")
    await plain.page.goto(plain.served.base)
    await plain.card(request).get_by_role("textbox").first.fill("Ada")
    await sign_out(context, person.served)
    await plain.press(plain.card(request), "accept")
    await expect(plain.page.get_by_text("your text is still in this tab")).to_be_visible()
    async with context.expect_page() as opening:
        await plain.page.get_by_role("link", name="Sign in").click()
    again = await opening.value
    await again.get_by_label("Token").fill(person.served.token)
    await again.get_by_role("button", name="Sign in").click()
    await again.wait_for_url(f"{person.served.base}/")
    await plain.page.reload()
    await expect(plain.outcome(request)).to_contain_text("You answered")
    answered = await person.api.json("GET", f"/requests/{request['id']}")
    assert answered["state"] == "accepted"
    await context.close()
