"""A company: its OpenID provider, two servers that it opens to groups, and its users as their browsers are."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from tests.browser.test_openid import registered
from tests.mcp_servers import started
from tests.oidc_provider import openid_provider
from tests.program import PATIENCE, Api
from webclient.domain.model import Json

CLICK = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"}
OWN = {"Sec-Fetch-Site": "same-origin"}

CHECK = 1.0
"""Seconds between two looks whether the company still opens a server."""

CLIENT, SECRET = "inbox-at-the-server", "a secret at the server"
GROUPS = {"travel": "staff", "payroll": "finance"}
"""The servers, and the groups that they are opened to."""


@dataclass(frozen=True, slots=True)
class Company:
    """The provider, the servers by their labels, and the program at `base`, which is started with `options`."""

    base: str
    issuer: str
    options: list[str]
    servers: dict[str, str]
    balanced_to: str = ""
    """The node to which a balancer sends the requests to `base`, if there are several."""

    @property
    def entries(self) -> Json:
        """The servers in a config file."""
        oauth = {"grant": "enterprise", "client_id": CLIENT, "client_secret": SECRET}
        return {label: {"url": address, "oauth": oauth} for label, address in self.servers.items()}

    async def say(self, about: str, body: Any) -> None:
        """Change what the provider says from now on."""
        async with httpx2.AsyncClient(timeout=PATIENCE) as http:
            (await http.post(f"{self.issuer}/test/{about}", content=json.dumps(body))).raise_for_status()

    async def seen(self, label: str, about: str) -> Any:
        """Return how often something happened at a server."""
        async with httpx2.AsyncClient(timeout=PATIENCE) as http:
            return (await http.get(self.servers[label].removesuffix("/mcp") + f"/test/{about}")).json()

    @asynccontextmanager
    async def person(self, name: str) -> AsyncIterator[Api]:
        """Sign a user in on the provider's pages, and give the API with their session."""
        async with Api(base_url=f"{self.balanced_to or self.base}/api/v1", headers=OWN, timeout=PATIENCE) as api:
            await self.sign_in(api, name)
            yield api

    async def sign_in(self, browser: Api, name: str) -> None:
        """Go through the provider's pages, as far as it shows any."""
        base = self.balanced_to or self.base
        url = f"{base}/auth/login?renew=true"
        while not url.startswith(f"{base}/auth/callback"):
            answer = await browser.get(url, headers=CLICK)
            while not answer.has_redirect_location:
                form = re.search(r'<form[^>]* action="([^"]*/interaction/[^"]*)"', answer.text)
                assert form, answer.text
                fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', answer.text))
                fields |= {"login": name, "password": "not checked"} if 'name="login"' in answer.text else {}
                answer = await browser.post(unescape(form[1]), data=fields, headers=CLICK)
            url = str(answer.url.join(answer.headers["location"])).replace(self.base, base)
        assert not (await browser.get(url, headers=CLICK)).is_error


@asynccontextmanager
async def a_company(folder: Path) -> AsyncIterator[Company]:
    """Start the provider and the servers, and register the program, which is not started yet."""
    async with AsyncExitStack() as running:
        issuer = await running.enter_async_context(openid_provider())
        line = [sys.executable, "-m", "tests.oidc_provider.company", issuer, CLIENT, SECRET]
        servers = {
            label: (await running.enter_async_context(started(line, announce="Listening"))).address for label in GROUPS
        }
        port, options = await running.enter_async_context(registered(issuer, folder))
        company = Company(f"http://localhost:{port}", issuer, options, servers)
        at = {label: address.removesuffix("/mcp") for label, address in servers.items()}
        await company.say("servers", {at[label]: {"group": GROUPS[label], "client": CLIENT} for label in GROUPS})
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("WEBCLIENT_OIDC_CHECK_SECONDS", str(CHECK))
            yield company


async def until(api: Api, label: str, *states: str, reason: str | None = None) -> Json:
    """Wait until a server is in one of these states, for that reason."""
    with anyio.fail_after(PATIENCE):
        while True:
            [found] = [each for each in (await api.json("GET", "/servers"))["servers"] if each["label"] == label]
            error = found.get("auth_error") or {}
            if found["state"] in states and error.get("code") == reason:
                return dict(found)
            await anyio.sleep(0.05)


async def who(api: Api, label: str) -> Any:
    """Return whom a server takes the caller for."""
    call = await api.call(label, "who")
    done = await api.in_state(call, "done")
    return done["result"]["content"][0]["text"]
