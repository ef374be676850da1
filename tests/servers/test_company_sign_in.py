"""Users open MCP servers with their own sign-in: a real OpenID provider, two servers, and the program between them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from time import monotonic
from typing import Any

import anyio
import httpx2
import pytest

from tests.browser.test_openid import registered
from tests.mcp_servers import started
from tests.oidc_provider import openid_provider
from tests.program import PATIENCE, Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

CLICK = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"}
CHECK = 1.0
"""Seconds between two looks whether the company still opens a server."""

CLIENT, SECRET = "inbox-at-the-server", "a secret at the server"


@dataclass(frozen=True, slots=True)
class Company:
    """The program at `base`, its provider, and the servers by their labels."""

    base: str
    issuer: str
    served: Program
    servers: dict[str, str]
    folder: Path

    async def say(self, about: str, body: Any) -> None:
        """Change what the provider says from now on."""
        async with httpx2.AsyncClient(timeout=PATIENCE) as http:
            (await http.post(f"{self.issuer}/test/{about}", content=json.dumps(body))).raise_for_status()

    @asynccontextmanager
    async def person(self, name: str) -> AsyncIterator[Api]:
        """Sign a user in on the provider's pages, and give the API with their session."""
        headers = {"Sec-Fetch-Site": "same-origin"}
        async with Api(base_url=f"{self.base}/api/v1", headers=headers, timeout=PATIENCE) as api:
            await self.sign_in(api, name)
            yield api

    async def sign_in(self, browser: Api, name: str) -> None:
        """Go through the provider's pages, as far as it shows any."""
        url = f"{self.base}/auth/login?renew=true"
        while not url.startswith(f"{self.base}/auth/callback"):
            answer = await browser.get(url, headers=CLICK)
            while not answer.has_redirect_location:
                form = re.search(r'<form[^>]* action="([^"]*/interaction/[^"]*)"', answer.text)
                assert form, answer.text
                fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', answer.text))
                fields |= {"login": name, "password": "not checked"} if 'name="login"' in answer.text else {}
                answer = await browser.post(unescape(form[1]), data=fields, headers=CLICK)
            url = str(answer.url.join(answer.headers["location"]))
        assert not (await browser.get(url, headers=CLICK)).is_error


async def until(api: Api, label: str, *states: str, reason: str | None = None) -> Json:
    """Wait until a server is in one of these states, for that reason."""
    with anyio.fail_after(PATIENCE):
        while True:
            [found] = [each for each in (await api.json("GET", "/servers"))["servers"] if each["label"] == label]
            error = found.get("auth_error") or {}
            if found["state"] in states and error.get("code") == reason:
                return dict(found)
            await anyio.sleep(0.05)


@pytest.fixture(scope="module")
async def company(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Company]:  # noqa: ARG001
    folder = tmp_path_factory.mktemp("company")
    async with AsyncExitStack() as running:
        issuer = await running.enter_async_context(openid_provider())
        line = [sys.executable, "-m", "tests.oidc_provider.company", issuer, CLIENT, SECRET]
        servers = {
            label: (await running.enter_async_context(started(line, announce="Listening"))).address
            for label in ("travel", "payroll")
        }
        port, options = await running.enter_async_context(registered(issuer, folder))
        oauth = {"grant": "enterprise", "client_id": CLIENT, "client_secret": SECRET}
        entries = {label: {"url": address, "oauth": oauth} for label, address in servers.items()}
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("WEBCLIENT_OIDC_CHECK_SECONDS", str(CHECK))
            made = program(folder, servers=entries, options=[*options, "--port", str(port)])
            served = await running.enter_async_context(made)
            company = Company(f"http://localhost:{port}", issuer, served, servers, folder)
            groups = {"travel": "staff", "payroll": "finance"}
            known = {
                address.removesuffix("/mcp"): {"group": groups[label], "client": CLIENT}
                for label, address in servers.items()
            }
            await company.say("servers", known)
            yield company


async def who(api: Api, label: str) -> Any:
    """Return whom a server takes the caller for."""
    call = await api.call(label, "who")
    done = await api.in_state(call, "done")
    return done["result"]["content"][0]["text"]


async def test_the_sign_in_opens_each_permitted_server(company: Company) -> None:
    await company.say("groups/ada", ["staff", "finance"])
    async with company.person("ada") as ada, company.person("bob") as bob:
        assert await who(ada, "travel") == "ada"
        assert await who(ada, "payroll") == "ada"
        assert await who(bob, "travel") == "bob"
        await until(bob, "payroll", "error", reason="sign_in_company_denied")
        assert not [each for each in (await bob.json("GET", "/servers"))["servers"] if each.get("auth")]
        page = await bob.get(f"{company.base}/servers", headers=CLICK)
        assert "sign-in" in page.text


async def test_a_user_who_leaves_a_group_loses_the_server(company: Company) -> None:
    await company.say("groups/carl", ["staff", "finance"])
    async with company.person("carl") as carl:
        await carl.server("payroll")
        await company.say("groups/carl", ["staff"])
        begun = monotonic()
        server = await until(carl, "payroll", "disconnected", reason="sign_in_company_denied")
        assert monotonic() - begun < 60
        await until(carl, "travel", "connected")
        async with httpx2.AsyncClient() as http:
            revoked = (await http.get(company.servers["payroll"].removesuffix("/mcp") + "/test/revoked")).json()
        assert revoked
        # Trying again asks the company again, and no page of the server.
        await carl.json("POST", f"/servers/{server['id']}/connect", 202)
        await until(carl, "payroll", "error", reason="sign_in_company_denied")
        await company.say("groups/carl", ["staff", "finance"])
        await carl.json("POST", f"/servers/{server['id']}/connect", 202)
        await until(carl, "payroll", "connected")


async def test_a_user_who_has_left_loses_all_servers(company: Company) -> None:
    async with company.person("dora") as dora:
        await dora.server("travel")
        await company.say("groups/dora", None)
        await until(dora, "travel", "disconnected", reason="sign_in_company_denied")


async def test_the_id_token_is_renewed_until_the_provider_ends_it(company: Company) -> None:
    await company.say("seconds", 31)
    try:
        async with company.person("eve") as eve:
            await eve.server("travel")
            await anyio.sleep(3 * CHECK)
            assert await who(eve, "travel") == "eve"
            await company.say("groups/eve", None)
            await until(eve, "travel", "disconnected", reason="sign_in_company_again")
            await company.say("groups/eve", ["staff"])
            await company.say("seconds", 3600)
            # The next sign-in opens it again by itself.
            await company.sign_in(eve, "eve")
            await until(eve, "travel", "connected")
    finally:
        await company.say("seconds", 3600)


async def test_no_id_token_is_readable_in_the_database(company: Company) -> None:
    async with company.person("finn") as finn:
        await finn.server("travel")
    files = list(company.folder.rglob("webclient.sqlite3*"))
    assert files
    assert not any(b"eyJhbGciOi" in file.read_bytes() for file in files)
