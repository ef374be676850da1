"""Links from end to end, in a browser: the card, the demo's pages in tabs of their own, and what the card says after.

MCP 2025-11-25, Elicitation: "URL Mode Elicitation for OAuth Flows", "Phishing", "Completion Notifications".
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.axe import complaints
from tests.browser.person import Person, link_button
from tests.demo.office.conftest import TOKENS, RunningOffice, running_office
from tests.program import Api
from webclient.domain.model import Era, Json

pytestmark = pytest.mark.anyio

CONNECTED = "Demo Drive is connected"
FILES = ("Lisbon tickets.pdf", "Passport scan.pdf")


@pytest.fixture(scope="module")
async def office(anyio_backend: str) -> AsyncIterator[RunningOffice]:  # noqa: ARG001
    async with running_office() as office:
        yield office


@asynccontextmanager
async def client_of(api: Api, office: RunningOffice, sub: str, era: Era) -> AsyncIterator[str]:
    """Add the office as a server, with the token of one of its people."""
    label = f"office of {sub}, {era}"
    headers = {"Authorization": f"Bearer {TOKENS[sub]}"}
    body = {"label": label, "transport": {"type": "http", "url": office.url, "headers": headers}, "era": era}
    added = await api.json("POST", "/servers", 201, json=body)
    await api.json("POST", f"/servers/{added['id']}/connect", 202)
    await api.in_state(await api.call(label, "disconnect_drive"), "done")
    yield label
    await api.delete(f"/servers/{added['id']}")


async def opened(person: Person, request: Json) -> Page:
    """Press the card's button and return the tab that it opens."""
    await person.show(request)
    button = person.card(request).locator("button[name=action][value=accept]")
    await expect(button).to_be_visible()
    async with person.page.context.expect_page() as opening:
        await button.click()
    tab = await opening.value
    # The page of ours that leads there has a heading as well.
    await tab.wait_for_url(lambda url: not url.startswith((person.served.base, "about:")))
    await expect(tab.get_by_role("heading")).to_be_visible()
    return tab


async def press(tab: Page, button: str) -> None:
    await tab.get_by_role("button", name=button, exact=True).click()


async def through(tab: Page, *steps: str, looks: bool = False) -> None:
    """Press one button after the other; if it `looks`, every page must be accessible."""
    for step in steps:
        await expect(tab.get_by_role("button", name=step, exact=True)).to_be_visible()
        assert not looks or await complaints(tab) == []
        await press(tab, step)


def text(call: Json) -> str:
    return "\n".join(content["text"] for content in call["result"]["content"])


@pytest.fixture
async def person(person: Person) -> Person:
    """A person in front of the inbox, with live pages."""
    await person.live()
    return person


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
async def test_a_key_a_drive_and_a_list_that_needs_the_drive(person: Person, office: RunningOffice, era: Era) -> None:
    """All links of the office, from its questions to the ends of their calls; the pages between are accessible."""
    looks = era is Era.PUSH
    async with client_of(person.api, office, "alice", era) as alice:
        await a_key_is_set_in_another_tab(person, alice, looks=looks)
        await a_drive_is_connected(person, alice, looks=looks)
        await person.api.in_state(await person.api.call(alice, "disconnect_drive"), "done")
        await a_call_is_sent_again_once_the_drive_is_connected(person, alice, era)


async def a_key_is_set_in_another_tab(person: Person, alice: str, *, looks: bool) -> None:
    """Also by a person who is signed in as another one at first; the call ends by itself."""
    call = await person.api.call(alice, "set_api_key")
    [request] = await person.api.pending_requests(call)
    tab = await opened(person, request)
    await person.settled(request, "waiting")
    await through(tab, "Sign in as Bob", "Sign out", "Sign in as Alice", looks=looks)
    await tab.get_by_label("Key").fill("short")
    await through(tab, "Store the key", looks=looks)
    await expect(tab.get_by_role("alert")).to_be_visible()
    await tab.get_by_label("Key").fill("sk-of-alice-and-of-nobody-else-4cc1")
    await through(tab, "Store the key", looks=looks)
    await expect(tab.get_by_role("heading")).to_have_text("Your key is stored")
    assert text(await person.api.in_state(call, "done")) == "Your key is set. It ends in 4cc1."
    await person.settled(request, "completed")
    assert (await person.api.json("GET", f"/requests/{request['id']}"))["state"] == "completed"
    assert "sk-of-alice" not in await person.page.content()


async def a_drive_is_connected(person: Person, alice: str, *, looks: bool) -> None:
    """She is signed in at the office already."""
    call = await person.api.call(alice, "connect_drive")
    [request] = await person.api.pending_requests(call)
    tab = await opened(person, request)
    assert await tab.evaluate("[window.opener, document.referrer]") == [None, ""]
    await through(tab, "Continue to Demo Drive", "alice@drive.example", "Allow", looks=looks)
    await expect(tab.get_by_role("heading")).to_have_text(CONNECTED)
    assert not looks or await complaints(tab) == []
    assert text(await person.api.in_state(call, "done")) == "Your Demo Drive is connected."
    assert (await person.api.json("GET", f"/requests/{request['id']}"))["state"] == "completed"
    listed = text(await person.api.in_state(await person.api.call(alice, "list_drive_files"), "done"))
    assert all(name in listed for name in FILES)


async def a_call_is_sent_again_once_the_drive_is_connected(person: Person, alice: str, era: Era) -> None:
    call = await person.api.call(alice, "list_drive_files")
    [request] = await person.api.pending_requests(call)
    tab = await opened(person, request)
    await press(tab, "Continue to Demo Drive")
    await press(tab, "Allow")
    await expect(tab.get_by_role("heading")).to_have_text(CONNECTED)
    if era is Era.ROUNDS:  # no notification there: the person says so
        await link_button(person.outcome(request), "finished").click()
    listed = text(await person.api.in_state(call, "done"))
    assert all(name in listed for name in FILES)


async def test_forwarded_addresses_leave_the_victims_drive_alone(
    person: Person, chromium: Browser, office: RunningOffice
) -> None:
    """The attack of the specification: Bob starts, Alice opens his link in a browser where she is signed in.

    Then he goes on to Demo Drive himself, and sends her the address there, on which she is asked and allows.
    """
    async with client_of(person.api, office, "bob", Era.PUSH) as bob:
        [request] = await person.api.pending_requests(await person.api.call(bob, "connect_drive"))
        hers = await (await chromium.new_context()).new_page()
        await hers.goto(office.origin)
        async with hers.expect_response(f"{office.origin}/sign-in"):  # it brings the cookie, which a click may not
            await press(hers, "Sign in as Alice")
        await hers.goto(request["params"]["url"])
        await expect(hers.get_by_role("heading")).to_have_text("This link is not for you")
        await expect(hers.get_by_role("button", name="Continue to Demo Drive")).to_have_count(0)
        his = await opened(person, request)
        await press(his, "Sign in as Bob")
        await press(his, "Continue to Demo Drive")
        await expect(his.get_by_role("heading")).to_have_text("Sign in to Demo Drive")
        await hers.goto(his.url)
        await press(hers, "alice@drive.example")
        await press(hers, "Allow")
        await expect(hers.get_by_role("heading")).to_have_text("Demo Drive was not connected")
        await hers.context.close()
        async with client_of(person.api, office, "alice", Era.PUSH) as alice:
            await nobody_is_connected(person.api, alice, bob)


async def nobody_is_connected(api: Api, *servers: str) -> None:
    """Check that each of them would have to connect their drive first."""
    for server in servers:
        call = await api.call(server, "list_drive_files")
        [request] = await api.pending_requests(call)
        assert "/connect?elicitation=" in request["params"]["url"]
        await api.json("POST", f"/calls/{call['id']}/cancel")


async def test_the_demo_s_own_office_asks_at_once(person: Person) -> None:
    """`mcp-webclient demo` brings it along, connected on behalf of Alice, with nothing to set up."""
    # A test before this one may have left it connected.
    await person.api.in_state(await person.api.call("Demo office", "disconnect_drive"), "done")
    call = await person.api.call("Demo office", "connect_drive")
    [request] = await person.api.pending_requests(call)
    tab = await opened(person, request)
    await through(tab, "Sign in as Alice", "Continue to Demo Drive", "alice@drive.example", "Allow")
    await expect(tab.get_by_role("heading")).to_have_text(CONNECTED)
    assert text(await person.api.in_state(call, "done")) == "Your Demo Drive is connected."
    await person.api.in_state(await person.api.call("Demo office", "disconnect_drive"), "done")
