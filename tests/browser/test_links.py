"""Links that a server sends, in a browser: seen whole before consent, opened by one click and cut off from this page.

The tests that name a rule are those of MCP 2025-11-25, Elicitation, "Safe URL Handling"; what a card says
of any link is in `tests/pages/test_link_cards.py`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.axe import complaints
from tests.browser.elsewhere import Site, elsewhere
from tests.browser.person import Person, link_button
from tests.mcp_servers import entry
from tests.program import program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with elsewhere() as site:
        yield site


async def sent(person: Person, asker: str, url: str, **more: str) -> tuple[Json, Locator]:
    """Have the server send a link, and return the question and its card."""
    call = await person.api.call(asker, "ask_url", {"url": url, **more})
    [request] = await person.api.pending_requests(call)
    await person.show(request)
    card = person.card(request)
    await expect(card).to_be_visible()
    return request, card


async def opened_by(context: BrowserContext, button: Locator) -> Page:
    """Press a button and return the tab that it opens, when it has arrived."""
    async with context.expect_page() as opening:
        await button.click()
    tab = await opening.value
    await expect(tab.get_by_text("You are elsewhere.")).to_be_visible()
    return tab


def found(card: Locator, code: str) -> Locator:
    """Return the sentence of a finding."""
    return card.locator(f"[data-code~={code}]")


def accept(card: Locator) -> Locator:
    return card.locator("button[name=action][value=accept]")


async def test_rule_must_not_prefetch_the_url_or_its_metadata(person: Person, asker: str, site: Site) -> None:
    await person.live()
    requested: list[str] = []
    person.page.on("request", lambda request: requested.append(request.url))
    _request, card = await sent(person, asker, site.url("/sign-in"))
    await accept(card).hover()
    await accept(card).focus()
    await person.page.reload()
    await expect(accept(card)).to_be_visible()
    assert [url for url in requested if f":{site.port}" in url] == []
    assert (site.connections, site.heads) == (0, [])


async def test_rule_must_not_open_the_url_without_explicit_consent(person: Person, asker: str, site: Site) -> None:
    await person.live()
    pages = len(person.page.context.pages)
    for action in ("decline", "cancel"):
        request, card = await sent(person, asker, site.url("/sign-in"))
        await person.press(card, action)
        await expect(person.outcome(request)).to_be_visible()
    request, card = await sent(person, asker, site.url("/sign-in"))
    await person.api.answer(request, action="accept")
    await person.settled(request, "waiting")
    assert (len(person.page.context.pages), site.connections) == (pages, 0)


@pytest.mark.smoke
async def test_rule_must_show_the_full_url_before_consent(person: Person, asker: str) -> None:
    await person.live()
    url = f"https://mcp.example/connect?{'x' * 5_000}=1&end=here#fragment"
    request, card = await sent(person, asker, url)
    shown = card.locator(f"#url-{request['id']}")
    assert await shown.text_content() == url
    assert await shown.evaluate("code => code.scrollWidth <= code.clientWidth")
    await shown.evaluate("code => code.scrollTo(0, code.scrollHeight)")
    await expect(found(card, "very-long")).to_have_count(1)
    await expect(accept(card)).to_be_visible()


@pytest.mark.smoke
async def test_rule_must_open_the_url_out_of_the_clients_reach(person: Person, asker: str, site: Site) -> None:
    await person.live()
    request, card = await sent(person, asker, site.url("/sign-in?id=1"))
    tab = await opened_by(person.page.context, accept(card))
    assert tab.url == site.url("/sign-in?id=1")
    assert await tab.evaluate("[window.opener, document.referrer, window.top === window]") == [None, "", True]
    [head] = site.heads
    assert head.startswith("GET /sign-in?id=1 HTTP/1.1")
    assert "referer:" not in head.lower()
    assert person.page.url == f"{person.served.base}/requests/{request['id']}"
    await person.settled(request, "waiting")
    assert await person.page.locator("iframe").count() == 0


async def test_a_login_in_a_link_is_not_its_destination(person: Person, asker: str, site: Site) -> None:
    await person.live()
    url = f"http://accounts.google.com@evil.example:{site.port}/sign-in"
    request, card = await sent(person, asker, url)
    await expect(card.locator(f"#url-{request['id']} strong")).to_have_text("evil.example")
    await expect(found(card, "userinfo")).to_have_text(
        f"It starts with “accounts.google.com”, but it opens evil.example:{site.port}."
    )
    await expect(card.locator(".verdict--warn .verdict__title")).to_have_text("This address is disguised")
    await expect(card.locator(".url__text s")).to_have_text("accounts.google.com")
    # The verdict is read first, and no is the first answer.
    order = await card.locator(".verdict, .url, button[name=action]").evaluate_all(
        "all => all.map(e => e.value || e.className)"
    )
    assert order == ["verdict verdict--warn", "url", "decline", "accept", "cancel"]
    assert "button--primary" in str(await card.locator("button[value=decline]").get_attribute("class"))
    assert await accept(card).locator(".host").evaluate("e => e.getClientRects().length") == 1
    await expect(accept(card)).to_have_text(f"Open evil.example:{site.port} anyway")
    tab = await opened_by(person.page.context, accept(card))
    assert await tab.evaluate("location.host") == f"evil.example:{site.port}"


async def test_after_consent_it_can_be_opened_again_and_finished(person: Person, asker: str, site: Site) -> None:
    """Consent is one answer and one tab, also for a double click."""
    await person.live()
    context = person.page.context
    posted: list[str] = []
    context.on("request", lambda sent: posted.append(sent.url) if sent.method == "POST" else None)
    pages = len(context.pages)
    request, card = await sent(person, asker, site.url("/sign-in"))
    async with context.expect_page() as opening:
        await accept(card).dblclick()
    await expect((await opening.value).get_by_text("You are elsewhere.")).to_be_visible()
    again = person.outcome(request).get_by_role("button", name="Open again")
    await expect(again).to_be_visible()
    assert [url for url in posted if url.endswith(request["id"])] == [f"{person.served.base}/requests/{request['id']}"]
    assert len(context.pages) == pages + 1
    assert [head.split()[1] for head in site.heads] == ["/sign-in"]
    tab = await opened_by(context, again)
    assert await tab.evaluate("[window.opener, document.referrer]") == [None, ""]
    assert len(site.heads) == 2
    await link_button(person.outcome(request), "finished").click()
    await person.settled(request, "completed")
    await expect(again).to_have_count(0)


async def test_waiting_can_be_given_up_also_after_a_reload(person: Person, asker: str, site: Site) -> None:
    await person.live()
    request, card = await sent(person, asker, site.url("/sign-in"))
    await opened_by(person.page.context, accept(card))
    for path in ("/", f"/requests/{request['id']}", f"/calls/{request['call_id']}"):
        await person.page.goto(person.served.base + path)
        for action in ("finished", "open", "give-up"):
            await expect(link_button(person.outcome(request), action)).to_be_visible()
    await person.page.goto(person.served.base)
    in_progress = person.page.locator(f"#progress #row-{request['id']}")
    await expect(in_progress).to_be_visible()
    await expect(person.page.locator("#caught-up")).to_be_hidden()
    await link_button(person.outcome(request), "give-up").click()
    await person.settled(request, "cancelled")
    await expect(in_progress).to_have_count(0)
    await expect(person.page.locator(f"#settled #row-{request['id']}")).to_have_count(1)
    await expect(person.page.locator("#caught-up")).to_be_visible()
    await expect(person.outcome(request)).to_have_attribute("data-fate", "link_given_up")


async def test_without_javascript_one_click_answers_and_opens(
    person: Person, plain: Person, asker: str, site: Site
) -> None:
    call = await person.api.call(asker, "ask_url", {"url": site.url("/sign-in")})
    [request] = await person.api.pending_requests(call)
    await plain.page.goto(person.served.base)
    await opened_by(plain.page.context, accept(plain.card(request)))
    [head] = site.heads
    assert "referer:" not in head.lower()
    assert (await person.api.json("GET", f"/requests/{request['id']}"))["state"] == "waiting"
    await plain.page.goto(person.served.base)
    await opened_by(plain.page.context, link_button(plain.outcome(request), "open"))
    await link_button(plain.outcome(request), "finished").click()
    await plain.settled(request, "completed")
    call = await person.api.call(asker, "ask_url", {"url": site.url("/sign-in")})
    [request] = await person.api.pending_requests(call)
    await person.api.answer(request, action="accept")
    await plain.page.goto(person.served.base)
    await link_button(plain.outcome(request), "give-up").click()
    await plain.settled(request, "cancelled")


async def test_a_late_accept_says_so_and_opens_nothing(person: Person, asker: str, site: Site) -> None:
    """The tab has lost its stream, so that the card is still there when the question is settled elsewhere."""
    request, _card = await sent(person, asker, site.url("/sign-in"))
    other = Person(await person.page.context.new_page(), person.served, person.api)
    await other.page.route("**/stream*", lambda route: route.abort())
    await other.page.goto(person.served.base)
    await person.api.answer(request, action="decline")
    async with person.page.context.expect_page() as opening:
        await accept(other.card(request)).click()
    tab = await opening.value
    await expect(tab.locator(f"#outcome-{request['id']}").get_by_role("alert")).to_be_visible()
    assert site.connections == 0


async def test_in_a_frame_of_another_site_the_address_opens_as_well(
    chromium: Browser, tmp_path: Path, site: Site
) -> None:
    """The new tab would be without the session there: its cookie belongs to the frame (Partitioned)."""
    servers = {"it": entry("asker")}
    options = ["--embed-origin", site.url("")]
    async with program(tmp_path, servers=servers, options=options) as served, served.client() as api:
        context = await chromium.new_context()
        page = await context.new_page()
        await page.goto(site.url("/chat"))
        framed = served.login.replace("127.0.0.1", "localhost")
        await page.evaluate(
            "src => document.body.append(Object.assign(document.createElement('iframe'), {src}))", framed
        )
        call = await api.call("it", "ask_url", {"url": site.url("/sign-in")})
        [request] = await api.pending_requests(call)
        frame = page.frame_locator("iframe")
        await frame.locator(f"#row-{request['id']} a").click()
        card = frame.locator(f"#request-{request['id']}")
        tab = await opened_by(context, accept(card))
        assert await tab.evaluate("[window.opener, document.referrer]") == [None, ""]
        await expect(card).to_have_count(0)
        assert (await api.json("GET", f"/requests/{request['id']}"))["opened_at"]
        await context.close()


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https:\\\\a@bücher。example:22/a b?u=https://b.example"])
async def test_a_blocked_and_a_disguised_link_are_accessible(person: Person, asker: str, url: str) -> None:
    await person.live()
    await sent(person, asker, url)
    assert await complaints(person.page) == []
