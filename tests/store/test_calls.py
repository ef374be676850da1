"""A call changes until it has ended."""

from __future__ import annotations

import pytest

from webclient.model import Call, CallKind, CallState
from webclient.store import Store

pytestmark = pytest.mark.anyio


async def test_an_ended_call_does_not_change(store: Store) -> None:
    call = Call(user_id="ada", server_id="s1", server_label="travel", kind=CallKind.TOOL, name="book")
    await store.of(call.user_id).calls.add(call)
    assert await store.of(call.user_id).calls.change(call.id, state=CallState.CANCELLED)
    assert not await store.of(call.user_id).calls.change(call.id, state=CallState.DONE, result={})
    assert (await store.of("ada").calls.get(call.id)).state is CallState.CANCELLED
