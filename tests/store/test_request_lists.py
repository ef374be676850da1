"""Lists of requests and calls: no parameters are read for rows, and pages end at their bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import event

from tests.store.rows import a_request, listed
from webclient.domain.model import Call, CallContext, CallKind, CallState, Delivery, InputRequest, RequestState, now
from webclient.store import HistoryFilter, Store, Wanted
from webclient.store.database.sizes import PAGE_BYTES, about_size, fitting

pytestmark = pytest.mark.anyio

LONG = 300_000
SHORT_CALL = re.compile(r"CASE WHEN \(requests\.other_size <= .+?\) THEN requests\.during END")
"""The call of a request, which lists read if it is short."""
CALL = Call(user_id="ada", server_id="s1", server_label="trips", kind=CallKind.TOOL, name="book")


def long_request(number: int, **fields: object) -> InputRequest:
    """Return a question of a third of a page."""
    params = {"message": f"  {number} {'x' * LONG}"}
    return a_request(params=params, created_at=now() + timedelta(seconds=number), **fields)


@contextmanager
def statements(store: Store) -> Iterator[list[str]]:
    """Collect the statements that are executed in the block."""
    found: list[str] = []
    engine = store._database.engine

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        found.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(engine, "before_cursor_execute", note)


async def test_lists_read_no_parameters(store: Store) -> None:
    hers = store.of("ada")
    await hers.requests.add(*(long_request(number) for number in range(3)), long_request(4, call_id="c1"))
    with statements(store) as read:
        rows = await hers.inbox.read(250, now(), 10)
        await hers.inbox.of_calls(["c1"])
        await hers.request_lists.pending_from("s1")
        await hers.request_lists.of_call("c1")
        await hers.request_lists.without_call("s1", now(), now())
        await hers.request_lists.by_ids(["r1"])
        await hers.changes.read_listed(["r1"], ["c1"])
        await hers.rounds.pending(["c1"])
        await store.system.due(now(), now())
    whole = ("params", "content", "during", "secrets", "arguments")
    columns = [SHORT_CALL.sub("", each.partition(" FROM ")[0]) for each in read if each.startswith("SELECT requests.")]
    assert columns
    assert [each for each in columns if any(f"requests.{name}" in each for name in whole)] == []
    assert rows.open_count == 4
    assert {len(each.words) for each in rows.found} == {300}
    assert all(each.size > LONG for each in rows.found)


async def test_a_row_says_the_same_as_its_request(store: Store) -> None:
    during = CallContext(kind=CallKind.TOOL, name="book", arguments={"to": "Lisbon" * 100})
    request = a_request(during=during, call_id="c1", round=1, total=2, possible_calls=("c1", "c2"))
    hers = store.of("ada")
    await hers.requests.add(request)
    await hers.requests.settle(request.id, to=RequestState.ACCEPTED, content={"a": "b" * 1000}, delivery=Delivery.SAVED)
    row = (await hers.request_lists.by_ids([request.id]))[request.id]
    assert replace(row, size=0) == replace(listed(await hers.requests.get(request.id)), during=None)
    assert row.size > 1600


async def test_a_row_has_the_arguments_of_a_short_call(store: Store) -> None:
    during = CallContext(kind=CallKind.TOOL, name="book", arguments={"to": "Lisbon"}, withheld=("key",))
    request = a_request(during=during, call_id="c1")
    hers = store.of("ada")
    await hers.requests.add(request, a_request(call_id="c1"))
    found = await hers.request_lists.of_call("c1")
    assert {row.id: row.during for row in found}.pop(request.id) == during
    assert [row.during for row in found if row.id != request.id] == [None]


async def test_a_row_says_whether_the_person_typed_something(store: Store) -> None:
    typed, filled, blank = [a_request(id=name) for name in ("typed", "filled", "blank")]
    hers = store.of("ada")
    await hers.requests.add(typed, filled, blank, prefills={"filled": {"a": ["b"]}})
    await store.of("bob").requests.add(replace(blank, id="his", user_id="bob"))
    await hers.drafts.save("typed", {"a": ["b"]})
    found = await hers.request_lists.pending_from("s1")
    assert {row.id for row in found if row.has_draft} == {"typed"}


async def test_a_page_ends_at_its_bytes(store: Store) -> None:
    hers = store.of("ada")
    requests = [long_request(number) for number in range(7)]
    await hers.requests.add(*requests)
    newest, is_more = await hers.request_lists.page(Wanted(), 100)
    assert ([each.id for each in newest], is_more) == ([each.id for each in requests[-3:]], True)
    found = newest
    while is_more:
        page, is_more = await hers.request_lists.page(Wanted(before=found[0]), 100)
        found = [*page, *found]
    assert found == requests


async def test_a_page_has_at_least_one_entry(store: Store) -> None:
    hers = store.of("ada")
    await hers.requests.add(*(a_request(params={"message": "x" * 2 * PAGE_BYTES}) for _each in range(2)))
    page, is_more = await hers.request_lists.page(Wanted(), 100)
    assert (len(page), is_more) == (1, True)


async def test_pages_of_calls_end_at_their_bytes(store: Store) -> None:
    hers = store.of("ada")
    for number in range(4):
        await hers.calls.add(replace(CALL, id=f"c{number}", arguments={"x": "y" * LONG}, created_at=now()))
        await hers.calls.change(f"c{number}", state=CallState.DONE, result={"text": "z" * LONG})
    assert len((await hers.calls.page())[0]) == 3
    page, is_more = await hers.calls.page(with_results=True)
    assert ([each.id for each in page], is_more) == (["c3"], True)
    assert page[0].result == {"text": "z" * LONG}
    # A list of rows does without what is long.
    assert [each.arguments for each in await hers.calls.find()] == [None] * 4
    assert len((await hers.history.page(HistoryFilter(), limit=50)).entries) == 3
    assert len((await hers.history.page(HistoryFilter(), limit=50, with_results=True)).entries) == 1
    assert len([entry async for entry in hers.history.all(HistoryFilter())]) == 4


def test_sizes_are_about_those_of_json() -> None:
    assert about_size(None) == 4
    assert 100_000 < about_size({"a": ["x" * 100_000, {"b": 1}]}) < 100_100
    assert [fitting(sizes, 10) for sizes in ([], [20], [20, 1], [5, 5, 1], [1] * 9)] == [0, 1, 1, 2, 9]
