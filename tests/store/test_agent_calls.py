"""Calls of tools by agents: the newest ones, and those on which a rule reports."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.store.ada_rows import ENDED_CALL
from webclient.domain.model import Call, CallKind, Json, Report, Then, Via, new_id, now
from webclient.store import Store
from webclient.store.calls.calls import LONG_ARGUMENTS

pytestmark = pytest.mark.anyio

REPORT = Report(rule="r1", then=Then.ASK, instead_of=Then.RUN)


def a_call(minutes: int, **fields: object) -> Call:
    """Return a call of an agent that was made so many minutes ago."""
    at = now() - timedelta(minutes=minutes)
    return replace(ENDED_CALL, id=new_id(), withheld=(), **{"created_at": at, "updated_at": at} | fields)  # type: ignore[arg-type]


async def test_the_newest_are_those_of_tools_by_agents(store: Store) -> None:
    old, new = a_call(2), a_call(1)
    others = [a_call(0, via=Via.PAGE, agent=None), a_call(0, kind=CallKind.PROMPT), a_call(0, user_id="bob")]
    for call in (old, new, *others):
        await store.of(call.user_id).calls.add(call)
    found = store.of("ada").agent_calls
    assert [call.id for call in await found.newest(9)] == [new.id, old.id]
    assert [call.id for call in await found.newest(1)] == [new.id]


@pytest.mark.parametrize(
    ("given", "read"), [(None, {}), ({"path": "a"}, {"path": "a"}), ({"path": "a" * LONG_ARGUMENTS}, None)]
)
async def test_long_arguments_differ_from_none_at_all(store: Store, given: Json | None, read: Json | None) -> None:
    await store.of("ada").calls.add(a_call(0, arguments=given))
    assert [call.arguments for call in await store.of("ada").agent_calls.newest(9)] == [read]


async def test_reports_are_found_by_their_time(store: Store) -> None:
    old, new = a_call(60, reports=(REPORT,)), a_call(1, reports=(REPORT,))
    for call in (old, new, a_call(0, reports=()), a_call(0, reports=(REPORT,), user_id="bob")):
        await store.of(call.user_id).calls.add(call)
    found = await store.of("ada").agent_calls.reported(now() - timedelta(minutes=30), 9)
    assert [(call.id, call.agent, call.reports) for call in found] == [(new.id, "A", (REPORT,))]
    assert [call.id for call in await store.of("ada").agent_calls.reported(old.created_at, 1)] == [new.id]


async def test_the_reports_of_a_call_are_read_with_it(store: Store) -> None:
    call = a_call(0, reports=(REPORT,))
    await store.of("ada").calls.add(call)
    assert (await store.of("ada").calls.get(call.id)).reports == (REPORT,)
