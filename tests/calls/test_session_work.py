"""The call whose session ends in the moment in which its question is being written."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.house import House, config, house
from tests.mcp_servers import STATE_KEY, stdio
from webclient.domain.model import Action, Call, CallState, Era, ReasonCode, RequestState
from webclient.inbox import Inbox
from webclient.store.calls.calls import write_changes
from webclient.store.requests import requests

pytestmark = pytest.mark.anyio

SERVERS = [config("it", stdio("asker", "--state-key", STATE_KEY), Era.ROUNDS)]


class DelayedWrite:
    """A unit of work that writes a question and that its call waits; it goes on after `release`."""

    def __init__(self) -> None:
        self._has_begun = threading.Event()
        self._may_go_on = threading.Event()

    def wait(self) -> None:
        """Wait in the unit of work."""
        self._has_begun.set()
        assert self._may_go_on.wait(60)

    async def until_begun(self) -> None:
        """Wait until the unit of work has begun."""
        assert await asyncio.to_thread(self._has_begun.wait, 60)

    def release(self) -> None:
        """Have it go on, and all later ones pass."""
        self._may_go_on.set()


@pytest.fixture
def delayed(monkeypatch: pytest.MonkeyPatch) -> Iterator[DelayedWrite]:
    """Delay the first unit of work that writes a question of a call."""
    delayed, write = DelayedWrite(), write_changes

    def delay(*arguments: Any) -> bool:
        delayed.wait()
        return write(*arguments)

    monkeypatch.setattr(requests, "write_changes", delay)
    yield delayed
    delayed.release()


async def asking(rooms: House, delayed: DelayedWrite) -> Call:
    """Return a call whose question is being written."""
    await rooms.connected("it")
    call = await rooms.call("it", "ask_form")
    await delayed.until_begun()
    return call


async def answered(rooms: House, call: Call) -> Call:
    """Return the call when it has ended, after its question was answered."""
    [request] = await rooms.pending_requests(call)
    await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
    return await rooms.ended(call)


async def test_a_session_lost_before_its_question_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrived, may_go_on, put = asyncio.Event(), asyncio.Event(), Inbox.put

    async def delay(*arguments: Any) -> None:
        arrived.set()
        await may_go_on.wait()
        await put(*arguments)

    monkeypatch.setattr(Inbox, "put", delay)
    async with house(tmp_path, SERVERS) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_form")
        await arrived.wait()
        assert (await rooms.ended(await rooms.call("it", "crash"))).state is CallState.INTERRUPTED
        may_go_on.set()
        assert (await answered(rooms, call)).state is CallState.DONE


async def test_a_question_is_there_after_a_stop_before_its_write(tmp_path: Path, delayed: DelayedWrite) -> None:
    async with house(tmp_path, SERVERS) as rooms:
        call = await asking(rooms, delayed)
        closing = asyncio.create_task(rooms.services.calls.close())
        await anyio.wait_all_tasks_blocked()
        delayed.release()
        await closing
    async with house(tmp_path, SERVERS) as rooms:
        assert (await answered(rooms, call)).state is CallState.DONE


async def test_a_person_who_disconnects_ends_what_is_being_written(tmp_path: Path, delayed: DelayedWrite) -> None:
    async with house(tmp_path, SERVERS) as rooms:
        call = await asking(rooms, delayed)
        server = await rooms.server("it")
        ending = asyncio.create_task(rooms.services.connections.disconnect(server))
        await anyio.wait_all_tasks_blocked()
        delayed.release()
        await ending
        ended = await rooms.ended(call)
        assert ended.error
        assert ended.error.reason
        assert (ended.state, ended.error.reason.code) == (CallState.INTERRUPTED, ReasonCode.SERVER_DISCONNECTED)
        [request] = await rooms.services.inbox.of_call(call)
        assert (await rooms.settled(request)).state is RequestState.INTERRUPTED
