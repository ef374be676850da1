"""Users sign in at a real OpenID provider, npm oidc-provider, with its own pages, on another site than ours."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx2
import pytest
from playwright.async_api import APIResponse, Browser, BrowserContext, Page, expect

from tests.browser.elsewhere import elsewhere
from tests.deploy.front import free_port
from tests.mcp_servers import running
from tests.oidc_provider import openid_provider
from tests.program import PATIENCE, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

SECRET = "a secret of the inbox at its provider"


@dataclass(frozen=True, slots=True)
class Company:
    """The program at `base`, and its provider."""

    base: str
    issuer: str
    served: Program

    async def in_groups(self, user: str, *groups: str) -> None:
        """Change the groups of a user at the provider."""
        async with httpx2.AsyncClient(timeout=PATIENCE) as client:
            (await client.post(f"{self.issuer}/test/groups/{user}", json=groups)).raise_for_status()


@pytest.fixture(scope="module")
async def company(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Company]:  # noqa: ARG001
    folder = tmp_path_factory.mktemp("openid")
    async with openid_provider() as issuer, running() as asker, registered(issuer, folder) as (port, options):
        servers = {"push": {"url": asker.address, "era": "2025-11-25"}}
        async with program(folder, servers=servers, options=[*options, "--port", str(port)]) as served:
            yield Company(f"http://localhost:{port}", issuer, served)


@asynccontextmanager
async def registered(issuer: str, folder: Path) -> AsyncIterator[tuple[int, list[str]]]:
    """Register the program at the provider; give its port and its options."""
    port = free_port()
    # A browser takes localhost and 127.0.0.1 for two sites.
    base = f"http://localhost:{port}"
    client = {
        "client_name": "Inbox",
        "redirect_uris": [f"{base}/auth/callback"],
        "post_logout_redirect_uris": [f"{base}/login"],
        "backchannel_logout_uri": f"http://127.0.0.1:{port}/auth/backchannel-logout",
        "backchannel_logout_session_required": True,
        "token_endpoint_auth_method": "client_secret_basic",
        "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange"],
    }
    async with httpx2.AsyncClient(timeout=PATIENCE) as http:
        made = (await http.post(f"{issuer}/reg", json=client)).raise_for_status().json()
    (folder / "secret").write_text(made["client_secret"] + "\n", "utf-8")
    ways = ["--identity", "oidc", "--oidc-issuer", issuer, "--oidc-client-id", made["client_id"]]
    rules = ["--oidc-allow-group", "staff", "--oidc-admin-group", "boss"]
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEBCLIENT_OIDC_SCOPES", "openid,profile,email,groups")
        yield port, [*ways, *rules, "--oidc-client-secret-file", str(folder / "secret"), "--public-url", base]


@pytest.fixture
async def page(chromium: Browser) -> AsyncIterator[Page]:
    """A tab of a browser without any session."""
    context = await chromium.new_context()
    yield await context.new_page()
    await context.close()


async def at_the_provider(page: Page, company: Company, user: str) -> None:
    """Sign in and consent, as far as the provider asks, and come back."""
    button = page.locator(".login-submit")
    await expect(button).to_be_visible()
    while page.url.startswith(company.issuer):
        if await (login := page.locator("input[name=login]")).count():
            await login.fill(user)
            await page.locator("input[name=password]").fill("not checked")
        async with page.expect_navigation():
            await button.click()
    await page.wait_for_url(f"{company.base}/**")


async def api(context: BrowserContext, company: Company, method: str, path: str, body: Json | None = None) -> Json:
    """Use the API with the session of the browser."""
    headers = {"Sec-Fetch-Site": "same-origin"}
    response: APIResponse = await context.request.fetch(
        f"{company.base}/api/v1{path}", method=method, data=body, headers=headers
    )
    assert response.ok, await response.text()
    found: Json = await response.json()
    return found


async def card_of_request(page: Page, company: Company) -> str:
    """Let a server ask the signed-in user, and return the path of the card."""
    [server] = (await api(page.context, company, "GET", "/servers"))["servers"]
    await page.goto(f"{company.base}/servers/{server['id']}")
    await expect(page.locator(f"#server-head-{server['id']} .state[data-state=connected]")).to_be_visible()
    call = {"server_id": server["id"], "kind": "tool", "name": "ask_form", "arguments": {}}
    call = await api(page.context, company, "POST", "/calls", call)
    while call["state"] != "input_required":
        call = await api(page.context, company, "GET", f"/calls/{call['id']}?wait=30")
    [request] = (await api(page.context, company, "GET", f"/requests?call_id={call['id']}"))["requests"]
    return f"/requests/{request['id']}"


async def test_a_link_leads_through_the_sign_in_to_its_card(page: Page, company: Company) -> None:
    await page.goto(company.base)
    await at_the_provider(page, company, "ada")
    await page.wait_for_url(f"{company.base}/")
    card = await card_of_request(page, company)
    await page.locator("button.account").click()
    await page.get_by_role("button", name="Sign out").click()
    await page.locator("button[name=logout]").click()
    await page.wait_for_url(re.compile(rf"{company.base}/login\b"))
    async with elsewhere() as site:
        await page.goto(site.url())
        await follow(page, f"{company.base}{card}")
        await at_the_provider(page, company, "ada")
        await page.wait_for_url(f"{company.base}{card}")
        await expect(page.locator("article.card")).to_be_visible()

        # Signed in, the same link needs no provider, though the browser holds the Strict cookie back at first.
        addresses: list[str] = []
        page.on("request", lambda request: addresses.append(request.url))
        await page.goto(site.url())
        await follow(page, f"{company.base}{card}")
        await page.wait_for_url(f"{company.base}{card}")
        await expect(page.locator("article.card")).to_be_visible()
        assert not [url for url in addresses if url.startswith(company.issuer)]


async def test_a_killed_program_finishes_the_sign_in_that_had_begun(
    page: Page, company: Company, tmp_path: Path
) -> None:
    async with registered(company.issuer, tmp_path) as (port, options):
        fresh = replace(company, base=f"http://localhost:{port}")
        line = [*options, "--port", str(port)]
        async with program(tmp_path, options=line) as served:
            await page.goto(f"{fresh.base}/history")
            await expect(page.locator(".login-submit")).to_be_visible()
            os.kill(served.pid, signal.SIGKILL)
        async with program(tmp_path, options=line):
            await at_the_provider(page, fresh, "fay")
            await page.wait_for_url(f"{fresh.base}/history")


async def follow(page: Page, url: str) -> None:
    """Click a link to the address, on the page of another site."""
    await page.evaluate("url => { document.body.innerHTML = `<a href='${url}'>link</a>` }", url)
    await page.get_by_role("link", name="link").click()


async def test_the_provider_signs_the_user_out_in_open_pages(page: Page, company: Company) -> None:
    await page.goto(company.base)
    await at_the_provider(page, company, "bob")
    await expect(page.locator("#stream-state")).to_have_attribute("data-state", "live")
    tab = await page.context.new_page()
    await tab.goto(f"{company.issuer}/session/end")
    await tab.locator("button[name=logout]").click()
    await expect(page.locator("#signed-out")).to_be_visible()
    assert (await page.context.request.get(f"{company.base}/api/v1/me")).status == 401


async def test_a_cancelled_sign_in_can_begin_again(page: Page, company: Company) -> None:
    """One that begins under another name ends at the public URL."""
    await page.goto(f"{company.base}/history".replace("localhost", "127.0.0.1"))
    await page.get_by_role("link", name="Cancel").click()
    refused = page.locator("#sign-in-refused")
    await expect(refused).to_have_attribute("data-refusal", "cancelled")
    await refused.get_by_role("link").click()
    await at_the_provider(page, company, "carl")
    await page.wait_for_url(f"{company.base}/history")


async def test_a_user_who_left_the_group_is_refused(page: Page, company: Company) -> None:
    await company.in_groups("dora", "staff", "boss")
    await page.goto(company.base)
    await at_the_provider(page, company, "dora")
    assert (await api(page.context, company, "GET", "/me"))["role"] == "admin"
    # The page after the sign-in goes there by itself.
    await page.wait_for_url(f"{company.base}/")
    await company.in_groups("dora", "alumni")
    # An open page would load itself again when its sign-in ends.
    await page.goto("about:blank")
    await page.context.clear_cookies(name=re.compile("^webclient-"))
    await page.goto(company.base)
    await expect(page.locator("#sign-in-refused")).to_have_attribute("data-refusal", "not_allowed")
