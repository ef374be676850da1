"""One of several users cannot take what all share: servers, calls and open streams are limited for each user."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.house import config, house
from tests.mcp_servers import running
from tests.servers.test_guard import COMPANY
from webclient.errors import ConflictError, ForbiddenError, TooManyError
from webclient.model import LOCAL_USER, CallKind, Era, Person, Server

pytestmark = pytest.mark.anyio


async def test_a_user_adds_servers_up_to_the_limit(tmp_path: Path) -> None:
    transport = {"type": "http", "url": "http://203.0.113.1/mcp"}
    async with house(tmp_path, [config("it", transport)], **COMPANY, max_user_servers=2) as rooms:
        await rooms.services.presence.arrived(LOCAL_USER)
        servers = rooms.services.servers
        adding = [servers.add(LOCAL_USER, label="it", transport=transport) for _each in range(5)]
        outcomes = await asyncio.gather(*adding, return_exceptions=True)
        added, refused = outcomes[:2], outcomes[2:]
        assert {type(each) for each in refused} == {ForbiddenError}
        other = await rooms.services.store.users.recognise(Person(issuer="proxy", subject="bob"))
        await servers.add(other.id, label="it", transport=transport)
        assert isinstance(added[0], Server)
        await servers.remove(added[0])
        await servers.add(LOCAL_USER, label="it", transport=transport)


async def test_a_user_runs_calls_up_to_the_limit(tmp_path: Path) -> None:
    async with (
        running() as asker,
        house(
            tmp_path, [config("it", {"type": "http", "url": asker.address}, Era.ROUNDS)], **COMPANY, max_user_calls=2
        ) as rooms,
    ):
        await rooms.services.presence.arrived(LOCAL_USER)
        server, calls = await rooms.connected("it"), rooms.services.calls
        starting = [calls.start(LOCAL_USER, server, kind=CallKind.TOOL, name="ask_form") for _each in range(5)]
        started = await asyncio.gather(*starting, return_exceptions=True)
        first, *_others = [each for each in started if not isinstance(each, BaseException)]
        assert [type(each) for each in started].count(ConflictError) == 3
        await rooms.pending_requests(first)
        await calls.cancel(first)
        await rooms.ended(first)
        await rooms.call("it", "ask_form")


async def test_a_user_opens_streams_up_to_the_limit(tmp_path: Path) -> None:
    async with house(tmp_path, **COMPANY, max_user_streams=1) as rooms:
        hub = rooms.services.hub
        with hub.subscribe("ada"), hub.subscribe("bob"), pytest.raises(TooManyError), hub.subscribe("ada"):
            pass
        with hub.subscribe("ada"):
            pass


async def test_the_only_user_has_no_such_limits(tmp_path: Path) -> None:
    async with house(tmp_path, max_user_streams=1, max_user_servers=1, max_user_calls=1) as rooms:
        transport = {"type": "http", "url": "http://203.0.113.1/mcp"}
        for _each in range(2):
            await rooms.services.servers.add(LOCAL_USER, label="it", transport=transport)
        with rooms.services.hub.subscribe(LOCAL_USER), rooms.services.hub.subscribe(LOCAL_USER):
            pass
