"""The approvals of a user in the database: those of some days with what became of each, and the last alike."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.store.rows import a_request
from webclient.domain.insights import Decided, insights_of
from webclient.domain.model import (
    UNREAD,
    CallContext,
    CallKind,
    InputRequest,
    Reason,
    ReasonCode,
    Requester,
    RequesterKind,
    RequestState,
    now,
)
from webclient.store import Store

pytestmark = pytest.mark.anyio

BY = Requester(kind=RequesterKind.AGENT, label="My agent", address="", token_id="t1")


def an_approval(tool: str = "pay", **fields: object) -> InputRequest:
    """Return a question whether an agent's call may run."""
    params = {"tool": {"name": tool}, "arguments": {"to": "DE12"}}
    given = {"kind": "approval", "params": params, "asked_by": BY, "during": CallContext(kind=CallKind.TOOL, name=tool)}
    return a_request(**(given | fields))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = Store(tmp_path)
    await store.open()
    yield store
    await store.close()


async def put(store: Store, request: InputRequest, to: RequestState | None, **settled: object) -> InputRequest:
    """Add a question, and settle it."""
    await store.of("ada").requests.add(request)
    if to is None:
        return request
    done = await store.of("ada").requests.settle(request.id, to=to, **settled)  # type: ignore[arg-type]
    assert done
    return done


async def test_each_question_is_summed_by_its_end(store: Store) -> None:
    edited = Reason(ReasonCode.APPROVED_AS_EDITED)
    for to, settled in (
        (RequestState.ACCEPTED, {"content": {}, "looked_ms": UNREAD}),
        (RequestState.ACCEPTED, {"content": {}, "looked_ms": UNREAD + 1}),
        (RequestState.ACCEPTED, {"content": {}, "looked_ms": 1, "reason": edited}),
        (RequestState.ACCEPTED, {"reason": Reason(ReasonCode.ANSWERED_FOR_TOOL)}),
        (RequestState.DECLINED, {}),
        (RequestState.EXPIRED, {}),
        (RequestState.CANCELLED, {}),
        (None, {}),
    ):
        await put(store, an_approval(rule_id="r1", created_at=now() - timedelta(minutes=1)), to, **settled)
    await put(store, an_approval("look"), None)
    await put(store, a_request(), None)
    await put(store, an_approval(created_at=now() - timedelta(days=9)), None)
    await store.of("bob").requests.add(an_approval(user_id="bob"))
    found = insights_of(await store.of("ada").approvals.newest(now() - timedelta(days=2), 100))
    assert (found.total.requests, found.total.unread) == (9, 1)
    assert found.total.counts == dict.fromkeys(Decided, 1) | {Decided.APPROVED: 2, Decided.WAITING: 2}
    assert [(each.tool, each.agent, each.sum.requests) for each in found.tools] == [
        ("pay", "My agent", 8),
        ("look", "My agent", 1),
    ]
    assert [(each.rule_id, each.sum.requests) for each in found.rules] == [("r1", 8)]
    assert found.total.median
    assert timedelta(minutes=1) <= found.total.median < timedelta(minutes=2)


async def test_the_newest_questions_count_if_there_are_too_many(store: Store) -> None:
    for hours in (3, 1, 2):
        await put(store, an_approval(str(hours), created_at=now() - timedelta(hours=hours)), None)
    found = await store.of("ada").approvals.newest(now() - timedelta(days=1), 2)
    assert [each.tool for each in found] == ["1", "2"]


async def test_alike_decisions_come_in_the_order_they_were_made(store: Store) -> None:
    ids = [f"q{number}" for number in range(3)]
    await store.of("ada").requests.add(*(an_approval(id=each) for each in ids))
    for number, each in enumerate(reversed(ids)):
        await store.of("ada").requests.settle(each, to=RequestState.ACCEPTED, content={}, looked_ms=number * 2_000)
    last = await store.of("ada").requests.get(ids[0])
    found = await store.of("ada").approvals.decided_alike(last, timedelta(days=30), 2)
    assert [each.is_unread for each in found] == [False, True]


@pytest.mark.parametrize(
    "other",
    [
        {"server_id": "s2"},
        {"asked_by": replace(BY, token_id="t2")},
        {"user_id": "bob"},
        {"kind": "form"},
        {"tool": "look"},
    ],
    ids=", ".join,
)
async def test_only_decisions_on_such_calls_are_alike(store: Store, other: dict[str, object]) -> None:
    stranger = an_approval(**other)  # type: ignore[arg-type]
    await store.of(stranger.user_id).requests.add(stranger)
    await store.of(stranger.user_id).requests.settle(stranger.id, to=RequestState.ACCEPTED, content={})
    settled = await put(store, an_approval(), RequestState.ACCEPTED, content={}, looked_ms=5)
    found = await store.of("ada").approvals.decided_alike(settled, timedelta(days=30), 5)
    assert [each.is_unread for each in found] == [True]
