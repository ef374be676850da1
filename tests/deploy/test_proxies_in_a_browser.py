"""nginx and Caddy with the files of deploy/ before a real browser: HTTP/2, buffers, compression and an idle limit."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import pytest
from playwright.async_api import Page, async_playwright, expect

from tests.chromium import LESS_WORK, launched
from tests.deploy.front import caddy, free_port, nginx
from tests.mcp_servers import running
from tests.program import PATIENCE, Program, program

pytestmark = pytest.mark.anyio

FRONTS = {"nginx": nginx, "caddy": caddy}

IDLE = int(os.environ.get("IDLE", "9"))
"""Seconds of silence after which the proxies end a response: more than streams are silent. IDLE=60 takes minutes."""


@pytest.fixture(scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:
    """The program as docs/deploy.md starts it."""
    options = ["--public-url", "https://localhost/inbox", "--trusted-proxy", "127.0.0.1"]
    async with running() as asker:
        servers = {"asking": {"url": asker.address, "era": "2025-11-25"}}
        async with program(tmp_path_factory.mktemp("deploy"), servers=servers, options=options) as served:
            yield served


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    """A tab of a browser that takes the certificate of the tests."""
    async with async_playwright() as playwright, launched(playwright, arguments=LESS_WORK) as chromium:
        context = await chromium.new_context(ignore_https_errors=True)
        yield await context.new_page()


class Network:
    """The responses to a page that its browser got: protocol by path, and when data of event streams came."""

    def __init__(self) -> None:
        self.protocols: dict[str, str] = {}
        self.streams: dict[str, list[float]] = {}
        self._changed = anyio.Event()

    async def follow(self, page: Page) -> None:
        """Note what the browser reports of this page from now on."""
        devtools = await page.context.new_cdp_session(page)
        devtools.on("Network.responseReceived", self._begun)
        devtools.on("Network.dataReceived", self._more)
        await devtools.send("Network.enable")

    @property
    def longest_silence(self) -> float:
        """The longest time without data on a stream, in seconds."""
        return max(after - before for times in self.streams.values() for before, after in pairwise(times))

    async def quiet_for(self, seconds: float) -> None:
        """Wait until signs of life have come for so many seconds."""
        with anyio.fail_after(PATIENCE + seconds):
            while not any(len(times) > 1 and times[-1] - times[0] > seconds for times in self.streams.values()):
                await self._changed.wait()
                self._changed = anyio.Event()

    def _begun(self, event: Mapping[str, Any]) -> None:
        response = event["response"]
        self.protocols[response["url"]] = response["protocol"]
        if response["mimeType"] == "text/event-stream":
            self.streams[event["requestId"]] = [time.monotonic()]

    def _more(self, event: Mapping[str, Any]) -> None:
        if event["requestId"] in self.streams:
            self.streams[event["requestId"]].append(time.monotonic())
            self._changed.set()


@pytest.mark.timeout(300 + 3 * IDLE)
@pytest.mark.parametrize("name", FRONTS)
async def test_a_quiet_page_behind_a_proxy_shows_a_question_at_once(
    name: str, served: Program, page: Page, tmp_path: Path
) -> None:
    network = Network()
    await network.follow(page)
    upstream = served.base.removeprefix("http://")
    async with FRONTS[name](tmp_path, free_port(), upstream, idle=IDLE) as front, served.client() as api:
        await page.goto(f"{front.origin}/inbox/login?token={served.token}&next=/")
        await page.wait_for_url(f"{front.origin}/inbox/")
        await expect(page.locator("#stream-state")).to_have_attribute("data-state", "live", timeout=PATIENCE * 1000)
        await network.quiet_for(2 * IDLE)
        call = await api.call("asking", "ask_form")
        [request] = await api.pending_requests(call)
        row = page.locator(f"#row-{request['id']}")
        await expect(row).to_be_visible(timeout=PATIENCE * 1000)
        # One stream all the time: the proxy did not cut it, unless this machine was too busy to write to it.
        assert len(network.streams) == 1 or network.longest_silence > IDLE
        assert set(network.protocols.values()) == {"h2"}
        assert all(url.startswith(f"{front.origin}/inbox/") for url in network.protocols)
        await row.locator("a").click()
        await page.get_by_role("textbox").first.fill("Ada")
        await page.locator(f"#request-{request['id']} button[name=action][value=accept]").click()
        done = await api.in_state(call, "done")
        assert done["result"]["structuredContent"]["action"] == "accept"
