"""A person signs in to protected servers at a real authorization server, npm oidc-provider, with its own pages."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Route, expect

from tests.browser.embedding import embedding, heard, opened, press
from tests.browser.person import Person
from tests.mcp_servers.forgetting import forgetting, free_port
from tests.oidc_provider import SignInServers, sign_in_servers
from tests.program import Api, program

pytestmark = pytest.mark.anyio

_numbers = count(1)


@pytest.fixture(scope="module")
async def protected(anyio_backend: str) -> AsyncIterator[SignInServers]:  # noqa: ARG001
    """The authorization server, and the MCP server behind it."""
    async with sign_in_servers() as servers:
        yield servers


async def add(person: Person, address: str) -> str:
    """Add the server in the page, and return its id."""
    page = person.page
    await page.goto(f"{person.served.base}/servers")
    await page.locator("#add-url").fill(address)
    await page.locator("#add-label").fill(f"protected {next(_numbers)}")
    await page.locator("#add button.button--primary").click()
    await page.wait_for_url("**/servers/*")
    return page.url.rpartition("/servers/")[2].partition("?")[0]


async def add_by_program(api: Api, address: str, **oauth: str) -> str:
    """Add the server as another program does, and return its id."""
    body = {"label": f"protected {next(_numbers)}", "transport": {"type": "http", "url": address}, "oauth": oauth}
    added = await api.json("POST", "/servers", 201, json=body)
    await api.json("POST", f"/servers/{added['id']}/connect", 202)
    return str(added["id"])


async def open_sign_in(person: Person, server_id: str) -> Page:
    """Press the button of the card in the inbox, and return the opened tab."""
    row = person.page.locator(f"#entry-sign-in-{server_id} a")
    await person.page.goto(person.served.base)
    if not person.scripts:
        await person.refresh_until(row)
    await row.click()
    button = person.page.locator(f"article[data-sign-in-of='{server_id}'] button[value=open]")
    await expect(button).not_to_have_css("pointer-events", "none")
    async with person.page.context.expect_page() as opened:
        await button.click()
    return await opened.value


async def agree(tab: Page) -> None:
    """Sign in and consent, as far as the authorization server asks, and come back."""
    button, result = tab.locator(".login-submit"), tab.locator("#sign-in-result")
    while await button.or_(result).get_attribute("id") != "sign-in-result":
        if await (login := tab.locator("input[name=login]")).count():
            await login.fill("alice")
            await tab.locator("input[name=password]").fill("not checked")
        async with tab.expect_navigation():
            await button.click()
    await expect(result).to_have_attribute("data-state", "signed-in")


async def connected(person: Person, server_id: str) -> None:
    """Wait on the page of the server until it is connected."""
    state = person.page.locator(f"#server-head-{server_id} .state[data-state=connected]")
    await person.page.goto(f"{person.served.base}/servers/{server_id}")
    if person.scripts:
        await expect(state).to_be_visible()
    else:
        await person.refresh_until(state)


async def use(api: Api, server_id: str, tool: str = "use", **arguments: str) -> str:
    """Start a call of the server's tool, and return its id."""
    body = {"server_id": server_id, "kind": "tool", "name": tool, "arguments": arguments}
    return str((await api.json("POST", "/calls", 202, json=body))["id"])


async def test_a_person_signs_in_grants_more_and_signs_out(person: Person, protected: SignInServers) -> None:
    page, api = person.page, person.api
    server_id = await add(person, protected.address)
    await expect(page.locator("#inbox-count [aria-hidden]")).to_have_text("1")
    tab = await open_sign_in(person, server_id)
    await agree(tab)
    assert "code=" not in tab.url
    await expect(page.locator(f".outcome[data-sign-in-of='{server_id}']")).to_have_attribute("data-state", "signed-in")
    await connected(person, server_id)
    assert (await person.result(await use(api, server_id)))["content"][0]["text"] == "used"

    call_id = await use(api, server_id, "write", text="this")
    await page.goto(f"{person.served.base}/calls/{call_id}")
    await page.locator(f"#call-result-{call_id} a[href^='/sign-ins/']").click()
    card = page.locator(f"article[data-sign-in-of='{server_id}']")
    await expect(card.locator(".scopes__line", has_text="mcp:write").locator(".tag")).to_be_visible()
    await expect(card.locator(".scopes__line", has_text="mcp:use").locator(".tag")).to_have_count(0)
    await agree(await open_sign_in(person, server_id))
    assert (await person.result(call_id))["content"][0]["text"] == "wrote this"

    await page.goto(f"{person.served.base}/servers/{server_id}/sign-in")
    state = page.locator(f"#sign-in-state-{server_id}")
    await expect(page.locator("#sign-in-steps [data-step=registration]").first).to_be_visible()
    await expect(page.locator("[data-bound]")).to_have_count(0)
    await state.locator("form[action$='/sign-out'] button").click()
    await expect(state).to_have_attribute("data-state", "signed-out")
    await state.locator("form[action$='/sign-in'] button").click()
    await page.wait_for_url("**/sign-ins/*")
    await agree(await open_sign_in(person, server_id))
    await connected(person, server_id)
    await api.delete(f"/servers/{server_id}")


async def test_the_page_says_that_a_token_is_bound(person: Person, protected: SignInServers) -> None:
    """An authorization server without PKCE gets no sign-in."""
    page, api = person.page, person.api
    server_id = await add_by_program(api, protected.at("/bound"))
    await agree(await open_sign_in(person, server_id))
    await connected(person, server_id)
    assert (await person.result(await use(api, server_id)))["content"][0]["text"] == "used"
    await page.goto(f"{person.served.base}/servers/{server_id}/sign-in")
    await expect(page.locator(f"#sign-in-state-{server_id}")).to_have_attribute("data-state", "signed-in")
    await expect(page.locator("[data-bound]")).to_have_count(1)
    assert (await api.json("GET", f"/servers/{server_id}"))["signed_in"]["is_bound"]
    await api.delete(f"/servers/{server_id}")

    server_id = await add(person, protected.at("/without-pkce"))
    failed = page.locator(f"#sign-in-failed-{server_id}")
    await expect(failed).to_be_visible()
    await failed.locator(f"a[href='/servers/{server_id}/sign-in']").click()
    await expect(page.locator("[data-step=server_metadata]").first).to_be_visible()
    await expect(page.locator("[data-step=registration], [data-step=authorization]")).to_have_count(0)
    await api.delete(f"/servers/{server_id}")


async def test_a_denied_sign_in_says_so_and_can_be_repeated(plain: Person, protected: SignInServers) -> None:
    server_id = await add(plain, protected.address)
    tab = await open_sign_in(plain, server_id)
    await tab.locator("a[href$='/abort']").click()
    await expect(tab.locator("#sign-in-result")).to_have_attribute("data-state", "failed")
    await plain.page.goto(f"{plain.served.base}/servers/{server_id}")
    failed = plain.page.locator(f"#sign-in-failed-{server_id}")
    await expect(failed).to_be_visible()
    await failed.locator("form[action$='/sign-in'] button").click()
    await plain.page.wait_for_url("**/sign-ins/*")
    await agree(await open_sign_in(plain, server_id))
    await connected(plain, server_id)
    await plain.api.delete(f"/servers/{server_id}")


async def test_a_provider_that_forgot_us_is_registered_with_again(person: Person) -> None:
    page, port = person.page, free_port()
    async with forgetting("mcp-1", port):
        server_id = await add(person, f"http://127.0.0.1:{port}/mcp")
        await expect(page.locator(f"#sign-in-wanted-{server_id}")).to_be_visible()
    card = page.locator(f"article[data-sign-in-of='{server_id}']")
    async with forgetting("mcp-1", port):
        tab = await open_sign_in(person, server_id)
        await expect(tab.locator("body")).to_contain_text("not found")
        await expect(card.locator("[id^=sign-in-note-]")).not_to_be_empty()
        # The second time the button registers again by itself; FastMCP asks the person nothing.
        tab = await open_sign_in(person, server_id)
        await expect(tab.locator("#sign-in-result")).to_have_attribute("data-state", "signed-in")
        await connected(person, server_id)
    await person.api.delete(f"/servers/{server_id}")


async def test_a_person_registers_again(plain: Person) -> None:
    """On the page of the server; the button of the card is pressed in a frame, below."""
    page, port = plain.page, free_port()
    async with forgetting("mcp-1", port):
        server_id = await add(plain, f"http://127.0.0.1:{port}/mcp")
        await plain.refresh_until(page.locator(f"#sign-in-wanted-{server_id}"))
    async with forgetting("mcp-1", port):
        button = page.locator("form[action$='/register'] button")
        await expect(button).not_to_have_css("pointer-events", "none")
        await button.click()
        card = page.locator(f"article[data-sign-in-of='{server_id}']")
        await expect(card.locator("[id^=sign-in-note-]")).not_to_be_empty()
        async with page.context.expect_page() as opened:
            await card.locator("button[value=open]").click()
        tab = await opened.value
        await expect(tab.locator("#sign-in-result")).to_have_attribute("data-state", "signed-in")
        await connected(plain, server_id)
    await plain.api.delete(f"/servers/{server_id}")


async def test_a_token_that_has_expired_is_renewed_by_itself(person: Person, protected: SignInServers) -> None:
    port = person.served.base.rpartition(":")[2]
    # Known by its metadata document, not by registration.
    document = f"https://client.test/{port}.json"
    server_id = await add_by_program(person.api, protected.at("/brief"), client_metadata_url=document)
    await agree(await open_sign_in(person, server_id))
    await connected(person, server_id)
    for _time in range(2):
        before = (await person.api.json("GET", f"/servers/{server_id}"))["signed_in"]["expires_at"]
        # Renewed at the latest by a call after it has expired; which may be sooner.
        while True:
            assert (await person.result(await use(person.api, server_id)))["content"][0]["text"] == "used"
            server = await person.api.json("GET", f"/servers/{server_id}")
            assert "auth" not in server
            if server["signed_in"]["expires_at"] != before:
                break
    await person.page.goto(f"{person.served.base}/servers/{server_id}/sign-in")
    await expect(person.page.locator("[data-step=registration]")).to_have_count(0)
    await expect(person.page.locator("[data-step=refresh]").first).to_be_visible()
    await person.api.delete(f"/servers/{server_id}")


async def test_a_sign_in_survives_a_restart_but_not_another_browser(
    chromium: Browser, protected: SignInServers, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    context = await chromium.new_context()
    options = ("--port", port)
    async with program(tmp_path, options=options) as served, served.client() as api:
        person = Person(await context.new_page(), served, api)
        await person.sign_in()
        server_id = await add_by_program(api, protected.address)
        tab = await open_sign_in(person, server_id)
        await expect(tab.locator(".login-submit")).to_be_visible()
    stranger = await (other := await chromium.new_context()).new_page()

    async def after_the_stranger(way_back: Route) -> None:
        await stranger.goto(way_back.request.url)
        await expect(stranger.locator("#sign-in-result")).to_have_attribute("data-reason", "sign_in_other_browser")
        await way_back.continue_()

    await tab.route("**/oauth/callback?*", after_the_stranger)
    async with program(tmp_path, options=options) as served, served.client() as api:
        await agree(tab)
        await api.json("POST", f"/servers/{server_id}/connect", 202)
        await api.server((await api.json("GET", f"/servers/{server_id}"))["label"])
    await context.close()
    await other.close()


async def test_a_person_signs_in_from_a_frame(chromium: Browser, protected: SignInServers, tmp_path: Path) -> None:
    server = {"url": protected.address, "type": "http"}
    async with embedding(tmp_path, base_path="", protected=server) as embedded:
        context = await chromium.new_context()
        page = await context.new_page()
        frame = await opened(page, embedded)
        card = frame.locator("#sign-ins > article")
        await expect(card).to_be_visible()
        await heard(page, "pending", count=1)
        # The tab has neither cookie nor token of the frame.
        await context.clear_cookies()
        async with context.expect_page() as opening:
            await press(card.locator("button[value=open]"))
        tab = await opening.value
        await agree(tab)
        assert await tab.evaluate("opener") is None
        assert await tab.locator("#sign-in-result a").count() == 0
        await expect(card).to_have_count(0)
        await heard(page, "pending", count=0)
        await (await embedded.user("ada")).server("protected")

        frame = await opened(page, embedded, sub="bob")
        await heard(page, "pending", count=1)
        await press(frame.locator("#sign-ins button[value=register]"))
        await expect(frame.locator("#sign-ins [id^=sign-in-note-]")).not_to_be_empty()

        # The note has moved the buttons, which then have to be seen again.
        frame = await opened(page, embedded, sub="bob")
        await heard(page, "pending", count=1)
        await press(frame.locator("#sign-ins button[value=dismiss]"))
        await heard(page, "pending", count=0)
        await expect(frame.locator("#sign-ins > article")).to_have_count(0)
        await expect(frame.locator("h1")).to_be_focused()
        await context.close()
