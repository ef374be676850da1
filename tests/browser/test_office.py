"""Links from end to end, in a browser: the card, the demo's pages in tabs of their own, and what the card says after.

MCP 2025-11-25, Elicitation: "URL Mode Elicitation for OAuth Flows", "Phishing", "Completion Notifications".
"""

from __future__ import annotations

from collections.abc import AsyncIterator

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


@pytest.fixture(params=[Era.PUSH, Era.ROUNDS])
def era(request: pytest.FixtureRequest) -> Era:
    era: Era = request.param
    return era


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


@pytest.fixture
async def alice(api: Api, office: RunningOffice, era: Era) -> AsyncIterator[str]:
    async for label in client_of(api, office, "alice", era):
        yield label


@pytest.fixture
async def bob(api: Api, office: RunningOffice, era: Era) -> AsyncIterator[str]:
    async for label in client_of(api, office, "bob", era):
        yield label


async def opened(person: Person, request: Json) -> Page:
    """Press the card's button and return the tab that it opens."""
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


async def go_through(tab: Page, name: str = "Alice") -> None:
    """Sign in at the office, go on to Demo Drive, sign in there, and allow."""
    await press(tab, f"Sign in as {name}")
    await press(tab, "Continue to Demo Drive")
    await press(tab, f"{name.lower()}@drive.example")
    await press(tab, "Allow")
    await expect(tab.get_by_role("heading")).to_have_text(CONNECTED)


def text(call: Json) -> str:
    return "\n".join(content["text"] for content in call["result"]["content"])


@pytest.fixture
async def person(person: Person) -> Person:
    """A person in front of the inbox, with live pages."""
    await person.live()
    return person


async def test_a_key_is_set_in_another_tab_and_the_call_ends_by_itself(person: Person, alice: str) -> None:
    call = await person.api.call(alice, "set_api_key")
    [request] = await person.api.pending_requests(call)
    await person.show(request)
    tab = await opened(person, request)
    await person.settled(request, "waiting")
    await press(tab, "Sign in as Alice")
    await tab.get_by_label("Key").fill("sk-of-alice-and-of-nobody-else-4cc1")
    await press(tab, "Store the key")
    await expect(tab.get_by_role("heading")).to_have_text("Your key is stored")
    done = await person.api.in_state(call, "done")
    assert text(done) == "Your key is set. It ends in 4cc1."
    await person.settled(request, "completed")
    assert (await person.api.json("GET", f"/requests/{request['id']}"))["state"] == "completed"
    assert "sk-of-alice" not in await person.page.content()


async def test_the_whole_oauth_dialogue(person: Person, alice: str) -> None:
    call = await person.api.call(alice, "connect_drive")
    [request] = await person.api.pending_requests(call)
    await person.show(request)
    tab = await opened(person, request)
    assert await tab.evaluate("[window.opener, document.referrer]") == [None, ""]
    await go_through(tab)
    assert text(await person.api.in_state(call, "done")) == "Your Demo Drive is connected."
    assert (await person.api.json("GET", f"/requests/{request['id']}"))["state"] == "completed"
    listed = text(await person.api.in_state(await person.api.call(alice, "list_drive_files"), "done"))
    assert all(name in listed for name in FILES)


async def test_a_call_is_sent_again_once_the_drive_is_connected(person: Person, alice: str) -> None:
    call = await person.api.call(alice, "list_drive_files")
    [request] = await person.api.pending_requests(call)
    await person.show(request)
    await go_through(await opened(person, request))
    if alice.endswith(Era.ROUNDS):  # no notification there: the person says so
        await link_button(person.outcome(request), "finished").click()
    listed = text(await person.api.in_state(call, "done"))
    assert all(name in listed for name in FILES)


async def test_a_forwarded_link_leaves_the_victims_drive_alone(
    person: Person, alice: str, bob: str, chromium: Browser, office: RunningOffice
) -> None:
    """The attack of the specification: Bob starts, Alice opens his link in a browser where she is signed in."""
    call = await person.api.call(bob, "connect_drive")
    [request] = await person.api.pending_requests(call)
    await person.show(request)
    hers = await (await chromium.new_context()).new_page()
    await hers.goto(office.origin)
    async with hers.expect_response(f"{office.origin}/sign-in"):  # it brings the cookie; a click does not wait for it
        await press(hers, "Sign in as Alice")
    await hers.goto(request["params"]["url"])
    await expect(hers.get_by_role("heading")).to_have_text("This link is not for you")
    await expect(hers.get_by_role("button", name="Continue to Demo Drive")).to_have_count(0)
    await hers.context.close()
    await nobody_is_connected(person.api, alice, bob)


async def test_a_forwarded_authorization_url_connects_no_account(
    person: Person, alice: str, bob: str, chromium: Browser, office: RunningOffice
) -> None:
    """He goes on to Demo Drive himself, and sends her the address there, on which she is asked and allows."""
    call = await person.api.call(bob, "connect_drive")
    [request] = await person.api.pending_requests(call)
    await person.show(request)
    his = await opened(person, request)
    await press(his, "Sign in as Bob")
    await press(his, "Continue to Demo Drive")
    await expect(his.get_by_role("heading")).to_have_text("Sign in to Demo Drive")
    hers = await (await chromium.new_context()).new_page()
    await hers.goto(office.origin)
    async with hers.expect_response(f"{office.origin}/sign-in"):  # it brings the cookie; a click does not wait for it
        await press(hers, "Sign in as Alice")
    await hers.goto(his.url)
    await press(hers, "alice@drive.example")
    await press(hers, "Allow")
    await expect(hers.get_by_role("heading")).to_have_text("Demo Drive was not connected")
    await hers.context.close()
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
    await person.show(request)
    await go_through(await opened(person, request))
    assert text(await person.api.in_state(call, "done")) == "Your Demo Drive is connected."
    await person.api.in_state(await person.api.call("Demo office", "disconnect_drive"), "done")


@pytest.mark.parametrize("era", [Era.PUSH], indirect=True)
async def test_the_pages_of_the_demo_are_accessible(person: Person, alice: str) -> None:
    call = await person.api.call(alice, "set_api_key")
    [request] = await person.api.pending_requests(call)
    await person.show(request)
    tab = await opened(person, request)
    for step in ("Sign in as Bob", "Sign out", "Sign in as Alice", "Store the key"):
        await expect(tab.get_by_role("button", name=step, exact=True)).to_be_visible()
        assert await complaints(tab) == []
        if step == "Store the key":
            await tab.get_by_label("Key").fill("short")
        await press(tab, step)
    await expect(tab.get_by_role("alert")).to_be_visible()
    assert await complaints(tab) == []
    await person.api.json("POST", f"/calls/{call['id']}/cancel")
    call = await person.api.call(alice, "connect_drive")
    [request] = await person.api.pending_requests(call)
    await person.show(request)
    tab = await opened(person, request)
    for step in ("Continue to Demo Drive", "alice@drive.example", "Allow"):
        await expect(tab.get_by_role("button", name=step, exact=True)).to_be_visible()
        assert await complaints(tab) == []
        await press(tab, step)
    await expect(tab.get_by_role("heading")).to_have_text(CONNECTED)
    assert await complaints(tab) == []
    await person.api.in_state(call, "done")
