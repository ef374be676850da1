"""A user who comes gets the config's servers; one who left long ago costs nothing until they come back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.calls.requests import CALL
from tests.house import House, house
from webclient.config_file import ServerConfig
from webclient.model import LOCAL_USER, CallState, Person, ServerState

pytestmark = pytest.mark.anyio

SERVERS = [
    # Their state is `error` at once, without any connection.
    ServerConfig(name="all", label="all", transport={}, error="no command"),
    ServerConfig(name="hers", label="hers", transport={}, error="no command", users=frozenset({"ada@corp.example"})),
]
NO_TIME = 1e-9
"""Minutes after which everybody is idle who has nothing open."""


@pytest.fixture
async def rooms(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path, SERVERS, user_idle_minutes=NO_TIME) as rooms:
        yield rooms


async def arrived(rooms: House, subject: str, email: str = "") -> str:
    """Let a user arrive, and return the id."""
    user = await rooms.services.store.users.recognise(Person(issuer="proxy", subject=subject, email=email))
    await rooms.services.presence.arrived(user.id)
    return user.id


async def states(rooms: House, user_id: str) -> dict[str, ServerState]:
    """Return the states of a user's servers, by label."""
    servers = await rooms.services.store.of(user_id).servers.all()
    return {server.label: rooms.services.connections.status(server.key).state for server in servers}


async def test_a_user_gets_the_servers_that_name_them_or_no_user(rooms: House) -> None:
    ada = await arrived(rooms, "ada", email="Ada@corp.example")
    bob = await arrived(rooms, "bob")
    assert await states(rooms, ada) == dict.fromkeys(("all", "hers"), ServerState.ERROR)
    assert await states(rooms, bob) == await states(rooms, LOCAL_USER) == {"all": ServerState.ERROR}


async def test_an_embedding_app_cannot_name_a_user_of_the_company(rooms: House) -> None:
    stranger = await rooms.services.store.users.recognise(
        Person(issuer="host:chat", subject="ada@corp.example", email="ada@corp.example")
    )
    await rooms.services.presence.arrived(stranger.id)
    assert list(await states(rooms, stranger.id)) == ["all"]


async def test_a_user_who_left_is_let_go_until_they_come_back(rooms: House) -> None:
    ada, presence = await arrived(rooms, "ada"), rooms.services.presence
    with rooms.services.hub.subscribe(ada):
        await presence.look()
        assert ada in presence.here
    await presence.look()
    assert set(presence.here) == {LOCAL_USER}
    assert await states(rooms, ada) == {"all": ServerState.DISCONNECTED}
    await presence.arrived(ada)
    assert await states(rooms, ada) == {"all": ServerState.ERROR}


async def test_a_user_with_an_open_call_stays(rooms: House) -> None:
    ada, presence = await arrived(rooms, "ada"), rooms.services.presence
    calls = rooms.services.store.of(ada).calls
    call = replace(CALL, user_id=ada, state=CallState.RUNNING)
    await calls.add(call)
    await presence.look()
    assert ada in presence.here
    await calls.change(call.id, state=CallState.DONE)
    await presence.look()
    assert ada not in presence.here
