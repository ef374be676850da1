"""The rest of what MCP 2025-11-25, Elicitation, says a server must do; docs/url-mode.md has the whole list."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest
from starlette.applications import Starlette

from tests.demo.office.browsing import OWN, Browsing
from tests.demo.office.calling import PUSH, Caller
from tests.demo.office.conftest import TOKENS, RunningOffice, registration
from tests.demo.visits import over_stdio, visiting
from tests.loopback import local
from webclient.content import links as consent
from webclient.demo.office.app import Office
from webclient.domain.model import Era

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("tool", ["set_api_key", "connect_drive"])
async def test_rule_must_not_include_sensitive_information_in_the_url(
    office: RunningOffice, alice: Caller, tool: str
) -> None:
    """Only where the page is, and 256 random bits; MUST be a valid URL."""
    link = await alice.link_of(tool)
    parts = urlsplit(link)
    assert link.startswith(f"{office.origin}/")
    assert parts.path in ("/key", "/connect")
    [(name, value)] = parse_qsl(parts.query, strict_parsing=True)
    assert (name, bool(re.fullmatch(r"[\w-]{43}", value)), parts.fragment) == ("elicitation", True, "")
    assert not consent.analyse(link).blocked


async def test_rule_must_not_provide_a_url_which_is_pre_authenticated(alice: Caller, browser: Browsing) -> None:
    """The link alone does not sign anyone in."""
    for tool in ("set_api_key", "connect_drive"):
        link = await alice.link_of(tool)
        await browser.open(link)
        assert browser.heading == "Who are you?"
        refused = await browser.post(link.partition("?")[0], {"elicitation": link.partition("=")[2], "key": "x" * 20})
        assert browser.heading == "Who are you?"
        assert refused.history
        assert not browser.cookies


async def test_rule_must_not_rely_on_url_mode_for_authorization(office: RunningOffice, browser: Browsing) -> None:
    """Being signed in at the pages opens nothing over MCP: the access token stays what says who it is."""
    await browser.sign_in(office.origin, "Alice")
    assert (await browser.post("/mcp", {}, headers=OWN)).status_code == 401


@pytest.mark.parametrize("era", [PUSH], indirect=True)
async def test_rule_credentials_must_not_transit_the_client(alice: Caller, browser: Browsing) -> None:
    """Nothing that looks like a code, a state or a token is in any message: only the ids of elicitations."""

    async def connect(link: str) -> None:
        await browser.allow_drive(link, "Alice")

    await alice.required("list_drive_files")
    await alice.call("connect_drive", connect)
    await alice.call("list_drive_files")
    ids = set(re.findall(r"elicitation=([\w-]+)", "".join(alice.received + alice.links)))
    assert set(re.findall(r"[\w-]{40,}", "".join(alice.received))) <= ids


async def test_rule_must_not_use_the_clients_credentials(alice: Caller, browser: Browsing) -> None:
    """Token passthrough: the access token of MCP is worth nothing at Demo Drive."""
    await browser.sign_in(await alice.link_of("connect_drive"), "Alice")
    await browser.press("Continue to Demo Drive")
    files = str(browser.page.url.join("/files"))
    async with httpx2.AsyncClient(trust_env=False, **local()) as http:
        for headers in ({"Authorization": f"Bearer {TOKENS['alice']}"}, {"Authorization": "Basic x"}, {}):
            assert (await http.get(files, headers=headers)).status_code == 401


@pytest.mark.parametrize("era", [PUSH], indirect=True)
async def test_rule_should_not_include_urls_in_form_fields(era: Era) -> None:
    async with visiting(over_stdio(), era) as visit:
        for tool, arguments in (("book_trip", {"date": "2026-12-24"}), ("every_field", {})):
            await visit.call(tool, arguments)
            [form] = visit.person.requests
            assert "://" not in form.model_dump_json()


async def test_rule_should_use_https_urls_outside_development() -> None:
    """Behind https the links are https, and the session stays there."""
    origin = "https://office.example"
    app: Starlette = Office(origin, registration(origin, "https://drive.example"), TOKENS).app()
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=origin) as browser:
        answer = await browser.post("/sign-in", data={"person": "alice"}, headers=OWN)
    assert answer.status_code == 303
    assert "Secure" in answer.headers["set-cookie"]
