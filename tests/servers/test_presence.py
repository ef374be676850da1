"""A user who comes gets the config's servers; one who left long ago costs nothing until they come back."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic

import pytest

from tests.answering import answer
from tests.calls.requests import CALL
from tests.house import House, config, house
from tests.mcp_servers import running
from tests.store.ada_rows import SIGN_IN
from webclient.domain.model import (
    LOCAL_USER,
    Action,
    CallKind,
    CallState,
    Era,
    Person,
    RequestState,
    Server,
    ServerState,
    now,
)
from webclient.inbox import Asker, NewRequest
from webclient.servers.config_file import ServerConfig
from webclient.support.turns import current

pytestmark = pytest.mark.anyio

SERVERS = [
    # Their state is `error` at once, without any connection.
    ServerConfig(name="all", label="all", transport={}, error="no command"),
    ServerConfig(name="hers", label="hers", transport={}, error="no command", users=frozenset({"ada@corp.example"})),
]
DAYS_AGO = datetime(2026, 7, 1, tzinfo=UTC)

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


async def test_a_user_who_is_expected_gets_servers_when_they_come(rooms: House) -> None:
    presence, users = rooms.services.presence, rooms.services.store.users
    ada = (await users.recognise(Person(issuer="proxy", subject="ada"))).id
    presence.expect(ada)
    assert await states(rooms, ada) == {}
    assert ada not in presence.here
    await presence.arrived(ada)
    assert await states(rooms, ada) == {"all": ServerState.ERROR}
    assert ada in presence.here
    # What they were expected for does not let go of them.
    presence.expect(ada)
    assert ada in presence.here


async def test_a_user_whose_calls_go_on_was_not_seen(rooms: House) -> None:
    presence, users = rooms.services.presence, rooms.services.store.users
    ada = (await users.recognise(Person(issuer="proxy", subject="ada"))).id
    await users.seen(ada, DAYS_AGO)
    await presence.connect(ada)
    assert await states(rooms, ada) == {"all": ServerState.ERROR}
    await presence.look()
    user = await users.get(ada)
    assert user
    assert user.seen_at == DAYS_AGO
    await presence.arrived(ada)
    user = await users.get(ada)
    assert user
    assert user.seen_at
    assert user.seen_at > DAYS_AGO


async def test_a_disabled_user_arrives_nowhere(rooms: House) -> None:
    ada = await arrived(rooms, "ada")
    await rooms.services.store.users.disable(ada)
    await rooms.services.presence.leave(ada)
    await rooms.services.presence.arrived(ada)
    assert ada not in rooms.services.presence.here


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


async def connected(rooms: House, server: Server) -> None:
    """Wait until the server is connected."""
    assert rooms.services.connections.is_up(server.key)
    await rooms.services.connections.ready(server.key)


async def test_an_added_server_reconnects_when_its_user_returns(tmp_path: Path) -> None:
    async with running() as asker:
        async with house(tmp_path, user_idle_minutes=NO_TIME) as rooms:
            ada, servers = await arrived(rooms, "ada"), rooms.services.servers
            transport = {"type": "http", "url": asker.address}
            on, off, never = [
                await servers.add(ada, label=label, transport=transport) for label in ("on", "off", "never")
            ]
            await servers.connect(on)
            await servers.connect(off)
            await servers.disconnect(off)
            await rooms.services.presence.look()
            assert set((await states(rooms, ada)).values()) == {ServerState.DISCONNECTED}
            await rooms.services.presence.arrived(ada)
            await connected(rooms, on)
            assert not any(rooms.services.connections.is_up(each.key) for each in (off, never))
        async with house(tmp_path, user_idle_minutes=NO_TIME) as rooms:
            assert not rooms.services.connections.is_up(on.key)
            await arrived(rooms, "ada")
            await connected(rooms, on)
            assert not rooms.services.connections.is_up(off.key)


async def test_a_user_who_signs_in_to_a_server_stays(rooms: House) -> None:
    ada, presence = await arrived(rooms, "ada"), rooms.services.presence
    sign_ins = rooms.services.store.of(ada).sign_ins
    [server] = await rooms.services.store.of(ada).servers.all()
    await sign_ins.put(replace(SIGN_IN, user_id=ada, server_id=server.id, expires_at=now() + timedelta(hours=1)))
    await presence.look()
    assert ada in presence.here
    await sign_ins.remove(server.id)
    await presence.look()
    assert ada not in presence.here


@pytest.mark.slow
async def test_a_user_who_left_leaves_nothing_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running() as asker:
        entries = [config(era, {"type": "http", "url": asker.address}, era) for era in (Era.PUSH, Era.ROUNDS)]
        async with house(tmp_path, entries, user_idle_minutes=NO_TIME) as rooms:
            ids = await visit(rooms, "ada")
            # The threads of the store keep the last unit of work that they did.
            await visit(rooms, "bob")
            await drop_cancelled_timers()
            # What a user has used weighs for seconds, also after they left.
            turns = current()
            monkeypatch.setattr(turns, "_clock", lambda: monotonic() + 60)
            turns.forget_idle()
            assert holders(ids) == []


async def visit(rooms: House, subject: str) -> set[str]:
    """Let a user come, answer a question of each server, and leave; return the ids that were theirs alone."""
    user_id = await arrived(rooms, subject)
    services, mine = rooms.services, rooms.services.store.of(user_id)
    servers = await mine.servers.all()
    with services.hub.subscribe(user_id) as events:
        for server in servers:
            await connected(rooms, server)
            call = await services.calls.start(user_id, server, kind=CallKind.TOOL, name="ask_form")
            while not (pending := await mine.requests.find(state=RequestState.PENDING, call_id=call.id)):
                await anext(events)
            await answer(services.inbox, user_id, pending[0].id, Action.ACCEPT, {"name": subject})
            while not (await mine.calls.get(call.id)).state.ended:
                await anext(events)
        params = {"mode": "form", "message": "Where to?", "requestedSchema": {"type": "object", "properties": {}}}
        new = NewRequest(kind="form", params=params, expires_in=timedelta(hours=1))
        request = await services.program_requests.ask(Asker(user_id=user_id, id="program-chat", label="Chat"), new)
        await answer(services.inbox, user_id, request.id, Action.DECLINE)
    await services.presence.look()
    assert user_id not in services.presence.here
    return {user_id, *(server.id for server in servers)}


async def drop_cancelled_timers() -> None:
    """Have the event loop drop its cancelled timers."""
    # As it does by itself when they are many; they hold the contexts of what was done in time.
    loop = asyncio.get_running_loop()
    for _each in range(1000):
        loop.call_later(3600, print).cancel()
    await asyncio.sleep(0)


def holders(ids: set[str]) -> list[str]:
    """Return the objects that hold one of these ids."""
    # What was made before the program was loaded is frozen, and would not be among the objects.
    gc.unfreeze()
    gc.collect()
    return [f"{type(each)}: {each!r:.300}" for each in gc.get_objects() if each is not ids and has_one(each, ids)]


def has_one(thing: object, ids: set[str]) -> bool:
    """Return whether an object refers to one of the ids, also in tuples."""
    return any(
        part in ids if type(part) is str else type(part) is tuple and not gc.is_tracked(part) and has_one(part, ids)
        for part in gc.get_referents(thing)
    )
