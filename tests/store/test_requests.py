"""Requests are found, counted, and settled by exactly one caller."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from tests.store.conftest import TestDatabase
from tests.store.rows import a_request
from webclient.domain.model import (
    ACTING,
    Action,
    Actor,
    AnswerWebhook,
    AuditAction,
    CallContext,
    CallKind,
    Delivery,
    InputRequest,
    Json,
    Origin,
    Reason,
    ReasonCode,
    RequesterIds,
    RequestState,
    Via,
    acting,
    now,
)
from webclient.inbox.inbox import _delivery_of as delivery_of
from webclient.store import Store, Wanted

pytestmark = pytest.mark.anyio


async def test_a_request_is_read_as_it_was_written(store: Store) -> None:
    during = CallContext(kind=CallKind.TOOL, name="book", arguments={"a": [1, 2.5, None]})
    request = a_request(during=during, call_id="c1", round=2, position=1, total=3, expires_at=now())
    await store.of(request.user_id).requests.add(request)
    assert await store.of("ada").requests.get(request.id) == request


async def test_exactly_one_of_many_settlements_wins(store: Store) -> None:
    request = a_request()
    await store.of(request.user_id).requests.add(request)
    states = (RequestState.ACCEPTED, RequestState.DECLINED, RequestState.WITHDRAWN) * 5
    settled = await asyncio.gather(*(store.of("ada").requests.settle(request.id, to=state) for state in states))
    [winner] = [each for each in settled if each]
    assert winner == await store.of("ada").requests.get(request.id)
    assert winner.state is states[settled.index(winner)]


async def test_a_decision_stays_with_its_request_until_undone(store: Store) -> None:
    request = a_request()
    until = now() + timedelta(seconds=8)
    ada = store.of("ada").requests
    await ada.add(request)
    [listed] = await ada.decide([request.id], Action.DECLINE, until)
    decided = await ada.get(request.id)
    assert (listed.id, listed.decided, listed.undo_until) == (decided.id, decided.decided, decided.undo_until)
    assert (decided.state, decided.decided, decided.undo_until) == (RequestState.PENDING, Action.DECLINE, until)
    assert await store.system.decided() == [decided]
    assert await ada.count_pending() == {}
    assert [each.decided for each in await ada.undo([request.id])] == [None]
    assert await ada.get(request.id) == request
    assert await ada.count_pending() == {request.server_id: 1}
    assert await store.system.decided() == []


async def test_a_settled_request_is_neither_decided_nor_undone(store: Store) -> None:
    request = a_request()
    ada = store.of("ada").requests
    await ada.add(request)
    await ada.decide([request.id], Action.DECLINE, now())
    await ada.settle(request.id, to=RequestState.WITHDRAWN)
    assert await store.system.decided() == []
    assert await ada.decide([request.id], Action.CANCEL, now()) == []
    assert await ada.undo([request.id]) == []


async def test_only_a_pending_request_gets_more_time(store: Store) -> None:
    deadline, later = now() + timedelta(hours=1), now() + timedelta(days=1)
    pending, without, settled = a_request(expires_at=deadline), a_request(), a_request(expires_at=deadline)
    ada = store.of("ada").requests
    await ada.add(pending, without, settled)
    await ada.settle(settled.id, to=RequestState.DECLINED)
    extended = await ada.extend(pending.id, later)
    assert extended
    assert extended.expires_at == later
    assert await ada.extend(settled.id, later) is None
    assert (await ada.get(settled.id)).expires_at == deadline
    # A request that waits for ever gets no end.
    assert await ada.extend(without.id, later) is None


DECLINED: dict[str, dict[str, object]] = {
    "pushed": {"origin": Origin.PUSHED},
    "alone in a round": {"origin": Origin.ROUND, "call_id": "c1"},
    "with others in a round": {"origin": Origin.ROUND, "call_id": "c1", "total": 2},
    "required": {"origin": Origin.REQUIRED, "call_id": "c1"},
    "hosted": {"origin": Origin.HOSTED, "ids": RequesterIds(hosted_task_id="h1")},
    "from a program": {"origin": Origin.PROGRAM, "ids": RequesterIds(hosted_task_id="h1")},
    "with a remark": {"reason": Reason(ReasonCode.CALL_ENDED_EARLY)},
    "with a message": {},
    "approval with a secret": {
        "kind": "approval",
        "origin": Origin.APPROVAL,
        "params": {"tool": {"name": "pay"}, "arguments": {"to": "DE12", "pin": "4711"}},
        "withheld": ["pin"],
    },
}


@pytest.mark.parametrize("how", DECLINED)
async def test_declining_with_others_is_as_declining_alone(store: Store, database: TestDatabase, how: str) -> None:
    alone, one, other = requests = [a_request(**DECLINED[how]) for _ in range(3)]
    message = "Not today" if how == "with a message" else None
    ada = store.of("ada")
    await ada.requests.add(*requests)
    for each in requests:
        if each.origin is Origin.PROGRAM:
            await ada.answer_webhooks.begin(AnswerWebhook(request_id=each.id, user_id="ada", secrets={"url": "x"}), 9)
        await ada.drafts.save(each.id, {"f0": ["typed"]})
    await ada.requests.decide([each.id for each in requests], Action.DECLINE, now(), message=message)
    delivery = delivery_of(alone)
    with acting(Actor(user_id="ada", way="proxy", address="10.1.2.3")):
        settled = await ada.requests.settle(
            alone.id, to=RequestState.DECLINED, message=message, delivery=delivery, via=Via.PAGE
        )
        declined = await ada.requests.decline({delivery: [one.id, other.id]}, via=Via.PAGE)
    assert settled == await ada.requests.get(alone.id)
    assert [each.id for each in declined] == [one.id, other.id]

    def rows(table: str, column: str, request: InputRequest) -> list[dict[str, Any]]:
        found = database.run(f"SELECT * FROM {table} WHERE {column} = :id", id=request.id)  # noqa: S608
        own = {"id", column, "secrets", "created_at", "settled_at", "undo_until", "updated_at", "next_at", "at"}
        return [
            {name: value for name, value in row._mapping.items() if name not in own}
            | {name: bool(row._mapping[name]) for name in ("settled_at", "next_at") if name in row._mapping}
            for row in found
        ]

    tables = {"requests": "id", "answer_webhooks": "request_id", "drafts": "request_id", "audit": "object"}
    for table, column in tables.items():
        of_alone = rows(table, column, alone)
        assert len(of_alone) == (table != "answer_webhooks" or alone.origin is Origin.PROGRAM)
        assert [rows(table, column, each) for each in (one, other)] == [of_alone] * 2
    assert declined == [await ada.requests.get(each.id) for each in (one, other)]


async def test_only_pending_requests_are_declined_with_others(store: Store) -> None:
    pending, ended, foreign = a_request(), a_request(), a_request(user_id="bob")
    ada, bob = store.of("ada").requests, store.of("bob").requests
    await ada.add(pending, ended)
    await bob.add(foreign)
    await ada.settle(ended.id, to=RequestState.WITHDRAWN)
    ids: dict[Delivery | None, list[str]] = {Delivery.SENDING: [pending.id, ended.id, foreign.id]}
    assert [each.id for each in await ada.decline(ids, via=Via.API)] == [pending.id]
    assert await ada.decline(ids, via=Via.API) == []
    assert (await ada.get(ended.id)).state is RequestState.WITHDRAWN
    assert (await bob.get(foreign.id)).pending


@pytest.mark.parametrize("how", ["declined", "declined with others", "withdrawn", "all withdrawn"])
async def test_an_approval_that_ends_leaves_no_secret(
    store: Store, database: TestDatabase, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scrubbed: list[object] = []
    for place in ("requests.requests", "database.secrets"):
        monkeypatch.setattr(f"webclient.store.{place}.scrub_after", scrubbed.append)
    ada, request = store.of("ada").requests, a_request(**DECLINED["approval with a secret"])
    await ada.add(request)
    assert (await ada.get(request.id)).params["arguments"]["pin"] == "4711"
    withdrawn = RequestState.WITHDRAWN, Reason(ReasonCode.CALL_ENDED_EARLY)
    if how == "declined":
        await ada.settle(request.id, to=RequestState.DECLINED, via=Via.PAGE)
    elif how == "declined with others":
        await ada.decline({None: [request.id]}, via=Via.PAGE)
    elif how == "withdrawn":
        await ada.settle(request.id, to=withdrawn[0], reason=withdrawn[1])
    else:
        await ada.end_all([request.id], *withdrawn)
    assert database.run("SELECT id FROM requests WHERE secrets IS NOT NULL") == []
    assert (await ada.get(request.id)).params["arguments"] == {"to": "DE12", "pin": None}
    assert len(scrubbed) == 1


async def answered_with_a_secret(store: Store, origin: Origin, call_id: str = "c1") -> InputRequest:
    """Return an answered request of a call, which still needs its secret."""
    request = a_request(call_id=call_id, origin=origin)
    await store.of("ada").requests.add(request)
    content = {"name": "Ada", "pin": "4711"}
    settled = await store.of("ada").requests.settle(
        request.id,
        to=RequestState.ACCEPTED,
        content=content,
        withheld=["pin"],
        secrets_for=call_id,
        delivery=Delivery.SENDING,
    )
    assert settled
    assert settled.content == content
    return settled


@pytest.mark.parametrize("whole_round", [False, True])
async def test_a_delivered_answer_has_no_secret_left(
    store: Store, database: TestDatabase, *, whole_round: bool
) -> None:
    ada = store.of("ada").requests
    request = await answered_with_a_secret(store, Origin.ROUND)

    async def deliver(delivery: Delivery) -> list[str]:
        deliver = ada.deliver_rounds("c1", delivery) if whole_round else ada.deliver([request.id], delivery)
        return await deliver

    def secrets() -> int:
        return len(database.run("SELECT id FROM requests WHERE secrets IS NOT NULL"))

    # What was not delivered may have to be sent again, and may turn out to have arrived.
    assert await deliver(Delivery.SENDING) == [request.id]
    assert await deliver(Delivery.UNKNOWN) == [request.id]
    assert await deliver(Delivery.FAILED) == []
    assert secrets() == 1
    assert await deliver(Delivery.DELIVERED) == [request.id]
    assert secrets() == 0
    assert (await ada.get(request.id)).content == {"name": "Ada", "pin": None}


async def test_an_answer_of_a_person_is_in_the_audit_trail(store: Store) -> None:
    answered, withdrawn, late = a_request(), a_request(), a_request()
    ada = store.of("ada").requests
    await ada.add(answered, withdrawn, late)
    token = ACTING.set(Actor(user_id="ada", way="proxy", address="10.1.2.3"))
    try:
        await ada.settle(answered.id, to=RequestState.DECLINED, via=Via.PAGE)
        await ada.settle(answered.id, to=RequestState.ACCEPTED, via=Via.PAGE)
        await ada.settle(withdrawn.id, to=RequestState.WITHDRAWN)
    finally:
        ACTING.reset(token)
    [entry] = [each for each in await store.audit.newest() if each.action is AuditAction.ANSWERED]
    assert (entry.object, entry.outcome, entry.user_id) == (answered.id, RequestState.DECLINED, "ada")
    assert (entry.way, entry.address) == ("proxy", "10.1.2.3")


async def test_find_filters_requests_oldest_first(store: Store) -> None:
    moments = [now() + timedelta(seconds=n) for n in range(3)]
    requests = [a_request(created_at=moment, server_id=f"s{n}", call_id="c1") for n, moment in enumerate(moments)]
    for request in reversed(requests):
        await store.of(request.user_id).requests.add(request)
    await store.of("ada").requests.settle(requests[2].id, to=RequestState.DECLINED)
    assert await store.of("ada").requests.find(state=RequestState.PENDING, call_id="c1") == requests[:2]
    assert await store.of("ada").requests.find(server_id="s1") == [requests[1]]
    assert await store.of("ada").requests.count_pending() == {"s0": 1, "s1": 1}


async def test_older_requests_are_found_before_one_of_them(store: Store) -> None:
    # Also of one moment, where the position and the id decide.
    moment, ada = now(), store.of("ada").requests
    requests = [a_request(id=f"r{n}", created_at=moment, position=n // 2) for n in range(6)]
    await ada.add(*requests)
    assert await ada.find() == requests
    lists = store.of("ada").request_lists
    assert await lists.page(Wanted(before=requests[4]), 4) == (requests[:4], False)
    assert await lists.page(Wanted(before=requests[4]), 3) == (requests[1:4], True)
    pending = Wanted(state=RequestState.PENDING, before=requests[4])
    assert await lists.page(pending, 3) == (requests[1:4], True)
    assert await ada.by_ids(["r1", "r5", "unknown"]) == {"r1": requests[1], "r5": requests[5]}


async def test_requests_that_may_belong_to_a_call_are_found_with_it(store: Store) -> None:
    began = now()
    sure = a_request(call_id="c1", created_at=began)
    possible = a_request(possible_calls=("c0", "c1"), created_at=began + timedelta(seconds=1))
    others = [a_request(possible_calls=("c11",)), a_request(), a_request(call_id="c2")]
    foreign = a_request(user_id="bob", possible_calls=("c1",))
    for request in (sure, possible, *others, foreign):
        await store.of(request.user_id).requests.add(request)
    assert await store.of("ada").requests.find(call_id="c1") == [sure]
    both = Wanted(call_id="c1", possible=True)
    assert await store.of("ada").request_lists.page(both, 10) == ([sure, possible], False)


async def test_requests_without_a_call_are_found_in_their_time(store: Store) -> None:
    since, ada = now(), store.of("ada").requests
    inside = [a_request(created_at=since + timedelta(seconds=n)) for n in (0, 5, 10)]
    outside = [a_request(created_at=since + timedelta(seconds=n)) for n in (-1, 11)]
    other = [a_request(call_id="c1", created_at=since), a_request(server_id="s2", created_at=since)]
    await ada.add(*inside, *outside, *other)
    until = since + timedelta(seconds=10)
    lists, ids = store.of("ada").request_lists, [each.id for each in inside]
    assert [each.id for each in await lists.without_call("s1", since, until)] == ids
    assert [each.id for each in await lists.without_call("s1", since, until, limit=2)] == ids[:2]


async def test_a_delivered_round_is_of_one_call_alone(store: Store) -> None:
    requests = [
        await answered_with_a_secret(store, origin, call_id)
        for origin, call_id in ((Origin.ROUND, "c1"), (Origin.TASK, "c1"), (Origin.ROUND, "c2"), (Origin.PUSHED, "c1"))
    ]
    delivered = await store.of("ada").requests.deliver_rounds("c1", Delivery.FAILED)
    assert sorted(delivered) == sorted(each.id for each in requests[:2])
    found = [(await store.of("ada").requests.get(each.id)).delivery for each in requests]
    assert found == [Delivery.FAILED, Delivery.FAILED, Delivery.SENDING, Delivery.SENDING]


async def test_only_a_pending_request_is_remarked(store: Store) -> None:
    pending, settled, ada = a_request(), a_request(), store.of("ada").requests
    await ada.add(pending, settled)
    await ada.settle(settled.id, to=RequestState.DECLINED)
    reason = Reason(ReasonCode.CALL_OVER)
    assert [await ada.remark(each.id, reason) for each in (pending, settled)] == [True, False]
    assert [(await ada.get(each.id)).reason_code for each in (pending, settled)] == [ReasonCode.CALL_OVER, None]
    await ada.recount(settled.id, 7)
    assert [(await ada.get(each.id)).count for each in (pending, settled)] == [1, 7]


async def test_a_request_of_another_user_is_not_added(store: Store) -> None:
    with pytest.raises(ValueError, match="bob"):
        await store.of("ada").requests.add(a_request(user_id="bob"))


async def test_pending_requests_are_counted_and_measured(store: Store) -> None:
    for state, server_id, user_id in [
        (RequestState.PENDING, "s1", "ada"),
        (RequestState.PENDING, "s1", "ada"),
        (RequestState.DECLINED, "s1", "ada"),
        (RequestState.PENDING, "s2", "ada"),
        (RequestState.PENDING, "s1", "bob"),
    ]:
        await store.of(user_id).requests.add(
            a_request(state=state, server_id=server_id, user_id=user_id, params={"a": "x"})
        )
    assert await store.of("ada").requests.pending_of("s1") == (2, 2 * len('{"a": "x"}'))
    assert await store.of("ada").requests.pending_of("s3") == (0, 0)
    assert await store.of("ada").requests.pending_of(None) == (3, 3 * len('{"a": "x"}'))
    # Without some, as for a request that takes the place of others.
    but = (await store.of("ada").requests.open_ids())[0]
    assert (await store.of("ada").requests.pending_of(None, but=[but]))[0] == 2
    assert (await store.of("ada").requests.pending_of("s1", but=[but, "unknown"]))[0] == 1


def a_link(elicitation_id: str, message: str = "Read our terms.") -> Json:
    return {"mode": "url", "url": "https://example.com/", "message": message, "elicitationId": elicitation_id}


async def test_earlier_declines_count_for_the_same_server(store: Store) -> None:
    declined = RequestState.DECLINED
    reordered = {"requestedSchema": {"x-extra": [1, None], "type": "object"}, "message": "née ☃", "mode": "form"}
    for row in [
        a_request(state=declined),
        a_request(state=declined, params=reordered),
        a_request(state=RequestState.CANCELLED),
        a_request(state=declined, user_id="bob"),
        a_request(state=declined, server_id="s2"),
        a_request(state=declined, params={"message": "another"}),
        a_request(state=declined, kind="url", params=a_link("e1")),
    ]:
        await store.of(row.user_id).requests.add(row)
    again, new = a_request(), a_request(params={"message": "new"})
    link = a_request(kind="url", params=a_link("e2"))
    other_words = a_request(kind="url", params=a_link("e3", message="CONFIRM: pay 5,000 EUR"))
    pending = [again, new, link, other_words]
    assert (await store.of("ada").changes.around_cards([], pending)).declines == {again.id: 2, link.id: 1}
    assert (await store.of("ada").changes.around_cards([], [])).declines == {}
