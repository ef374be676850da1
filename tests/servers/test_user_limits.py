"""One of several users cannot take what all share: servers, calls and open streams are limited for each user."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.house import House, config, house
from tests.mcp_servers import running
from tests.servers.test_guard import COMPANY
from webclient.domain.errors import ConflictError, ForbiddenError, TooManyError
from webclient.domain.model import (
    LOCAL_USER,
    Action,
    CallKind,
    Era,
    InputRequest,
    Person,
    ReasonCode,
    RequestState,
    Server,
)
from webclient.inbox import Asker, NewRequest, RefusedError

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


async def _request_to(rooms: House, user_id: str) -> InputRequest:
    """Let a program ask the user."""
    params = {"mode": "form", "message": "Where to?", "requestedSchema": {"type": "object", "properties": {}}}
    asker = Asker(user_id=user_id, id="program-agent", label="Agent")
    new = NewRequest(kind="form", params=params, expires_in=timedelta(hours=1))
    return await rooms.services.program_requests.ask(asker, new)


async def test_a_user_is_asked_by_all_servers_up_to_the_limit(tmp_path: Path) -> None:
    async with running() as asker:
        transport = {"type": "http", "url": asker.address}
        servers = [config(name, transport, era) for name, era in (("one", Era.PUSH), ("two", Era.ROUNDS))]
        async with house(tmp_path, servers, **COMPANY, max_user_pending=2) as rooms:
            await rooms.services.presence.arrived(LOCAL_USER)
            for server in servers:
                await rooms.connected(server.name)
            [pushed] = await rooms.pending_requests(await rooms.call("one", "ask_form"))
            await rooms.pending_requests(await rooms.call("two", "ask_form"))
            for name in ("one", "two", "one"):
                await rooms.ended(await rooms.call(name, "ask_form"))
            with pytest.raises(RefusedError):
                await _request_to(rooms, LOCAL_USER)
            rows = await rooms.services.store.of(LOCAL_USER).requests.find()
            refused = [each for each in rows if each.state is RequestState.REFUSED]
            assert [each.asked_by.label for each in refused] == ["one", "two", "Agent"]
            assert {each.reason_code for each in refused} == {ReasonCode.TOO_MANY_OF_USER}
            other = await rooms.services.store.users.recognise(Person(issuer="proxy", subject="bob"))
            assert [(await _request_to(rooms, other.id)).pending for _each in range(2)] == [True, True]
            await rooms.answer(pushed, Action.DECLINE)
            assert (await _request_to(rooms, LOCAL_USER)).pending


async def test_a_user_opens_streams_up_to_the_limit(tmp_path: Path) -> None:
    async with house(tmp_path, **COMPANY, max_user_streams=1) as rooms:
        hub = rooms.services.hub
        with hub.subscribe("ada"), hub.subscribe("bob"), pytest.raises(TooManyError), hub.subscribe("ada"):
            pass
        with hub.subscribe("ada"):
            pass


async def test_the_only_user_has_no_such_limits(tmp_path: Path) -> None:
    limits: dict[str, Any] = dict.fromkeys(("streams", "servers", "calls", "pending"), 1)
    async with house(tmp_path, **{f"max_user_{name}": most for name, most in limits.items()}) as rooms:
        assert [(await _request_to(rooms, LOCAL_USER)).pending for _each in range(2)] == [True, True]
        transport = {"type": "http", "url": "http://203.0.113.1/mcp"}
        for _each in range(2):
            await rooms.services.servers.add(LOCAL_USER, label="it", transport=transport)
        with rooms.services.hub.subscribe(LOCAL_USER), rooms.services.hub.subscribe(LOCAL_USER):
            pass
