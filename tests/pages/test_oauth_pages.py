"""The way back from an authorization server, with any query."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2
import pytest

from tests.loopback import local
from tests.pages.person import Person
from tests.program import Program, program

pytestmark = pytest.mark.anyio

FROM_ANOTHER_SITE = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Accept": "text/html"}


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with program(
        tmp_path_factory.mktemp("oauth"),
        options=("--public-url", "https://web.example", "--allowed-host", "web.example"),
    ) as served:
        yield served


@pytest.fixture
async def stranger(served: Program) -> AsyncIterator[httpx2.AsyncClient]:
    """A browser that is not signed in."""
    async with httpx2.AsyncClient(base_url=served.base, **local(), headers={"Accept": "text/html"}) as stranger:
        yield stranger


@pytest.mark.parametrize(
    "query",
    [
        "",
        "state=",
        "state=unknown&code=s3cret",
        "state=a&state=b&code=s3cret",
        "code=s3cret&error=access_denied&error_description=%3Cb%3Ehostile",
        "state=%ff%fe&iss=javascript:alert(1)",
        "%00=%00&state=%00",
        "state=" + "x" * 10_000,
        "&&&===",
    ],
)
async def test_every_query_ends_on_a_page_with_a_sentence(stranger: httpx2.AsyncClient, query: str) -> None:
    response = await stranger.get(f"/oauth/callback?{query}")
    assert response.status_code == 303
    result = await stranger.get(response.headers["location"])
    assert result.status_code == 200
    assert 'id="sign-in-result" data-state="failed" data-reason="sign_in_' in result.text
    for text in (response.headers["location"], result.text):
        assert "s3cret" not in text
        assert "hostile" not in text
    for answer in (response, result):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] in ("no-referrer", "same-origin")


async def test_a_browser_without_its_session_hops_once(stranger: httpx2.AsyncClient, person: Person) -> None:
    hop = await stranger.get("/oauth/callback?state=a&code=b", headers=FROM_ANOTHER_SITE)
    assert hop.status_code == 200
    assert "url=/oauth/callback?state=a&amp;code=b&amp;hopped=1" in hop.text
    again = await stranger.get("/oauth/callback?state=a&code=b&hopped=1", headers=FROM_ANOTHER_SITE)
    assert again.status_code == 303
    # With a session there is nothing to come back for.
    direct = await person.get("/oauth/callback?state=a&code=b", headers=FROM_ANOTHER_SITE)
    assert direct.status_code == 303


async def test_another_site_cannot_embed_or_fetch_the_callback(stranger: httpx2.AsyncClient) -> None:
    headers = FROM_ANOTHER_SITE | {"Sec-Fetch-Mode": "no-cors"}
    assert (await stranger.get("/oauth/callback?state=a", headers=headers)).status_code == 403


async def test_an_unknown_result_says_where_to_look(stranger: httpx2.AsyncClient) -> None:
    response = await stranger.get("/oauth/result/unknown")
    assert (response.status_code, 'data-state="unknown"' in response.text) == (200, True)


async def test_the_client_is_described_under_a_public_address(stranger: httpx2.AsyncClient) -> None:
    response = await stranger.get("/oauth/client.json")
    document = response.json()
    assert response.headers["content-type"] == "application/json"
    assert document["client_id"] == "https://web.example/oauth/client.json"
    assert document["redirect_uris"] == ["https://web.example/oauth/callback"]
    assert document["client_name"]


async def test_a_sign_in_that_is_over_leads_to_the_inbox(person: Person) -> None:
    shown = await person.get("/sign-ins/unknown")
    assert shown.headers["location"].startswith("/?flash=")
    await person.submit("/sign-ins/unknown/open", 404)
    await person.submit("/sign-ins/unknown/dismiss", 404)
    await person.submit("/sign-ins/unknown/register", 404)


async def test_a_click_on_a_card_that_has_just_appeared_opens_nothing(person: Person) -> None:
    for action in ("open", "register", "dismiss"):
        await person.submit(f"/sign-ins/unknown/{action}", 422, shown="9" * 15)
