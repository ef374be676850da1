"""The catalog of a server is verbatim, and cached until it may have changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from tests.house import ALL_SERVERS, House, config, house
from tests.mcp_servers import stdio
from webclient.domain.errors import ConflictError
from webclient.domain.model import Catalog, Era, Reason, ReasonCode, Server, ServerState
from webclient.protocol import Endpoint
from webclient.protocol.session import notifications
from webclient.servers.connections import catalog
from webclient.servers.connections.catalog import CatalogCache

pytestmark = pytest.mark.anyio

LONG = str(3_600_000)
"""Milliseconds that are not over before a test is."""


@pytest.mark.parametrize("server", ALL_SERVERS)
async def test_tools_prompts_and_templates_are_listed(shared: House, server: str) -> None:
    read = await shared.services.connections.catalog(await shared.server(server))
    ask_form = read.tool("ask_form")
    assert ask_form
    assert ask_form["inputSchema"]["type"] == "object"
    assert [prompt["name"] for prompt in read.prompts] == ["asking_prompt", "needing_prompt", "itinerary"]
    assert [template["uriTemplate"] for template in read.resource_templates] == ["ask://{topic}", "need://{name}"]


@pytest.fixture(scope="module")
async def rooms(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:  # noqa: ARG001
    servers = [
        config("push", stdio("plain")),
        config("lasting", stdio("plain", "--ttl", LONG), Era.ROUNDS),
        config("brief", stdio("plain", "--ttl", "1"), Era.ROUNDS),
        config("zero", stdio("plain", "--ttl", "0"), Era.ROUNDS),
    ]
    async with house(tmp_path_factory.mktemp("catalog"), servers) as rooms:
        for each in servers:
            await rooms.connected(each.name)
        yield rooms


async def listings(rooms: House, name: str) -> int:
    """Return how often the server has been asked for its tools."""
    ended = await rooms.ended(await rooms.call(name, "listings"))
    return int((ended.result or {})["content"][0]["text"])


async def read(rooms: House, name: str, *, to_run: bool = False, refresh: bool = False) -> Catalog:
    return await rooms.services.connections.catalog(await rooms.server(name), to_run=to_run, refresh=refresh)


@pytest.mark.parametrize("name", ["push", "lasting"])
async def test_a_catalog_is_listed_once_and_again_by_hand(rooms: House, name: str) -> None:
    await read(rooms, name)
    before = await listings(rooms, name)
    for to_run in (False, True, False, True):
        await read(rooms, name, to_run=to_run)
    assert await listings(rooms, name) == before
    await read(rooms, name, refresh=True)
    assert await listings(rooms, name) == before + 1


async def test_a_changed_list_is_out_of_date_before_pages_change(rooms: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """MCP 2025-11-25, List Changed Notification."""
    monkeypatch.setattr(notifications, "LISTS_PAUSE", 3600)
    await read(rooms, "push")
    await rooms.ended(await rooms.call("push", "offer", {"name": "added"}))

    async def look() -> bool:
        return (await read(rooms, "push", to_run=True)).tool("added") is not None

    await rooms.until(look)


async def test_a_catalog_is_read_again_after_its_time_to_live(rooms: House) -> None:
    """MCP 2026-07-28, Caching: `ttlMs`."""
    assert (await read(rooms, "brief")).ttl == 0.001
    await rooms.ended(await rooms.call("brief", "offer", {"name": "added"}))
    assert (await read(rooms, "brief", to_run=True)).tool("added")


async def test_a_time_to_live_of_zero_lists_to_show_and_not_to_run(
    rooms: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "AT_ONCE", 0)
    await read(rooms, "zero")
    before = await listings(rooms, "zero")
    for _time in range(3):
        await read(rooms, "zero", to_run=True)
    assert await listings(rooms, "zero") == before
    await read(rooms, "zero")
    assert await listings(rooms, "zero") == before + 1


async def test_a_catalog_is_read_again_in_a_new_session(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("asker"))]) as rooms:
        server = await rooms.connected("it")
        connections = rooms.services.connections
        before = await connections.catalog(server)
        session = connections.connected(server).session
        assert await connections.catalog(server) is before
        await rooms.call("it", "crash")

        async def look() -> bool:
            up = connections.status(server.key).state is ServerState.CONNECTED
            return up and connections.connected(server).session is not session

        await rooms.until(look)
        assert connections.last_catalog(server.key) is before
        assert await connections.catalog(server, to_run=True) is not before


async def test_readers_at_the_same_time_share_one_listing(rooms: House) -> None:
    before = await listings(rooms, "push")
    server = await rooms.server("push")
    await asyncio.gather(*(rooms.services.connections.catalog(server, refresh=True) for _ in range(20)))
    assert await listings(rooms, "push") == before + 1


@dataclass
class Listings:
    """A server whose listings end when a test says so; each differs from the one before."""

    started: list[asyncio.Future[Catalog]] = field(default_factory=list)

    async def list_all(self) -> Catalog:
        self.started.append(asyncio.get_running_loop().create_future())
        return await self.started[-1]

    def end(self, number: int) -> Catalog:
        made = Catalog(tools=[{"name": f"tool {number}"}])
        self.started[number].set_result(made)
        return made


def an_endpoint(changes: list[Endpoint]) -> Endpoint:
    server = Server(user_id="ada", label="it", transport={"type": "http", "url": "http://127.0.0.1:9/mcp"})
    return Endpoint(server, server.transport, changes.append)


async def test_a_reader_after_a_change_does_not_get_an_older_listing() -> None:
    endpoint, server = an_endpoint([]), Listings()
    cache = CatalogCache(endpoint)
    before = asyncio.create_task(cache.read(server.list_all))
    await anyio.wait_all_tasks_blocked()
    endpoint.lists_changed()
    after = asyncio.create_task(cache.read(server.list_all))
    await anyio.wait_all_tasks_blocked()
    newer, older = server.end(1), server.end(0)
    assert (await before, await after) == (older, newer)


async def test_pages_are_notified_when_a_refresh_shows_a_change() -> None:
    changes: list[Endpoint] = []
    endpoint, server = an_endpoint(changes), Listings()
    cache = CatalogCache(endpoint)
    for number, notified in enumerate([0, 1]):
        reading = asyncio.create_task(cache.read(server.list_all, refresh=True))
        await anyio.wait_all_tasks_blocked()
        server.end(number)
        await reading
        assert len(changes) == notified


async def test_a_refused_listing_is_not_a_refused_connection(tmp_path: Path) -> None:
    async with house(tmp_path, [config("it", stdio("dual", "--fails", "tools/list"))]) as rooms:
        await rooms.connected("it")
        with pytest.raises(ConflictError) as refused:
            await read(rooms, "it")
        assert refused.value.reason == Reason.of(ReasonCode.LIST_REFUSED, where="stdio: python", error="fetch failed")
