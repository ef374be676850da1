"""Resources that a user follows: subscribed to in both eras and in each session, and what the server reports."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.house import PATIENCE, House, config, house
from tests.mcp_servers import running, stdio
from tests.mcp_servers.asker.updates import CLOSED
from tests.servers.test_lost_connections import lost_and_back
from webclient.domain.errors import InvalidInputError
from webclient.domain.model import Era, FollowedResource, Server
from webclient.domain.urls import HIDDEN
from webclient.protocol.resource_updates import MOST_UPDATES, ResourceUpdates
from webclient.servers.connections import MOST_FOLLOWED, following, not_following

pytestmark = pytest.mark.anyio

TEXT = "asker://text"
ERAS = (Era.PUSH, Era.ROUNDS)


async def _follow(rooms: House, uri: str) -> Server:
    changed = following(await rooms.server("it"), uri)
    await rooms.services.servers.change(changed)
    return changed


async def _stop(rooms: House, uri: str) -> None:
    await rooms.services.servers.change(not_following(await rooms.server("it"), uri))


async def _reported(rooms: House, uri: str) -> FollowedResource:
    """Wait until the server reports changes of the resource."""

    async def look() -> FollowedResource | None:
        found = rooms.services.connections.followed(await rooms.server("it"), uri)
        return found if found.since else None

    return await rooms.until(look)


async def _changed(rooms: House, uri: str, count: int = 1) -> FollowedResource:
    """Wait until so many changes of the resource were reported."""

    async def look() -> FollowedResource | None:
        found = rooms.services.connections.followed(await rooms.server("it"), uri)
        return found if len(found.updates) + found.omitted >= count else None

    return await rooms.until(look)


async def _update(rooms: House, uri: str = TEXT) -> list[str]:
    """Let the server report a change; return the subscriptions of 2025-11-25 that it has."""
    done = await rooms.ended(await rooms.call("it", "update", {"uri": uri}))
    return str((done.result or {})["content"][0]["text"]).split()


@pytest.mark.parametrize("era", ERAS)
async def test_changes_of_a_followed_resource_are_kept(tmp_path: Path, era: Era) -> None:
    """MCP 2025-11-25, Resources, Subscriptions; MCP 2026-07-28, `subscriptions/listen`.

    "This might be a sub-resource of the one that the client actually subscribed to" (ResourceUpdatedNotification).
    """
    async with house(tmp_path, [config("it", stdio("asker"), era)]) as rooms:
        server = await rooms.connected("it")
        assert rooms.services.connections.followed(server, TEXT).since is None
        await _follow(rooms, TEXT)
        assert (await _reported(rooms, TEXT)).updates == ()
        await _update(rooms)
        [update] = (await _changed(rooms, TEXT)).updates
        assert update.uri == TEXT
        if era is Era.PUSH:
            await _update(rooms, f"{TEXT}/part")
            newest = (await _changed(rooms, TEXT, 2)).updates[0]
            assert newest.uri == f"{TEXT}/part"


@pytest.mark.parametrize("era", ERAS)
async def test_changes_of_other_resources_are_ignored(tmp_path: Path, era: Era) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), era)]) as rooms:
        await rooms.connected("it")
        await _follow(rooms, TEXT)
        await _reported(rooms, TEXT)
        await _update(rooms, "asker://other")
        await _update(rooms, f"{TEXT}ual")
        await _update(rooms)
        assert [each.uri for each in (await _changed(rooms, TEXT)).updates] == [TEXT]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.slow
async def test_a_resource_that_is_not_followed_any_more_is_silent(tmp_path: Path, era: Era) -> None:
    """MCP 2025-11-25, Schema, UnsubscribeRequest: it follows a previous `resources/subscribe`."""
    async with house(tmp_path, [config("it", stdio("asker"), era)]) as rooms:
        await rooms.connected("it")
        for uri in (TEXT, "asker://more"):
            await _follow(rooms, uri)
            await _reported(rooms, uri)
        assert await _update(rooms) == ([TEXT, "asker://more"] if era is Era.PUSH else [])
        await _changed(rooms, TEXT)
        await _stop(rooms, TEXT)
        await _update(rooms)
        await _update(rooms, "asker://more")
        await _changed(rooms, "asker://more")
        server = await rooms.server("it")
        assert rooms.services.connections.followed(server, TEXT).updates == ()
        if era is Era.PUSH:
            async with asyncio.timeout(PATIENCE):
                while await _update(rooms) != ["asker://more"]:
                    pass


@pytest.mark.parametrize("era", ERAS)
async def test_a_lost_server_is_subscribed_to_again(tmp_path: Path, era: Era) -> None:
    """A new session knows nothing of the subscriptions of the last one, and nothing is replayed."""
    async with house(tmp_path, [config("it", stdio("asker"), era)]) as rooms:
        await rooms.connected("it")
        await _follow(rooms, TEXT)
        first = await _reported(rooms, TEXT)
        await _update(rooms)
        await _changed(rooms, TEXT)
        await lost_and_back(rooms)
        again = await _reported(rooms, TEXT)
        assert again.since
        assert first.since
        assert again.since > first.since
        assert len(again.updates) == 1, "what was reported stays"
        await _update(rooms)
        await _changed(rooms, TEXT, 2)


async def test_a_restart_subscribes_again_over_http(tmp_path: Path) -> None:
    async with running(era=Era.ROUNDS) as http:
        servers = [config("it", {"type": "http", "url": http.address})]
        async with house(tmp_path, servers) as rooms:
            await rooms.connected("it")
            await _follow(rooms, TEXT)
            await _reported(rooms, TEXT)
        async with house(tmp_path, servers) as rooms:
            await rooms.connected("it")
            await _reported(rooms, TEXT)
            await _update(rooms)
            await _changed(rooms, TEXT)


async def test_a_refusal_is_kept_and_stops_no_other(tmp_path: Path) -> None:
    """Its words are shown without the secrets of the server's configuration."""
    transport = stdio("asker") | {"env": {"KEY": "subscribe to that"}}
    async with house(tmp_path, [config("it", transport, Era.PUSH)]) as rooms:
        await rooms.connected("it")
        await _follow(rooms, CLOSED)
        await _follow(rooms, TEXT)
        await _reported(rooms, TEXT)
        refused = rooms.services.connections.followed(await rooms.server("it"), CLOSED)
        assert (refused.since, refused.error) == (None, f"No client can {HIDDEN}.")


async def test_a_stream_that_ends_is_opened_again(tmp_path: Path) -> None:
    """MCP 2026-07-28, Subscriptions: a stream ends, and nothing is replayed on the next one."""
    async with house(tmp_path, [config("it", stdio("raw", "short-streams"))]) as rooms:
        await rooms.connected("it")
        await _follow(rooms, TEXT)
        await _changed(rooms, TEXT, 2)


async def test_a_resource_that_is_not_acknowledged_is_refused(tmp_path: Path) -> None:
    """MCP 2026-07-28, Subscriptions: the acknowledgement names what the server agrees to report."""
    async with house(tmp_path, [config("it", stdio("raw", "short-streams"))]) as rooms:
        server = await rooms.connected("it")
        await rooms.services.servers.change(following(following(server, TEXT), CLOSED))
        await _changed(rooms, TEXT)
        refused = rooms.services.connections.followed(await rooms.server("it"), CLOSED)
        assert (refused.since, refused.error, refused.updates) == (None, "", ())


async def test_a_server_without_subscriptions_is_not_asked(tmp_path: Path) -> None:
    """MCP 2025-11-25, Lifecycle, Operation: both parties MUST only use capabilities that were negotiated."""
    async with house(tmp_path, [config("it", stdio("raw", "no-message"), Era.PUSH)]) as rooms:
        server = await rooms.connected("it")
        await _follow(rooms, TEXT)
        await rooms.ended(await rooms.call("it", "ask"))
        said = rooms.services.wire_logs.of(server.key).snapshot().after(0)
        assert "resources/subscribe" not in {message.method for message in said}


async def test_the_newest_changes_are_kept_and_others_counted() -> None:
    updates = ResourceUpdates()
    for number in range(MOST_UPDATES + 5):
        assert updates.add(f"{TEXT}/{number}", [TEXT, "asker://"])
    found = updates.get(TEXT)
    assert (len(found.updates), found.omitted) == (MOST_UPDATES, 5)
    assert found.updates[0].uri == f"{TEXT}/{MOST_UPDATES + 4}"
    assert not updates.add("other://text", [TEXT])


async def test_the_number_of_followed_resources_is_limited() -> None:
    server = Server(user_id="local", label="it", transport={})
    for number in range(MOST_FOLLOWED):
        server = following(server, f"{TEXT}/{number}")
    assert following(server, f"{TEXT}/0") == server
    with pytest.raises(InvalidInputError):
        following(server, TEXT)
    with pytest.raises(InvalidInputError):
        following(not_following(server, f"{TEXT}/0"), "")
