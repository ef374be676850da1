"""A call changes until it has ended."""

from __future__ import annotations

import pytest

from webclient.domain.model import Call, CallKind, CallState, Json
from webclient.store import HistoryFilter, Store

pytestmark = pytest.mark.anyio


async def test_an_ended_call_does_not_change(store: Store) -> None:
    call = Call(user_id="ada", server_id="s1", server_label="travel", kind=CallKind.TOOL, name="book")
    await store.of(call.user_id).calls.add(call)
    assert await store.of(call.user_id).calls.change(call.id, state=CallState.CANCELLED)
    assert not await store.of(call.user_id).calls.change(call.id, state=CallState.DONE, result={})
    assert (await store.of("ada").calls.get(call.id)).state is CallState.CANCELLED


@pytest.mark.parametrize(("result", "failed"), [({"isError": True}, True), ({"isError": False}, False), ({}, False)])
async def test_a_call_without_its_result_tells_a_failed_tool(store: Store, result: Json, failed: bool) -> None:
    call = Call(user_id="ada", server_id="s1", server_label="travel", kind=CallKind.TOOL, name="book")
    await store.of("ada").calls.add(call)
    await store.of("ada").calls.change(call.id, state=CallState.DONE, result=result)
    [listed] = await store.of("ada").calls.find()
    [entry] = (await store.of("ada").history.page(HistoryFilter(), limit=1)).entries
    assert isinstance(entry, Call)
    assert [listed.result, entry.result] == [None, None]
    assert [listed.reports_error, entry.reports_error] == [failed, failed]


async def test_other_arguments_replace_a_secret_as_well(store: Store) -> None:
    call = Call(
        user_id="ada",
        server_id="s1",
        server_label="bank",
        kind=CallKind.TOOL,
        name="pay",
        arguments={"to": "DE12", "pin": "4711"},
        withheld=("pin",),
    )
    ada = store.of("ada").calls
    await ada.add(call)
    assert (await ada.get(call.id)).arguments == {"to": "DE12", "pin": "4711"}
    await ada.change(call.id, arguments={"to": "DE12"}, withheld=[])
    assert (await ada.get(call.id)).arguments == {"to": "DE12"}
