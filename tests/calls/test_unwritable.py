"""While nothing can be stored: no message is lost, no session waits, and no answer goes out twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.disk import unwritable
from tests.house import PATIENCE, House, config, house
from tests.mcp_servers import STATE_KEY, RunningServer, running
from webclient.calls import link_polling
from webclient.domain import model
from webclient.domain.model import Action, CallState, Delivery, Era, InputRequest, ReasonCode, RequestState
from webclient.servers.config_file import ServerConfig
from webclient.store import StorageError

pytestmark = pytest.mark.anyio

ANY = "https://example.com/"


@pytest.fixture
async def asker() -> AsyncIterator[RunningServer]:
    async with running(arguments=["--state-key", STATE_KEY]) as server:
        yield server


def servers(asker: RunningServer, era: Era) -> list[ServerConfig]:
    return [config("it", {"type": "http", "url": asker.address}, era)]


async def now(rooms: House, request: InputRequest) -> InputRequest:
    return await rooms.services.store.of("local").requests.get(request.id)


async def becomes(rooms: House, request: InputRequest, is_so: Callable[[InputRequest], bool]) -> InputRequest:
    async def look() -> InputRequest | None:
        newest = await now(rooms, request)
        return newest if is_so(newest) else None

    return await rooms.until(look)


async def refused(rooms: House) -> None:
    """Wait until something could not be written."""

    async def look() -> StorageError | None:
        return rooms.services.store.health.trouble

    await rooms.until(look)


def after_an_answer(rooms: House, block: AbstractContextManager[None]) -> None:
    """Enter the block as soon as the next answer is stored, before it sets out."""

    def enter(_request: InputRequest) -> None:
        block.__enter__()

    rooms.services.inbox.on_answer.insert(0, enter)


async def test_a_completion_outlives_a_full_disk_and_its_session(tmp_path: Path, asker: RunningServer) -> None:
    async with house(tmp_path, servers(asker, Era.PUSH)) as rooms:
        await rooms.connected("it")
        await rooms.call("it", "ask_url", {"url": ANY, "elicitation_id": "e1"})
        request = await rooms.request_from("it")
        await rooms.answer(request, Action.ACCEPT)
        await becomes(rooms, request, lambda newest: newest.delivery is Delivery.DELIVERED)
        connection = rooms.services.connections.connected(await rooms.server("it"))
        with unwritable(rooms.services.store):
            for _time in range(3):
                await rooms.services.inbox.links.notified("local", request.server_id, {"e1": model.now()})
            await refused(rooms)
            assert (await now(rooms, request)).state is RequestState.WAITING
            connection.lose()
        completed = await becomes(rooms, request, lambda newest: newest.state is RequestState.COMPLETED)
        assert completed.reason_code is ReasonCode.SERVER_REPORTED_FINISHED


async def test_an_unwritable_delivery_delays_no_other_message(tmp_path: Path, asker: RunningServer) -> None:
    async with house(tmp_path, servers(asker, Era.PUSH)) as rooms:
        await rooms.connected("it")
        # With two calls in flight the request belongs to neither, so nothing of a call must be written first.
        other = await rooms.call("it", "sleep_until_cancelled", {"name": "other"})
        call = await rooms.call("it", "ask_outside_call")
        request = await rooms.request_from("it")
        assert request.call_id is None
        block = unwritable(rooms.services.store)
        after_an_answer(rooms, block)
        await rooms.answer(request, Action.DECLINE)
        await refused(rooms)
        async with asyncio.timeout(PATIENCE):
            await rooms.services.connections.connected(await rooms.server("it")).session.client.send_ping()  # type: ignore[union-attr]
        assert (await now(rooms, request)).delivery is Delivery.SENDING
        block.__exit__(None, None, None)
        await becomes(rooms, request, lambda newest: newest.delivery is Delivery.DELIVERED)
        assert (await rooms.ended(call)).state is CallState.DONE
        await rooms.services.calls.cancel(other)


async def test_polling_for_a_link_continues_after_a_full_disk(
    tmp_path: Path, asker: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_polling, "POLL_PAUSES", (0.01,))
    async with house(tmp_path, servers(asker, Era.ROUNDS)) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "await_url", {"url": ANY, "elicitation_id": "e1"})
        [request] = await rooms.pending_requests(call)
        still_waits = rooms.services.inbox.links.still_waits

        async def still_waits_late(request: InputRequest) -> None:
            with unwritable(rooms.services.store):
                waiting = asyncio.ensure_future(still_waits(request))
                await refused(rooms)
            await waiting

        monkeypatch.setattr(rooms.services.inbox.links, "still_waits", still_waits_late)
        await rooms.answer(request, Action.ACCEPT)
        await becomes(rooms, request, lambda newest: newest.reason_code is ReasonCode.SERVER_STILL_WAITS)
        await rooms.call("it", "complete", {"elicitation_id": "e1", "notify": False})
        assert (await rooms.ended(call)).state is CallState.DONE
        assert (await now(rooms, request)).reason_code is ReasonCode.SERVER_CONTINUED


async def test_a_cancellation_that_cannot_be_stored_fails_at_once(tmp_path: Path, asker: RunningServer) -> None:
    async with house(tmp_path, servers(asker, Era.PUSH)) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        with unwritable(rooms.services.store):
            async with asyncio.timeout(PATIENCE):
                with pytest.raises(StorageError):
                    await rooms.services.calls.cancel(await rooms.services.store.of("local").calls.get(call.id))
        await rooms.services.store.health._try()
        await rooms.answer(request, Action.DECLINE)
        assert (await rooms.ended(call)).state is CallState.DONE


async def test_a_round_that_cannot_be_stored_is_shown_when_it_can(
    tmp_path: Path, asker: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checkpoint is small, and may still be stored when the requests cannot."""
    async with house(tmp_path, servers(asker, Era.ROUNDS)) as rooms:
        await rooms.connected("it")
        block = unwritable(rooms.services.store)
        put = rooms.services.calls._services.intake.put

        async def put_late(*what: Any) -> None:
            block.__enter__()
            await put(*what)

        monkeypatch.setattr(rooms.services.calls._services.intake, "put", put_late)
        call = await rooms.call("it", "ask_many", {"n": 2})
        await refused(rooms)
        block.__exit__(None, None, None)
        for request in await rooms.pending_requests(call, 2):
            await rooms.answer(request, Action.DECLINE)
        assert (await rooms.ended(call)).state is CallState.DONE


async def test_answers_wait_until_their_sending_can_be_recorded(tmp_path: Path, asker: RunningServer) -> None:
    """The next process finds the checkpoint and sends them; they must not be sent twice."""
    async with house(tmp_path, servers(asker, Era.ROUNDS)) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "await_url", {"url": ANY, "elicitation_id": "once"})
        [request] = await rooms.pending_requests(call)
        after_an_answer(rooms, unwritable(rooms.services.store))
        await rooms.answer(request, Action.DECLINE)
        await refused(rooms)
        work = rooms.services.calls._running_calls._running[call.id]._task
        assert work
        rooms.services.store.health.close()
        await work.ended(PATIENCE)
    async with house(tmp_path, servers(asker, Era.ROUNDS)) as rooms:
        assert (await rooms.ended(call)).state is CallState.DONE
        await rooms.connected("it")
        count = await rooms.ended(await rooms.call("it", "times_needed", {"elicitation_id": "once"}))
        assert (count.result or {})["structuredContent"] == {"result": 2}
