"""How long a question lasts that its server wants as a task: over lost sessions and restarts, for its time to live."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.calls.puppets import Server, ask, elicitation, sampling
from tests.house import House, config, house
from tests.mcp_servers import stdio
from webclient.domain.model import (
    FETCH_TIME,
    LOCAL_USER,
    Action,
    CallState,
    Delivery,
    InputRequest,
    Mode,
    ReasonCode,
    RequestState,
    ServerState,
    now,
)
from webclient.inbox import Intake

pytestmark = pytest.mark.anyio

PUPPET = [config("puppet", stdio("puppet"))]
PASSWORD = {"type": "object", "properties": {"password": {"type": "string"}}}
TOO_MANY = UNAVAILABLE = -32000


async def connected(rooms: House) -> Server:
    await rooms.connected("puppet")
    return Server(rooms)


async def newest(rooms: House, request: InputRequest) -> InputRequest:
    return await rooms.services.store.of(LOCAL_USER).requests.get(request.id)


async def delivered(rooms: House, request: InputRequest) -> None:
    """Wait until the server has fetched the answer."""

    async def look() -> bool:
        return (await newest(rooms, request)).delivery is Delivery.DELIVERED

    await rooms.until(look)


async def test_a_question_survives_a_restart(tmp_path: Path) -> None:
    """The person answers the next process, and the server fetches the answer there."""
    async with house(tmp_path, PUPPET) as rooms:
        server = await connected(rooms)
        task, request = await server.host()
        waiting = await server.waiting(ask("result", task["taskId"]))
        assert (await rooms.services.store.of(LOCAL_USER).calls.get(waiting.id)).state is CallState.RUNNING
    async with house(tmp_path, PUPPET) as rooms:
        server = await connected(rooms)
        remaining = await rooms.request_from("puppet")
        assert (remaining.id, remaining.expires_at, remaining.reason_code) == (
            request.id,
            request.expires_at,
            ReasonCode.CALL_ENDED_EARLY,
        )
        [got] = await server.send(ask("get", task["taskId"]))
        assert (got["result"]["status"], got["result"]["ttl"]) == ("working", task["ttl"])
        await rooms.answer(remaining, Action.ACCEPT, {"name": "Ada"})
        [result] = await server.send(ask("result", task["taskId"]))
        assert result["result"]["content"] == {"name": "Ada"}
        await delivered(rooms, request)


@pytest.mark.parametrize("keep_values_days", [30, 0])
async def test_a_secret_answer_is_kept_until_it_is_fetched(tmp_path: Path, keep_values_days: int) -> None:
    """H7 (Tasks, Result Retrieval) across a restart; afterwards nothing of it is stored."""
    async with house(tmp_path, PUPPET, keep_values_days=keep_values_days) as rooms:
        server = await connected(rooms)
        task, request = await server.host(elicitation(task={}, requestedSchema=PASSWORD))
        await rooms.answer(request, Action.ACCEPT, {"password": "swordfish"})
    async with house(tmp_path, PUPPET, keep_values_days=keep_values_days) as rooms:
        server = await connected(rooms)
        await rooms.services.retention.purge()
        [result] = await server.send(ask("result", task["taskId"]))
        assert result["result"]["content"] == {"password": "swordfish"}
        await delivered(rooms, request)
        # A row has its secrets in its content, as long as they are remaining.
        assert (await newest(rooms, request)).content == {"password": None}
        [again] = await server.send(ask("result", task["taskId"]))
        assert again["error"]["code"] == UNAVAILABLE


async def test_a_question_survives_its_session(tmp_path: Path) -> None:
    async with house(tmp_path, PUPPET) as rooms:
        server = await connected(rooms)
        task, request = await server.host()
        leaving = await rooms.call("puppet", "leave")
        assert (await rooms.ended(leaving)).state is CallState.INTERRUPTED
        await rooms.connected("puppet")
        assert (await newest(rooms, request)).pending
        await rooms.answer(request, Action.DECLINE)
        [result] = await server.send(ask("result", task["taskId"]))
        assert result["result"]["action"] == "decline"


async def test_disconnecting_the_server_dismisses_its_questions(tmp_path: Path) -> None:
    """The user does not expect them any more; the server learns that they were dismissed."""
    async with house(tmp_path, PUPPET) as rooms:
        server = await connected(rooms)
        task, request = await server.host()
        puppet = await rooms.server("puppet")
        await rooms.services.connections.disconnect(puppet)
        ended = await rooms.settled(request)
        assert (ended.state, ended.reason_code) == (RequestState.INTERRUPTED, ReasonCode.SERVER_DISCONNECTED)
        rooms.services.connections.connect(puppet)
        await rooms.connected("puppet")
        [result] = await server.send(ask("result", task["taskId"]))
        assert result["result"]["action"] == "cancel"


async def test_questions_end_with_their_permission(tmp_path: Path) -> None:
    """Changing what a server may ask reconnects it; what it still may ask stays open."""
    async with house(tmp_path, PUPPET) as rooms:
        server = await connected(rooms)
        _task, form = await server.host()
        _task, message = await server.host(sampling(task={}))
        puppet = replace(await rooms.server("puppet"), modes=(Mode.FORM, Mode.URL))
        await rooms.services.servers.change(puppet)
        ended = await rooms.settled(message)
        assert (ended.state, ended.reason_code) == (RequestState.INTERRUPTED, ReasonCode.PERMISSIONS_CHANGED)
        await rooms.connected("puppet")
        assert (await newest(rooms, form)).pending


async def test_a_question_whose_time_is_over_is_dismissed(tmp_path: Path) -> None:
    """H12 (Tasks, Resource Management): the ttl is kept; its server can fetch the `cancel` for a while."""
    async with house(tmp_path, PUPPET, deadline_rounds=0.1) as rooms:
        server = await connected(rooms)
        task, request = await server.host()
        assert task["ttl"] == FETCH_TIME.total_seconds() * 1000 + 100
        expired = await rooms.settled(request)
        assert (expired.state, expired.reason_code) == (RequestState.EXPIRED, ReasonCode.DEADLINE_PASSED)
        [result] = await server.send(ask("result", task["taskId"]))
        assert result["result"]["action"] == "cancel"


async def test_an_answer_that_is_never_fetched_is_not_delivered(tmp_path: Path) -> None:
    """H12 (Tasks, Resource Management): a task is deleted when its ttl is over, with what it alone needs."""
    async with house(tmp_path, PUPPET) as rooms:
        server = await connected(rooms)
        hosted = [await server.host(elicitation(task={}, requestedSchema=PASSWORD)) for _each in range(2)]
        (task, answered), (_task, pending) = hosted
        await rooms.answer(answered, Action.ACCEPT, {"password": "swordfish"})
        system = rooms.services.store.system
        assert answered.expires_at
        assert await system.purge_hosted_tasks(answered.expires_at) == 0
        assert await system.purge_hosted_tasks(now() + 1000 * FETCH_TIME) == 1
        dropped = await newest(rooms, answered)
        assert (dropped.delivery, dropped.content) == (Delivery.FAILED, {"password": None})
        assert (await newest(rooms, pending)).pending
        [reply] = await server.send(ask("get", task["taskId"]))
        assert "error" in reply


async def test_a_decision_is_sent_after_a_restart(tmp_path: Path) -> None:
    async with house(tmp_path, PUPPET) as rooms:
        server = await connected(rooms)
        task, request = await server.host()
        decided = await rooms.services.store.of(LOCAL_USER).requests.decide(
            [request.id], Action.DECLINE, now() + FETCH_TIME
        )
        assert len(decided) == 1
    async with house(tmp_path, PUPPET) as rooms:
        server = await connected(rooms)
        [result] = await server.send(ask("result", task["taskId"]))
        assert result["result"]["action"] == "decline"


async def test_more_questions_than_may_wait_are_refused(tmp_path: Path) -> None:
    """H12 (Tasks, Resource Management): the number of tasks of one requestor is limited (SHOULD)."""
    async with house(tmp_path, PUPPET, max_pending=2) as rooms:
        server = await connected(rooms)
        replies = await server.send(*(elicitation(task={}) for _each in range(3)))
        assert ["result" in each for each in replies] == [True, True, False]
        assert replies[2]["error"]["code"] == TOO_MANY


async def test_a_question_without_a_known_task_is_withdrawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that withdraws its request before it has the task would never fetch the answer."""
    putting, withdrawn = asyncio.Event(), asyncio.Event()
    put = Intake.put

    async def put_late(self: Intake, *arguments: object) -> None:
        putting.set()
        await withdrawn.wait()
        await put(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Intake, "put", put_late)
    async with house(tmp_path, PUPPET) as rooms:
        server = await connected(rooms)
        [wire_id] = await server.tool("send_only", {"messages": [elicitation(task={})]})
        await putting.wait()
        await server.send({"method": "notifications/cancelled", "params": {"requestId": wire_id}}, {"method": "ping"})
        withdrawn.set()

        async def look() -> InputRequest | None:
            found = await rooms.services.store.of(LOCAL_USER).requests.find()
            return next((each for each in found if not each.pending), None)

        assert (await rooms.until(look)).state is RequestState.WITHDRAWN


async def test_too_many_waits_for_a_result_end_the_session(tmp_path: Path) -> None:
    """H12 (Tasks, Resource Management): requests that wait for a result are limited, as all that are unanswered."""
    async with house(tmp_path, PUPPET, max_server_requests=2, max_pending=2) as rooms:
        server = await connected(rooms)
        task, _request = await server.host()
        await rooms.call("puppet", "send", {"messages": [ask("result", task["taskId"])] * 9})
        status = await rooms.status("puppet", ServerState.ERROR)
        assert status.error
        assert status.error.reason.code is ReasonCode.TOO_MANY_REQUESTS
