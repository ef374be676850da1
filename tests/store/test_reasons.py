"""Reasons are stored as codes with parameters, and found by the words of their sentences."""

from __future__ import annotations

import pytest

from tests.store.conftest import TestDatabase
from tests.store.rows import a_request
from tests.toy_language import Loud
from webclient.domain import i18n
from webclient.domain.model import (
    Call,
    CallError,
    CallKind,
    CallState,
    Era,
    InputRequest,
    Reason,
    ReasonCode,
    RequestState,
)
from webclient.store import Store
from webclient.store.requests.history import HistoryFilter
from webclient.web.http.filters import shown

pytestmark = pytest.mark.anyio

LIMIT = Reason.of(ReasonCode.SERVER_TIME_LIMIT, label="Zoë's kettle", duration=90)


async def withdrawn(store: Store) -> InputRequest:
    request = a_request()
    await store.of("ada").requests.add(request)
    settled = await store.of("ada").requests.settle(request.id, to=RequestState.WITHDRAWN, reason=LIMIT)
    assert settled
    return settled


async def test_a_reason_comes_back_from_the_store_as_it_was(store: Store) -> None:
    assert (await store.of("ada").requests.get((await withdrawn(store)).id)).reason == LIMIT


async def test_a_stored_reason_is_shown_in_the_language_of_each_reader(store: Store, database: TestDatabase) -> None:
    request = await withdrawn(store)
    with i18n.speaking(Loud()):
        assert shown((await store.of("ada").requests.get(request.id)).reason).startswith("Zoë's kettle GAVE UP AFTER")
        assert await _ids(store, "GAVE kettle") == [request.id]
    assert shown((await store.of("ada").requests.get(request.id)).reason).startswith("Zoë's kettle gave up after")
    assert await _ids(store, "gave ZOË") == [request.id]
    [row] = database.run("SELECT reason_code FROM requests")
    assert row == ("server_time_limit",)


async def _ids(store: Store, text: str) -> list[str]:
    page = await store.of("ada").history.page(HistoryFilter(text=text), limit=10)
    return [entry.id for entry in page.entries]


async def a_call(store: Store, error: CallError) -> str:
    call = Call(user_id="ada", server_id="s1", server_label="travel", kind=CallKind.TOOL, name="book")
    await store.of("ada").calls.add(call)
    assert await store.of("ada").calls.change(call.id, state=CallState.FAILED, error=error)
    return call.id


@pytest.mark.parametrize(
    "error",
    [
        CallError(code=-32603, message="disk on fire", data={"disk": [1, None]}),
        CallError(reason=LIMIT, code=0, message="timed out", gave_up=True),
        CallError(reason=Reason(ReasonCode.CALL_CANCELLED)),
        CallError(reason=Reason.of(ReasonCode.PUSH_NOT_ALLOWED, modern="a", push="b"), reconnect_with=Era.PUSH),
    ],
)
async def test_an_error_of_a_call_comes_back_from_the_store_as_it_was(store: Store, error: CallError) -> None:
    assert (await store.of("ada").calls.get(await a_call(store, error))).error == error


async def test_a_call_is_found_by_its_reason_and_server_message(store: Store) -> None:
    call_id = await a_call(store, CallError(reason=LIMIT, message="Disk on Fire"))
    for text in ("gave up", "ZOË", "disk FIRE", "book gave fire kettle"):
        assert await _ids(store, text) == [call_id], text
    with i18n.speaking(Loud()):
        assert await _ids(store, "GAVE UP") == [call_id]
    assert await _ids(store, "muted") == []
