"""The life of agents' tasks: as long as asked for within bounds, for their own agent, and unknown after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from math import inf, nan
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.tables import each_row
from webclient.calls import Calls
from webclient.domain.model import Agent, Call, CallKind, CallState, Era, Json, Server, Via, now
from webclient.gateway.agent_calls import AgentCalls
from webclient.gateway.agent_tasks import AgentTasks
from webclient.gateway.tasks import seconds_wanted
from webclient.gateway.visit import JointVisit
from webclient.protocol import ServerError
from webclient.servers.connections import Connections
from webclient.store import Store

pytestmark = pytest.mark.anyio

HOUR, DAY, WEEK = 3_600, 86_400, 604_800


@each_row(
    ("ttl", "seconds"),
    [
        (7_200_000, 7_200),
        (1, HOUR),
        (-5, HOUR),
        (10**400, WEEK),
        (inf, WEEK),
        (-inf, HOUR),
        (nan, DAY),
        (None, DAY),
        ("60000", DAY),
        (True, DAY),
    ],
)
def test_a_task_lives_as_long_as_it_may(ttl: Any, seconds: int) -> None:
    assert seconds_wanted({"task": {"ttl": ttl}}, Era.PUSH) == seconds


def test_an_agent_of_another_era_asks_for_no_task() -> None:
    assert seconds_wanted({"task": {"ttl": 1}}, Era.ROUNDS) == 0
    assert seconds_wanted({"task": True}, Era.PUSH) == 0


SERVER = Server(id="s", user_id="ada", label="S", transport={"type": "http", "url": "http://127.0.0.1:9/mcp"})
AGENT = Agent(token_id="t", label="Agent", task_seconds=HOUR)
CALL = Call(
    user_id="ada",
    server_id="s",
    server_label="S",
    kind=CallKind.TOOL,
    name="a",
    via=Via.AGENT,
    agent=AGENT,
    state=CallState.DONE,
    result={"content": []},
)


def visit(servers: Sequence[Server] = (SERVER,), *, user_id: str = "ada", agent: str = "t") -> JointVisit:
    return JointVisit(user_id=user_id, token_id=agent, label="Agent", servers=servers, leave=lambda: None)


class Ended(SimpleNamespace):
    """Calls of which none runs."""

    async def until_over(self, call: Call, _note: object) -> Call:
        return call

    def want(self, call_id: str, *, wanted: bool) -> None:
        pass

    def wait_of(self, _call_id: str) -> Any:
        return lambda: False

    async def note_agent(self, _call: Call, _agent: object) -> None:
        pass


def tasks_of(store: Store) -> AgentTasks:
    calls = cast("Calls", Ended())
    return AgentTasks(store, calls, AgentCalls(store, cast("Connections", None), calls))


async def answers(tasks: AgentTasks, who: JointVisit, call: Call) -> list[Json | int]:
    """Return what an agent gets for its task in each era; the code of an error."""
    found: list[Json | int] = []
    params: Json = {"taskId": call.id}
    for answer in (
        tasks.answer_legacy(who, "tasks/get", params, cast("Any", None)),
        tasks.answer_modern(who, "tasks/get", params, declared=True),
        tasks.answer_modern(who, "tasks/cancel", params, declared=True),
    ):
        try:
            found.append(await answer)
        except ServerError as error:
            found.append(error.code)
    return found


async def test_a_task_is_known_to_its_own_agent_until_its_end(store: Store) -> None:
    tasks = tasks_of(store)
    over = replace(CALL, id="over", created_at=now() - timedelta(seconds=HOUR + 1))
    fresh = replace(CALL, id="fresh", created_at=now() - timedelta(seconds=HOUR - 60))
    for call in (over, fresh):
        await store.of("ada").calls.add(call)
    get, whole, cancelled = await answers(tasks, visit(), fresh)
    assert isinstance(get, dict)
    assert isinstance(whole, dict)
    assert (get["status"], whole["status"], cancelled) == ("completed", "completed", {})
    assert whole["result"]["content"] == []
    assert await answers(tasks, visit(), over) == [-32602] * 3
    listed = await tasks.answer_legacy(visit(), "tasks/list", {}, cast("Any", None))
    assert [task["taskId"] for task in listed["tasks"]] == ["fresh"]


@pytest.mark.parametrize(
    ("changes", "servers"),
    [({"agent": "another"}, [SERVER]), ({}, []), ({"user_id": "bob"}, [SERVER])],
    ids=["another agent", "one that may not use the server any more", "another user"],
)
async def test_a_task_is_unknown_to_another_agent(
    store: Store, changes: dict[str, str], servers: Sequence[Server]
) -> None:
    tasks, who = tasks_of(store), visit(servers, **changes)
    await store.of("ada").calls.add(CALL)
    assert await answers(tasks, who, CALL) == [-32602] * 3
    assert (await tasks.answer_legacy(who, "tasks/list", {}, cast("Any", None)))["tasks"] == []


@pytest.mark.parametrize("task_id", [None, 7, "", "a" * 10_000, {"id": 1}, "\x00"])
async def test_an_id_of_a_task_may_be_anything(store: Store, task_id: object) -> None:
    with pytest.raises(ServerError) as error:
        await tasks_of(store).answer_modern(visit(), "tasks/get", {"taskId": task_id}, declared=True)
    assert error.value.code == -32602


@pytest.mark.parametrize("cursor", ["", "x", 7, "e30", "WzEsMl0", "bnVsbA=="])
async def test_a_strange_cursor_is_refused(store: Store, cursor: object) -> None:
    with pytest.raises(ServerError) as error:
        await tasks_of(store).answer_legacy(visit(), "tasks/list", {"cursor": cursor}, cast("Any", None))
    assert error.value.code == -32602
