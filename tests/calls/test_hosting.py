"""Questions that servers want as tasks (MCP 2025-11-25, Tasks; we are the receiver), with a server played by the test.

The rules are numbered as in docs/tasks.md.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.calls.puppets import Server, ask, elicitation, sampling, value_of
from tests.house import House, config, house
from tests.mcp_servers import stdio
from webclient.domain.model import (
    FETCH_TIME,
    LOCAL_USER,
    Action,
    CallState,
    Delivery,
    Json,
    ReasonCode,
    RequestState,
)
from webclient.inbox.hosted_tasks import LONGEST_LIFE, RELATED_TASK, SHORTEST_LIFE

pytestmark = pytest.mark.anyio

INVALID_PARAMS = -32602
USER_REJECTED = -1
METHOD_NOT_FOUND = -32601


@pytest.fixture(scope="module")
async def rooms(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:  # noqa: ARG001
    servers = [config("puppet", stdio("puppet")), config("old", stdio("puppet", "2025-06-18"))]
    async with house(tmp_path_factory.mktemp("hosting"), servers) as running:
        for each in servers:
            await running.connected(each.name)
        yield running


@pytest.fixture
def server(rooms: House) -> Server:
    return Server(rooms)


async def test_tasks_are_announced_as_they_are_hosted(server: Server) -> None:
    """MCP 2025-11-25, Tasks, Capabilities: what is declared is supported."""
    assert (await server.tool("announced"))["tasks"] == {
        "list": {},
        "cancel": {},
        "requests": {"elicitation": {"create": {}}, "sampling": {"createMessage": {}}},
    }


async def test_an_earlier_version_gets_a_plain_answer(rooms: House) -> None:
    """H1 (Tasks, Task Support and Handling): a request type without the capability is processed normally (MUST)."""
    old = Server(rooms, "old")
    call = await old.waiting(elicitation(task={}))
    await rooms.answer(await rooms.request_from("old"), Action.ACCEPT, {"name": "Ada"})
    assert value_of(await rooms.ended(call))[0]["result"] == {"action": "accept", "content": {"name": "Ada"}}
    [reply] = await old.send({"method": "tasks/list"})
    assert reply["error"]["code"] == METHOD_NOT_FOUND


async def test_a_question_without_task_gets_a_plain_answer(server: Server, rooms: House) -> None:
    """H3 (Tasks, Task Support and Handling): a request without `task` is processed normally."""
    call = await server.waiting(elicitation(), elicitation(task=None))
    for request in await rooms.pending_requests(call, 2):
        await rooms.answer(request, Action.DECLINE)
    replies = value_of(await rooms.ended(call))
    assert [each["result"] for each in replies] == [{"action": "decline"}] * 2


async def test_a_task_is_created_at_once_and_keeps_working(server: Server, rooms: House) -> None:
    """H2, H5, H6 (Tasks, Creating Tasks, Task Status Lifecycle): `{task}` at once, `working`, dates and ttl (MUST)."""
    task, request = await server.host()
    assert task["status"] == "working"
    assert task["statusMessage"]
    assert datetime.fromisoformat(task["createdAt"]) == datetime.fromisoformat(task["lastUpdatedAt"])
    assert task["pollInterval"] == 1000
    [got] = await server.send(ask("get", task["taskId"]))
    assert got["result"] == task
    assert "_meta" not in got["result"]
    await rooms.answer(request, Action.DECLINE)


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ({}, LONGEST_LIFE),
        ({"ttl": 60_000}, SHORTEST_LIFE),
        ({"ttl": 0}, SHORTEST_LIFE),
        ({"ttl": -1}, SHORTEST_LIFE),
        ({"ttl": 864_000_000}, timedelta(days=10)),
        ({"ttl": 10**30}, LONGEST_LIFE),
    ],
)
async def test_ttl_is_given_within_limits(server: Server, rooms: House, wanted: Json, given: timedelta) -> None:
    """H12 (Tasks, Resource Management): SHOULD enforce a maximum ttl; a person has time until tomorrow in any case."""
    task, request = await server.host(elicitation(task=wanted))
    assert timedelta(milliseconds=task["ttl"]) == given + FETCH_TIME
    assert request.expires_at == request.created_at + given
    await rooms.answer(request, Action.CANCEL)


async def test_ids_are_unique_and_unguessable(server: Server, rooms: House) -> None:
    """H4 (Tasks, Task IDs; Task Isolation and Access Control): unique strings of enough entropy (MUST)."""
    hosted = [await server.host() for _each in range(2)]
    ids = {task["taskId"] for task, _request in hosted}
    # 24 random bytes in Base64.
    assert [len(each) for each in ids] == [32, 32]
    for _task, request in hosted:
        await rooms.answer(request, Action.CANCEL)


@pytest.mark.parametrize(
    ("action", "content"), [(Action.ACCEPT, {"name": "Ada"}), (Action.DECLINE, None), (Action.CANCEL, None)]
)
async def test_the_result_waits_for_the_person(
    server: Server, rooms: House, action: Action, content: Json | None
) -> None:
    """H7 (Tasks, Result Retrieval): blocks until the end, then exactly the result, with the related task (MUST)."""
    task, request = await server.host()
    waiting = await server.waiting(ask("result", task["taskId"]))
    # Answered after the question, which is therefore being waited for.
    await server.send(ask("get", task["taskId"]))
    await rooms.answer(request, action, content)
    [reply] = value_of(await rooms.ended(waiting))
    meta = {"_meta": {RELATED_TASK: {"taskId": task["taskId"]}}}
    assert reply["result"] == {"action": action, **({"content": content} if content else {}), **meta}
    [got, again] = await server.send(ask("get", task["taskId"]), ask("result", task["taskId"]))
    assert got["result"]["status"] == "completed"
    assert again["result"] == reply["result"]


async def test_a_related_task_of_the_server_is_not_ours(server: Server, rooms: House) -> None:
    """H7 (Tasks, Associating Task-Related Messages): the result names our task; get, list and cancel name none."""
    theirs = {"_meta": {RELATED_TASK: {"taskId": "theirs"}}}
    task, request = await server.host(elicitation(task={}, **theirs))
    await rooms.answer(request, Action.DECLINE)
    messages = [ask(each, task["taskId"]) for each in ("get", "result")]
    got, result = await server.send(*({**each, "params": each["params"] | theirs} for each in messages))
    assert "_meta" not in got["result"]
    assert result["result"]["_meta"] == {RELATED_TASK: {"taskId": task["taskId"]}}


async def test_a_message_can_be_fetched_as_a_task(server: Server, rooms: House) -> None:
    """H7 (Tasks, Result Retrieval), for `sampling/createMessage`."""
    task, request = await server.host(sampling(task={"ttl": 1000}))
    message: Json = {"role": "assistant", "content": {"type": "text", "text": "Five."}, "model": "written by a person"}
    await rooms.answer(request, Action.ACCEPT, message)
    [result] = await server.send(ask("result", task["taskId"]))
    assert result["result"] == message | {"_meta": {RELATED_TASK: {"taskId": task["taskId"]}}}


async def test_declined_sampling_is_a_failed_task(server: Server, rooms: House) -> None:
    """H7 (Tasks, Result Retrieval; Sampling, Error Handling): the request's own error, -1, and a status message."""
    task, request = await server.host(sampling(task={}))
    await rooms.answer(request, Action.DECLINE)
    got, result = await server.send(ask("get", task["taskId"]), ask("result", task["taskId"]))
    assert (got["result"]["status"], bool(got["result"]["statusMessage"])) == ("failed", True)
    assert result["error"]["code"] == USER_REJECTED


async def test_an_answer_is_delivered_when_it_was_fetched(server: Server, rooms: House) -> None:
    task, request = await server.host()
    answered = await rooms.answer(request, Action.ACCEPT, {"name": "Ada"})
    assert answered.delivery is Delivery.SENDING
    await server.send(ask("result", task["taskId"]))

    async def look() -> bool:
        newest = await rooms.services.store.of(LOCAL_USER).requests.get(request.id)
        return newest.delivery is Delivery.DELIVERED

    assert await rooms.until(look)


async def test_the_server_is_notified_of_the_end_once(server: Server, rooms: House) -> None:
    """H13 (Tasks, Task Status Notification): MAY be sent, with the whole task."""
    task, request = await server.host()
    await server.send(ask("get", task["taskId"]), ask("get", task["taskId"]))
    waiting = await server.waiting(ask("result", task["taskId"]))
    await rooms.answer(request, Action.DECLINE)
    await rooms.ended(waiting)

    async def heard() -> list[Json]:
        notices = await server.tool("heard")
        return [each for each in notices if (each.get("params") or {}).get("taskId") == task["taskId"]]

    notices = await rooms.until(heard)
    assert [each["method"] for each in notices] == ["notifications/tasks/status"]
    assert notices[0]["params"] == (await server.send(ask("get", task["taskId"])))[0]["result"]


async def test_a_call_waits_while_its_task_is_open(server: Server, rooms: House) -> None:
    call = await server.waiting(elicitation(task={}), {"method": "ping-pong"})
    await rooms.ended(call)
    task, request = await server.host()
    waiting = await server.waiting(ask("result", task["taskId"]), elicitation(task={}))
    [requested] = await rooms.pending_requests(waiting)
    shown = await rooms.services.store.of(LOCAL_USER).calls.get(waiting.id)
    assert shown.state is CallState.INPUT_REQUIRED
    await rooms.answer(requested, Action.DECLINE)
    await rooms.answer(request, Action.DECLINE)
    await rooms.ended(waiting)
    await rooms.services.inbox.decline_all(LOCAL_USER, (await rooms.server("puppet")).id)


async def test_a_question_outlives_the_end_of_its_call(server: Server, rooms: House) -> None:
    _task, request = await server.host()
    remarked = await rooms.remarked(request)
    assert remarked.reason_code is ReasonCode.CALL_ENDED_EARLY
    await rooms.answer(request, Action.CANCEL)


async def test_cancelling_the_call_dismisses_its_task(server: Server, rooms: House) -> None:
    """The person gives up the work, so no answer will come; the task ends as a dismissed question."""
    call = await server.waiting(elicitation(), elicitation(task={}))
    hosted = next(each for each in await rooms.pending_requests(call, 2) if each.ids.hosted_task_id)
    await rooms.services.calls.cancel(call)
    await rooms.settled(hosted)
    [result] = await server.send(ask("result", hosted.ids.hosted_task_id))
    assert result["result"]["action"] == "cancel"


async def test_a_malformed_question_is_refused_as_before(server: Server) -> None:
    [reply] = await server.send(elicitation(task={}, requestedSchema=None))
    assert reply["error"]["code"] == INVALID_PARAMS


async def test_a_muted_server_gets_a_task_that_is_over(tmp_path: Path) -> None:
    """H2 (Tasks, Creating Tasks): a request with `task` MUST get a task, also if it is never shown."""
    async with house(tmp_path, [config("puppet", stdio("puppet"))]) as own:
        await own.connected("puppet")
        muted = Server(own)
        _task, request = await muted.host()
        await own.services.servers.mute(await own.server("puppet"))
        assert (await own.settled(request)).state is RequestState.CANCELLED
        [reply] = await muted.send(elicitation(task={}))
        task = reply["result"]["task"]
        assert task["status"] == "completed"
        for each in (task["taskId"], request.ids.hosted_task_id):
            [result] = await muted.send(ask("result", each))
            assert result["result"]["action"] == "cancel"
