"""The sign-in of a proxy in front ends while a person types: the page says so, keeps the text, and goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect

from tests.deploy.front import Front, free_port, nginx
from tests.deploy.sign_in_proxy import serving
from tests.mcp_servers import running
from tests.program import Api, Program, program

pytestmark = pytest.mark.anyio

TEXT = "typed after the sign-in had ended"


@pytest.fixture(scope="module")
async def company(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    """The program for the users of a company, with a server that asks."""
    options = ["--public-url", "https://localhost/inbox", "--trusted-proxy", "127.0.0.1"]
    options += ["--identity", "proxy", "--auth-header", "X-Forwarded-User"]
    async with running() as asker:
        servers = {"asking": {"url": asker.address, "era": "2025-11-25"}}
        async with program(tmp_path_factory.mktemp("company"), servers=servers, options=options) as served:
            yield served


@pytest.fixture(scope="module")
async def front(company: Program, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Front]:
    """Nginx, which redirects every request without a sign-in to another site."""
    folder: Path = tmp_path_factory.mktemp("front")
    upstream = company.base.removeprefix("http://")
    async with (
        serving() as sign_in,
        nginx(folder, free_port(), upstream, sign_in=sign_in, redirects=True) as front,
    ):
        yield front


@pytest.fixture
async def ada(company: Program) -> AsyncIterator[Api]:
    """Ada's requests to the API, as the proxy passes them on."""
    async with company.client() as api:
        del api.headers["Authorization"]
        api.headers["X-Forwarded-User"] = "ada"
        api.headers["Sec-Fetch-Site"] = "none"
        yield api


@pytest.fixture
async def browser_context(chromium: Browser) -> AsyncIterator[BrowserContext]:
    # The certificate is of the test itself.
    context = await chromium.new_context(ignore_https_errors=True, viewport={"width": 1280, "height": 900})
    yield context
    await context.close()


async def signs_in(page: Page) -> None:
    """Sign in on the other site."""
    await page.get_by_role("link", name="Sign in as ada").click()


async def test_an_ended_sign_in_keeps_the_text_and_is_renewed_in_a_tab(
    browser_context: BrowserContext, front: Front, ada: Api
) -> None:
    call = await ada.call("asking", "ask_form")
    [request] = await ada.pending_requests(call)
    address = f"{front.origin}/inbox/requests/{request['id']}"
    page = await browser_context.new_page()
    # A link to one question asks for a sign-in first, and leads to the question after it.
    await page.goto(address)
    await signs_in(page)
    await page.wait_for_url(address)
    card = page.locator(f"#request-{request['id']}")
    state = page.locator("#stream-state")
    await expect(state).to_have_attribute("data-state", "live")

    await browser_context.clear_cookies()
    field = card.get_by_role("textbox").first
    await field.fill(TEXT)
    await expect(page.locator("#signed-out")).to_be_visible()
    await expect(state).to_have_attribute("data-state", "signedOut")
    await card.get_by_role("button", name="Send").click()
    await expect(card.locator(".not-sent")).to_be_visible()
    await expect(card.locator(".not-sent p").first).to_have_text(
        await page.locator("#problem").get_attribute("data-signed-out") or ""
    )
    await expect(page.locator("#problem")).to_be_empty()
    await expect(field).to_have_value(TEXT)
    assert page.url == address

    async with browser_context.expect_page() as opened:
        await page.locator("#signed-out a").click()
    tab = await opened.value
    await signs_in(tab)
    await tab.wait_for_url(address)
    await expect(page.locator("#signed-out")).to_be_hidden()
    await expect(state).to_have_attribute("data-state", "live")
    await expect(field).to_have_value(TEXT)
    await card.locator(".not-sent button").click()
    done = await ada.in_state(call, "done")
    assert done["result"]["structuredContent"]["content"] == {"name": TEXT}


async def test_a_sign_in_page_of_the_same_host_takes_no_cards_place(
    browser_context: BrowserContext, company: Program, ada: Api, tmp_path: Path
) -> None:
    call = await ada.call("asking", "ask_form")
    [request] = await ada.pending_requests(call)
    upstream = company.base.removeprefix("http://")
    async with (
        serving(own_page=True) as sign_in,
        nginx(tmp_path, free_port(), upstream, sign_in=sign_in, redirects=True) as front,
    ):
        await browser_context.add_cookies([{"name": "who", "value": "ada", "url": front.origin}])
        page = await browser_context.new_page()
        await page.goto(f"{front.origin}/inbox/requests/{request['id']}")
        card = page.locator(f"#request-{request['id']}")
        await expect(page.locator("#stream-state")).to_have_attribute("data-state", "live")
        await browser_context.clear_cookies()
        field = card.get_by_role("textbox").first
        await field.fill(TEXT)
        await card.get_by_role("button", name="Send").click()
        await expect(card.locator(".not-sent")).to_be_visible()
        await expect(page.locator("#stream-state")).to_have_attribute("data-state", "signedOut")
        await expect(field).to_have_value(TEXT)
        await page.close()
    await ada.answer(request, action="cancel")
