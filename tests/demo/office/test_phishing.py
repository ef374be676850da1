"""The attacks of MCP, Elicitation, "Phishing": an attacker begins, and has a victim finish.

"The MCP Server MUST verify the identity of the user who opens the URL before accepting information."
Bob is the attacker and Alice the victim: both have an account at the office, and she is signed in there.
"""

from __future__ import annotations

import pytest
from mcp.types import URL_ELICITATION_REQUIRED

from tests.demo.office.browsing import Browsing
from tests.demo.office.calling import Caller
from tests.demo.office.conftest import RunningOffice

pytestmark = pytest.mark.anyio

REFUSED = "This link is not for you"


async def sign_in_alice(office: RunningOffice, browser: Browsing) -> None:
    """Sign Alice in, as on any other day."""
    await browser.sign_in(office.origin, "Alice")


async def nobody_is_connected(*callers: Caller) -> bool:
    """Return whether none of them can list files."""
    errors = [await caller.required("list_drive_files") for caller in callers]
    return all(error.code == URL_ELICITATION_REQUIRED for error in errors)


async def test_a_forwarded_link_is_refused_and_connects_nothing(
    office: RunningOffice, alice: Caller, bob: Caller, browser: Browsing
) -> None:
    """The attack as the specification tells it: the victim opens the attacker's link and would complete it."""
    link = await bob.link_of("connect_drive")
    await sign_in_alice(office, browser)
    refused = await browser.open(link)
    assert (refused.status_code, browser.heading) == (403, REFUSED)
    assert "do not use it" in refused.text
    assert [form.action for form in browser.forms()] == ["/sign-out"]
    assert await nobody_is_connected(alice, bob)


async def test_the_form_of_another_persons_link_is_refused(
    office: RunningOffice, alice: Caller, bob: Caller, browser: Browsing
) -> None:
    link = await bob.link_of("connect_drive")
    await sign_in_alice(office, browser)
    refused = await browser.post("/connect", {"elicitation": link.partition("=")[2]})
    assert (refused.status_code, browser.heading) == (403, REFUSED)
    assert await nobody_is_connected(alice, bob)


async def test_a_key_cannot_be_stored_in_another_persons_account(
    office: RunningOffice, bob: Caller, browser: Browsing
) -> None:
    link = await bob.link_of("set_api_key")
    await sign_in_alice(office, browser)
    assert (await browser.open(link)).status_code == 403
    values = {"elicitation": link.partition("=")[2], "key": "hers-and-nobody-elses-Zq9x"}
    assert (await browser.post("/key", values)).status_code == 403
    await browser.open(office.origin)
    assert "Zq9x" not in browser.page.text


async def test_a_signed_out_person_must_sign_in_and_is_then_refused(bob: Caller, browser: Browsing) -> None:
    link = await bob.link_of("connect_drive")
    await browser.sign_in(link, "Alice")
    assert (browser.page.status_code, browser.heading) == (403, REFUSED)


async def test_a_person_in_the_wrong_account_can_sign_in_again(bob: Caller, browser: Browsing) -> None:
    await browser.sign_in(await bob.link_of("connect_drive"), "Alice")
    await browser.press("Sign out")
    await browser.press("Sign in as Bob")
    assert browser.heading == "Connect Demo Drive"


async def test_a_forwarded_authorization_url_is_useless(
    office: RunningOffice, alice: Caller, bob: Caller, browser: Browsing, other_browser: Browsing
) -> None:
    """He goes as far as he can himself, and sends her the third party's own address."""
    his, hers = browser, other_browser
    await his.sign_in(await bob.link_of("connect_drive"), "Bob")
    authorization = (await his.press("Continue to Demo Drive", follow=False)).headers["location"]
    await sign_in_alice(office, hers)
    await hers.open(authorization)
    await hers.press("alice@drive.example")
    back = (await hers.press("Allow", follow=False)).headers["location"]
    assert (await hers.open(back)).status_code == 400
    assert hers.heading == "Demo Drive was not connected"
    assert (await his.open(back)).status_code == 400, "the state has been used up"
    assert await nobody_is_connected(alice, bob)


async def test_a_forwarded_url_is_useless_for_a_signed_out_victim(
    alice: Caller, bob: Caller, browser: Browsing, other_browser: Browsing
) -> None:
    his, hers = browser, other_browser
    await his.sign_in(await bob.link_of("connect_drive"), "Bob")
    authorization = (await his.press("Continue to Demo Drive", follow=False)).headers["location"]
    await hers.open(authorization)
    await hers.press("alice@drive.example")
    await hers.press("Allow")
    assert hers.heading == "Who are you?"
    await hers.press("Sign in as Alice")
    assert await nobody_is_connected(alice, bob)


async def test_the_attacker_cannot_put_his_own_drive_into_her_account(
    office: RunningOffice, alice: Caller, bob: Caller, browser: Browsing, other_browser: Browsing
) -> None:
    """The other way round: she would store her files in his drive."""
    his, hers = browser, other_browser
    back = await his.allow_drive(await bob.link_of("connect_drive"), "Bob", follow=False)
    await sign_in_alice(office, hers)
    assert (await hers.open(back.headers["location"])).status_code == 400
    assert await nobody_is_connected(alice, bob)


async def test_her_state_with_his_code_does_not_give_her_his_drive(
    alice: Caller, bob: Caller, browser: Browsing, other_browser: Browsing
) -> None:
    """PKCE: his code was requested with another verifier than the one saved for her."""
    his, hers = browser, other_browser
    code = (await his.allow_drive(await bob.link_of("connect_drive"), "Bob", follow=False)).headers["location"]
    await hers.sign_in(await alice.link_of("connect_drive"), "Alice")
    redirect = (await hers.press("Continue to Demo Drive", follow=False)).headers["location"]
    state = redirect.partition("state=")[2].partition("&")[0]
    mixed = "&".join(
        f"state={state}" if part.startswith("state=") else part for part in code.partition("?")[2].split("&")
    )
    assert (await hers.open(f"{code.partition('?')[0]}?{mixed}")).status_code == 400
    assert "did not accept" in hers.page.text
    assert await nobody_is_connected(alice, bob)


@pytest.mark.parametrize("changed", ["", "x", "../", "%00", "\N{FULLWIDTH DIGIT ONE}"])
async def test_a_link_that_was_changed_leads_nowhere(alice: Caller, browser: Browsing, changed: str) -> None:
    """MUST: resilient to attacks where an attacker can modify the elicitation URL."""
    link = await alice.link_of("connect_drive")
    await browser.sign_in(link, "Alice")
    for other in (link[:-1] + changed, link.replace("/connect", "/key")):
        assert (await browser.open(other)).status_code == 404
