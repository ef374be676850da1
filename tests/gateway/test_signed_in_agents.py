"""Agents that sign in by themselves, at a real OpenID provider, with the SDK's client and its own sign-in."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from tests.browser.test_openid import registered
from tests.gateway.agents import by_hand, overheard
from tests.gateway.houses import open_requests
from tests.mcp_servers import running
from tests.oidc_provider import openid_provider
from tests.program import PATIENCE, Api, Program, program

pytestmark = pytest.mark.anyio

BACK = "http://127.0.0.1:9/back"
CLICK = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"}


class Saved:
    """The sign-in of an agent, as it saves it."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        """Return the tokens."""
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep the tokens."""
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return the client."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep the client."""
        self.client = client_info


@dataclass(frozen=True, slots=True)
class Company:
    """The program, its address, what its server hears, and a browser in which Ada is signed in."""

    served: Program
    base: str
    heard: list[bytes]
    ada: Api

    @property
    def browser(self) -> httpx2.AsyncClient:
        """The browser itself."""
        return self.ada

    @asynccontextmanager
    async def agent(self, saved: Saved, name: str = "Travel agent") -> AsyncIterator[Client]:
        """Connect an agent that knows nothing but the address; Ada consents in her browser."""
        wanted = OAuthClientMetadata(redirect_uris=[AnyUrl(BACK)], client_name=name, token_endpoint_auth_method="none")
        answer: dict[str, list[str]] = {}

        async def open_browser(url: str) -> None:
            assert parse_qs(urlsplit(url).query)["resource"] == [f"{self.base}/mcp/push"]
            assert parse_qs(urlsplit(url).query)["code_challenge_method"] == ["S256"]
            answer.update(parse_qs(urlsplit(await consented(self.ada, url, BACK)).query))

        async def come_back() -> AuthorizationCodeResult:
            return AuthorizationCodeResult(code=answer["code"][0], state=answer["state"][0], iss=answer["iss"][0])

        auth = OAuthClientProvider(f"{self.base}/mcp/push", wanted, saved, open_browser, come_back)
        async with httpx2.AsyncClient(auth=auth, timeout=PATIENCE) as http:
            transport = streamable_http_client(f"{self.base}/mcp/push", http_client=http)
            async with Client(transport, mode="legacy") as client:
                yield client


async def consented(browser: httpx2.AsyncClient, url: str, until: str) -> str:
    """Sign Ada in on the provider's pages, and return the address that follows."""
    answer = await browser.get(url, headers=CLICK)
    while True:
        if answer.has_redirect_location:
            url = str(answer.url.join(answer.headers["location"]))
            if url.startswith(until):
                return url
            answer = await browser.get(url, headers=CLICK)
        else:
            form = re.search(r'<form[^>]* action="([^"]*/interaction/[^"]*)"', answer.text)
            assert form, answer.text
            fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', answer.text))
            fields |= {"login": "ada", "password": "not checked"} if 'name="login"' in answer.text else {}
            answer = await browser.post(unescape(form[1]), data=fields, headers=CLICK)


@asynccontextmanager
async def company(folder: Path) -> AsyncIterator[Company]:
    """Start the provider and the program; Ada has signed in on its page."""
    async with (
        openid_provider() as issuer,
        running() as asker,
        overheard(asker.address) as (address, heard),
        registered(issuer, folder) as (port, options),
        program(
            folder,
            servers={"push": {"url": address, "era": "2025-11-25"}},
            options=[*options, "--identity", "local", "--port", str(port)],
        ) as served,
        Api(base_url=f"http://localhost:{port}/api/v1", headers={"Sec-Fetch-Site": "same-origin"}, timeout=60) as ada,
    ):
        base = f"http://localhost:{port}"
        back = await consented(ada, f"{base}/auth/login", f"{base}/auth/callback")
        (await ada.get(back, headers=CLICK)).raise_for_status()
        await ada.server("push")
        yield Company(served, base, heard, ada)


async def test_an_agent_signs_in_by_itself_and_calls(tmp_path: Path) -> None:
    saved = Saved()
    async with company(tmp_path) as house, house.agent(saved) as agent:
        calling = asyncio.create_task(agent.call_tool("ask_form", {}))
        (request,) = await open_requests(house.ada)
        (call,) = (await house.ada.json("GET", "/calls"))["calls"]
        assert saved.client
        assert call["via"]["label"] == saved.client.client_id
        card = (await house.browser.get(f"{house.base}/requests/{request['id']}")).text
        assert f"{saved.client.client_id}</bdi>" in card
        await house.ada.answer(request, action="accept", content={"name": "Ada"})
        assert not (await calling).is_error
        # Nothing of the sign-in goes on to the server.
        assert saved.tokens
        sent = b"".join(house.heard)
        assert b"ask_form" in sent
        assert saved.tokens.access_token.encode() not in sent
        assert b"\nauthorization:" not in sent.lower()


async def test_the_session_of_one_client_is_unknown_to_another(tmp_path: Path) -> None:
    one, two = Saved(), Saved()
    async with company(tmp_path) as house:
        async with house.agent(one), house.agent(two, "Another agent"):
            pass
        assert one.tokens
        assert two.tokens
        for_it, for_other = one.tokens.access_token, two.tokens.access_token
        async with (
            by_hand(house.served, for_it, "push", headers={"Host": house.base.removeprefix("http://")}) as agent,
            by_hand(house.served, for_other, "push", headers={"Host": house.base.removeprefix("http://")}) as thief,
        ):
            await agent.begin()
            thief.session = agent.session
            assert (await thief.send("tools/list")).status_code == 404
            assert (await agent.send("tools/list")).status_code == 200
