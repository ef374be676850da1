"""The pages of both sites: what every one of them carries, and what a form must be before it is taken."""

from __future__ import annotations

import pytest

from tests.demo.office.browsing import Browsing
from tests.demo.office.calling import ROUNDS, Caller
from tests.demo.office.conftest import NewBrowser, RunningOffice
from webclient.demo.site import MAX_BODY

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", [ROUNDS], indirect=True)]

KEY = "a-key-of-some-length-77c1"


async def at_the_drive(alice: Caller, browser: Browsing) -> None:
    """Bring the browser to Demo Drive, signed out there."""
    await browser.open(await alice.link_of("connect_drive"))
    if browser.heading == "Who are you?":
        await browser.press("Sign in as Alice")
    await browser.press("Continue to Demo Drive")


async def test_every_page_is_strict_at_any_status(alice: Caller, browser: Browsing) -> None:
    link = await alice.link_of("set_api_key")
    await browser.sign_in(link, "Alice")
    seen = [browser.page]
    seen += [
        await browser.open(browser.url.replace("/key", path)) for path in ("/", "/nowhere", "/connect", "/callback")
    ]
    seen.append(await browser.post("/key", {"elicitation": link.partition("=")[2], "key": "short"}))
    seen.append(await browser.post("/key", {}, headers={}))
    await at_the_drive(alice, browser)
    seen.append(browser.page)
    for path in ("/consent", "/nowhere"):
        seen.append(await browser.open(str(browser.page.url.join(path))))
    assert {page.status_code for page in seen} >= {200, 400, 403, 404, 422}
    for page in seen:
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script-src" not in policy
        assert page.headers["referrer-policy"] == "no-referrer"
        assert page.headers["x-frame-options"] == "DENY"
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["cache-control"] == "no-store"


async def test_the_session_cookie_is_http_only_and_same_site(
    office: RunningOffice, alice: Caller, browser: Browsing
) -> None:
    await browser.open(f"{office.origin}/sign-in")
    [form] = browser.forms()
    answer = await browser.post(form.action, {"person": "alice"}, follow=False)
    await at_the_drive(alice, browser)
    form = browser.forms()[-1]
    drive = await browser.post(form.action, form.values | {"account": "alice@drive.example"}, follow=False)
    for cookie in (answer.headers["set-cookie"], drive.headers["set-cookie"]):
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert "alice" not in cookie


async def test_signing_in_begins_a_new_session_and_signing_out_ends_it(
    office: RunningOffice, alice: Caller, browser: Browsing
) -> None:
    assert alice
    await browser.sign_in(office.origin, "Alice")
    before = dict(browser.cookies)
    await browser.post("/sign-in", {"person": "bob"})
    assert dict(browser.cookies) != before
    now = dict(browser.cookies)
    await browser.press("Sign out")
    for saved in (before, now):
        browser.cookies.clear()
        browser.cookies.update(saved)
        await browser.open(office.origin)
        assert browser.heading == "Who are you?"


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", None])
async def test_a_form_that_another_site_sends_is_refused(alice: Caller, browser: Browsing, site: str | None) -> None:
    """Another port of this machine is another site, although it shares cookies."""
    headers = {"Sec-Fetch-Site": site} if site else {}
    link = await alice.link_of("set_api_key")
    await browser.open(link)
    for path in ("/sign-in", "/sign-out", "/key", "/connect"):
        values = {"person": "bob", "elicitation": link.partition("=")[2], "key": KEY}
        assert (await browser.post(path, values, headers=headers)).status_code == 403
    await at_the_drive(alice, browser)
    for path in ("/sign-in", "/sign-out", "/consent"):
        assert (await browser.post(path, {"decision": "allow"}, headers=headers)).status_code == 403
    assert await alice.required("list_drive_files")


@pytest.mark.parametrize("key", ["", "short", "with a space in it", "x" * 201, "unprintable\x07key", "schlüssel-1"])
async def test_an_invalid_key_is_neither_stored_nor_shown_again(alice: Caller, browser: Browsing, key: str) -> None:
    await browser.sign_in(await alice.link_of("set_api_key"), "Alice")
    refused = await browser.press("Store the key", key=key)
    assert refused.status_code == 422
    assert "has not been stored" in refused.text
    assert not key or key not in refused.text
    await browser.press("Store the key", key=KEY)
    assert browser.heading == "Your key is stored"


async def test_markup_in_a_key_or_an_address_stays_text(
    office: RunningOffice, alice: Caller, browser: Browsing
) -> None:
    await browser.sign_in(await alice.link_of("set_api_key"), "Alice")
    await browser.press("Store the key", key="a-key-of-some-length<b>'")
    assert "<code>&lt;b&gt;&#39;</code>" in browser.page.text
    await browser.press("Sign out")
    hostile = '"><script>alert(1)</script>'
    for address in (f"/sign-in?elicitation={hostile}", f"/key?elicitation={hostile}"):
        await browser.open(f"{office.origin}{address}")
        assert "<script" not in browser.page.text
    await browser.post("/sign-in", {"person": hostile})
    assert "<script" not in browser.page.text


async def test_storing_twice_stores_once(alice: Caller, browser: Browsing) -> None:
    await browser.sign_in(await alice.link_of("set_api_key"), "Alice")
    form = browser.page
    await browser.press("Store the key", key="the-first-key-0001")
    browser.page = form
    await browser.press("Store the key", key="the-second-key-0002")
    assert browser.heading == "Your key is stored"
    assert "0001" in browser.page.text


async def test_a_link_cannot_lead_out_of_the_office(office: RunningOffice, alice: Caller, browser: Browsing) -> None:
    """Signing in goes on to a link of the office and to nothing else (no open redirect)."""
    assert alice
    for target in ("https://evil.example", "//evil.example", "/\\evil.example"):
        await browser.open(f"{office.origin}/sign-in?elicitation={target}&next={target}")
        answer = await browser.press("Sign in as Alice", follow=False)
        assert answer.headers["location"] == "/"


async def test_looking_at_a_page_changes_nothing(alice: Caller, browser: Browsing, new_browser: NewBrowser) -> None:
    """A person who previews links does no harm and learns nothing."""
    link = await alice.link_of("connect_drive")
    for _ in range(3):
        await new_browser().open(link)
    await browser.sign_in(link, "Alice")
    await browser.open(link)
    await browser.open(link)
    assert browser.heading == "Connect Demo Drive"
    await browser.open(link.replace("/connect", "/finished"))
    assert browser.heading == "Connect Demo Drive"


async def test_only_the_site_s_own_name_and_small_forms_are_answered(
    office: RunningOffice, alice: Caller, browser: Browsing
) -> None:
    assert alice
    await browser.open(f"{office.origin}/sign-in")
    assert (await browser.open(office.origin.replace("127.0.0.1", "localhost"))).status_code == 400
    await browser.open(f"{office.origin}/sign-in")
    assert (await browser.post("/sign-in", {"person": "x" * MAX_BODY})).status_code == 413
