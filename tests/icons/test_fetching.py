"""Fetching of icons (MCP 2025-11-25, Icons): the server's own origin alone, no credentials, bounded time and size."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import pytest

from tests.loopback import tls
from tests.mcp_servers import running
from webclient.domain.model import Server
from webclient.network import checked_transport, urls
from webclient.servers.icons import Icon, Icons, Picture, fetching, icon_of

pytestmark = pytest.mark.anyio


@dataclass
class Described:
    """A server with icons, and what fetches them."""

    server: Server
    icons: Icons

    @property
    def origin(self) -> str:
        """The origin of the server."""
        return str(self.server.transport["url"]).removesuffix("/mcp")

    def icon(self, name: str) -> Icon:
        """Return the icon at this address of the server."""
        found = icon_of({"icons": [{"src": f"{self.origin}/icons/{name}"}]}, self.server.transport["url"])
        assert found
        return found

    async def picture(self, name: str, *, may_fetch: bool = True) -> Picture | None:
        """Return the picture at this address of the server."""
        return await self.icons.picture(self.server, self.icon(name), may_fetch=may_fetch)

    async def requests(self) -> list[Any]:
        """Return the requests for icons that the server got, with their headers."""
        async with httpx2.AsyncClient(verify=tls()) as client:
            listed: list[Any] = (await client.get(f"{self.origin}/requests")).json()
            return listed


@pytest.fixture(scope="module")
async def address(anyio_backend: str) -> AsyncIterator[str]:  # noqa: ARG001
    """The address of a server with icons; another origin serves them as well."""
    async with running("described") as elsewhere:
        origin = elsewhere.address.removesuffix("/mcp")
        async with running("described", arguments=["--elsewhere", origin]) as server:
            yield server.address


@pytest.fixture
async def described(address: str) -> AsyncIterator[Described]:
    """The server, of which nothing is remembered."""
    transport = {"type": "http", "url": address, "headers": {"Authorization": "Bearer s3cret", "Cookie": "a=b"}}
    icons = Icons()
    yield Described(Server(user_id="u", label="described", transport=transport), icons)
    await icons.close()


@pytest.mark.parametrize(
    ("name", "media_type"), [("png", "image/png"), ("moved", "image/png"), ("svg", "image/svg+xml")]
)
async def test_a_picture_at_the_origin_of_its_server_is_fetched(
    described: Described, name: str, media_type: str
) -> None:
    picture = await described.picture(name)
    assert picture
    assert picture.media_type == media_type


@pytest.mark.parametrize("name", ["page", "lie", "away", "heavy", "large", "compressed", "missing"])
async def test_anything_else_at_its_origin_is_not_a_picture(described: Described, name: str) -> None:
    """Disallow redirects to other origins, be resilient against oversized images, reject a mismatch of types."""
    assert await described.picture(name) is None


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/icons/png",
        "https://described.example/icon.png",
        "http://user@127.0.0.1:{port}/icon.png",
        "ftp://127.0.0.1:{port}/icon.png",
        "//127.0.0.1:{port}/icon.png",
        "/icon.png",
        "http://[",
    ],
)
def test_an_icon_of_another_origin_is_never_chosen(url: str) -> None:
    src = url.replace("{port}", "8080")
    assert icon_of({"icons": [{"src": src}]}, "http://127.0.0.1:8080/mcp") is None
    assert icon_of({"icons": [{"src": src}]}, None) is None


def test_an_icon_is_chosen_over_https_or_on_this_machine() -> None:
    """MCP 2025-11-25, Icons: ensure that the URI is either https or data."""
    for origin, is_chosen in (("https://a.example", True), ("http://localhost:80", True), ("http://a.example", False)):
        assert (icon_of({"icons": [{"src": f"{origin}/i.png"}]}, f"{origin}/mcp") is not None) is is_chosen
    assert icon_of({"icons": [{"src": "https://A.example:443/i.png"}]}, "https://a.example/mcp")


async def test_an_icon_is_fetched_once_and_without_credentials(described: Described) -> None:
    before = len(await described.requests())
    first, second = await asyncio.gather(described.picture("png"), described.picture("png"))
    assert first == second == await described.picture("png", may_fetch=False)
    [[name, headers]] = (await described.requests())[before:]
    assert name == "png"
    assert not {"authorization", "cookie", "referer", "mcp-session-id"} & headers.keys()


async def test_the_icons_of_a_removed_server_are_forgotten(
    described: Described, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "SECONDS", 1000)
    assert await described.picture("png")
    other = replace(described.server, id="other")
    assert await described.icons.picture(other, described.icon("png"), may_fetch=True)
    waiting = asyncio.create_task(described.picture("never"))
    await asyncio.sleep(0)
    await described.icons.forget(described.server.key)
    assert await waiting is None
    assert await described.picture("png", may_fetch=False) is None
    assert await described.icons.picture(other, described.icon("png"), may_fetch=False)


async def test_an_icon_of_a_server_that_is_disconnected_is_not_fetched(described: Described) -> None:
    before = len(await described.requests())
    assert await described.picture("png", may_fetch=False) is None
    assert len(await described.requests()) == before


async def test_the_memory_of_icons_is_bounded(described: Described, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "REMEMBERED", 1)
    assert await described.picture("png")
    assert await described.picture("svg")
    assert await described.picture("png", may_fetch=False) is None
    assert await described.picture("svg", may_fetch=False)
    monkeypatch.setattr(fetching, "REMEMBERED_BYTES", 10)
    assert await described.picture("png")
    assert await described.picture("png", may_fetch=False) is None


async def test_a_name_that_leads_to_this_machine_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def rebound(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    monkeypatch.setattr(checked_transport, "resolve", rebound)
    monkeypatch.setattr(urls, "resolve", rebound)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        origin = f"https://described.example:{listening.getsockname()[1]}"
        server = Server(user_id="u", label="l", transport={"type": "http", "url": f"{origin}/mcp"})
        icon = icon_of({"icons": [{"src": f"{origin}/icon.png"}]}, server.transport["url"])
        assert icon
        assert await Icons().picture(server, icon, may_fetch=True) is None
        with pytest.raises(BlockingIOError):
            listening.accept()
