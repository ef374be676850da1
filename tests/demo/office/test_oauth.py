"""The office as an OAuth client, and Demo Drive as its authorization server: what is used once, and bound to what.

The rules are those of RFC 6749, 7636 (PKCE), 9207 (`iss`) and 9700 (best current practice).
"""

from __future__ import annotations

from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import httpx2
import pytest

from tests.demo.office.browsing import Browsing
from tests.demo.office.calling import ROUNDS, Caller
from tests.demo.office.conftest import registration
from tests.loopback import local
from webclient.demo.office.elicitations import Elicitations, Task
from webclient.demo.office.oauth import ATTEMPT_SECONDS, DriveClient, OAuthError
from webclient.demo.office.people import Requester
from webclient.domain.model import Json

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", [ROUNDS], indirect=True)]


def changed(url: str, **parameters: str | None) -> str:
    """Return `url` with these parameters, without those that are None."""
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query)) | parameters
    return parts._replace(query=urlencode({name: value for name, value in given.items() if value is not None})).geturl()


async def authorization_url(alice: Caller, browser: Browsing) -> str:
    """Return the address to which the office sends Alice at Demo Drive."""
    await browser.sign_in(await alice.link_of("connect_drive"), "Alice")
    return str((await browser.press("Continue to Demo Drive", follow=False)).headers["location"])


async def answered(alice: Caller, browser: Browsing) -> str:
    """Return the address to which Demo Drive sends Alice back, not opened yet."""
    response = await browser.allow_drive(await alice.link_of("connect_drive"), "Alice", follow=False)
    return str(response.headers["location"])


async def exchange(authorization: str, back: str, **changes: str) -> httpx2.Response:
    """Ask Demo Drive for a token as an attacker who saw both addresses."""
    sent, given = (dict(parse_qsl(urlsplit(url).query)) for url in (authorization, back))
    form = {
        "grant_type": "authorization_code",
        "code": given["code"],
        "redirect_uri": sent["redirect_uri"],
        "client_id": sent["client_id"],
        "code_verifier": "v" * 43,
    } | changes
    async with httpx2.AsyncClient(trust_env=False, **local()) as http:
        return await http.post(f"{given['iss']}/token", data=form)


async def test_the_code_verifier_and_the_secret_never_reach_a_browser(alice: Caller, browser: Browsing) -> None:
    """RFC 7636: S256, and what is sent through the browser is the challenge."""
    request = parse_qs(urlsplit(await authorization_url(alice, browser)).query)
    assert request["code_challenge_method"] == ["S256"]
    assert len(request["code_challenge"][0]) == 43
    assert set(request) == {
        "response_type",
        "client_id",
        "redirect_uri",
        "state",
        "code_challenge",
        "code_challenge_method",
    }


async def test_the_state_says_nothing_and_is_new_each_time(alice: Caller, browser: Browsing) -> None:
    first = parse_qs(urlsplit(await authorization_url(alice, browser)).query)["state"]
    second = parse_qs(urlsplit((await browser.press("Continue to Demo Drive", follow=False)).headers["location"]).query)
    assert first != second["state"]
    assert len(first[0]) == 43
    assert alice.links[-1].partition("=")[2] not in first[0]


async def test_an_answer_works_once(alice: Caller, browser: Browsing) -> None:
    back = await answered(alice, browser)
    assert (await browser.open(back)).status_code == 200
    assert browser.heading == "Demo Drive is connected"
    assert (await browser.open(back)).status_code == 400
    assert "used already" in browser.page.text


@pytest.mark.parametrize("state", [None, "", "made up"])
async def test_an_answer_without_the_requested_state_is_refused(
    alice: Caller, browser: Browsing, state: str | None
) -> None:
    assert (await browser.open(changed(await answered(alice, browser), state=state))).status_code == 400
    assert (await alice.required("list_drive_files")).code == -32042


@pytest.mark.parametrize("iss", [None, "", "http://localhost:1", "https://other.example"])
async def test_an_answer_from_another_issuer_is_refused(alice: Caller, browser: Browsing, iss: str | None) -> None:
    """RFC 9207 section 2.4: a mix-up of authorization servers is noticed, and the attempt is over."""
    back = await answered(alice, browser)
    assert (await browser.open(changed(back, iss=iss))).status_code == 400
    assert "another service" in browser.page.text
    assert (await browser.open(back)).status_code == 400
    assert (await alice.required("list_drive_files")).code == -32042


async def test_a_refusal_at_the_third_party_can_be_reconsidered(alice: Caller, browser: Browsing) -> None:
    link = await alice.link_of("connect_drive")
    await browser.sign_in(link, "Alice")
    await browser.press("Continue to Demo Drive")
    await browser.press("alice@drive.example")
    await browser.press("Refuse")
    assert (browser.page.status_code, browser.heading) == (400, "Demo Drive was not connected")
    assert "was not allowed" in browser.page.text
    await browser.open(link)
    await browser.press("Continue to Demo Drive")
    await browser.press("Allow")
    assert browser.heading == "Demo Drive is connected"


async def test_pressing_twice_connects_once(alice: Caller, browser: Browsing) -> None:
    await browser.sign_in(await alice.link_of("connect_drive"), "Alice")
    page = browser.page
    first = (await browser.press("Continue to Demo Drive", follow=False)).headers["location"]
    browser.page = page
    second = (await browser.press("Continue to Demo Drive", follow=False)).headers["location"]
    await browser.open(first)
    await browser.press("alice@drive.example")
    await browser.press("Allow")
    assert browser.heading == "Demo Drive is connected"
    await browser.open(second)
    await browser.press("Allow")
    assert browser.heading == "Demo Drive is connected"
    browser.page = page
    await browser.press("Continue to Demo Drive")
    assert browser.heading == "Demo Drive is connected"


async def test_a_stolen_code_is_useless(alice: Caller, browser: Browsing) -> None:
    """Neither without the client's secret, nor without the verifier."""
    authorization = await authorization_url(alice, browser)
    await browser.open(authorization)
    await browser.press("alice@drive.example")
    back = (await browser.press("Allow", follow=False)).headers["location"]
    assert (await exchange(authorization, back)).status_code == 401
    assert (await exchange(authorization, back, client_secret="guessed")).status_code == 401
    assert (await browser.open(back)).status_code == 200


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
    ],
)
async def test_the_authorization_server_insists_on_pkce(
    alice: Caller, browser: Browsing, change: dict[str, str | None], error: str
) -> None:
    async with httpx2.AsyncClient(trust_env=False, **local()) as http:
        refused = await http.get(changed(await authorization_url(alice, browser), **change))
    assert parse_qs(urlsplit(refused.headers["location"]).query)["error"] == [error]
    await browser.open(refused.headers["location"])
    assert browser.heading == "Demo Drive was not connected"


@pytest.mark.parametrize(
    "change", [{"redirect_uri": "http://127.0.0.1:1/callback"}, {"client_id": "another client"}, {"client_id": None}]
)
async def test_redirects_go_to_known_addresses_only(
    alice: Caller, browser: Browsing, change: dict[str, str | None]
) -> None:
    async with httpx2.AsyncClient(trust_env=False, **local()) as http:
        refused = await http.get(changed(await authorization_url(alice, browser), **change))
    assert refused.status_code == 400
    assert "location" not in refused.headers


def client(now: list[float]) -> DriveClient:
    """Return the office's client, with a clock."""
    return DriveClient(registration("http://office.example", "http://issuer.example"), lambda: now[0])


@pytest.mark.parametrize(
    ("seconds", "browser_session", "words"),
    [(ATTEMPT_SECONDS, "hers", "too long"), (0, "his", "not begun in this browser"), (0, "hers", "was not allowed")],
)
async def test_an_attempt_is_bound_to_a_browser_and_to_ten_minutes(
    era: object, seconds: float, browser_session: str, words: str
) -> None:
    assert era
    now = [0.0]
    oauth = client(now)
    elicitation = Elicitations().start(Task.CONNECT, Requester("alice", "client", None))
    state = parse_qs(urlsplit(oauth.begin(elicitation, "hers")).query)["state"][0]
    now[0] = seconds
    answer: Json = {"state": state, "iss": "http://issuer.example", "error": "access_denied"}
    with pytest.raises(OAuthError, match=words):
        await oauth.finish(answer, browser_session)
