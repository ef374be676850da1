"""The history has settled requests and ended calls, newest first, in pages, and can be searched."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from tests.store.rows import a_request
from webclient.model import (
    AskedBy,
    AskedDuring,
    Call,
    CallError,
    CallKind,
    CallState,
    Reason,
    ReasonCode,
    RequestState,
    Via,
)
from webclient.store import Store
from webclient.store.history import AT_ONCE, HistoryCursor, HistoryFilter, cursor_of, day_bounds

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
EVERYTHING = HistoryFilter()


async def settled(store: Store, minute: int = 0, **fields: object) -> str:
    """Keep a request that was settled in that minute after noon; return its id."""
    values = {"state": RequestState.ACCEPTED, "settled_at": NOON + timedelta(minutes=minute)}
    request = a_request(**(values | fields))
    await store.of(request.user_id).requests.add(request)
    return request.id


async def ended(store: Store, minute: int = 0, **fields: object) -> str:
    """Keep a call that ended in that minute after noon; return its id."""
    values: dict[str, object] = {
        "user_id": "ada",
        "server_id": "s1",
        "server_label": "travel",
        "kind": CallKind.TOOL,
        "name": "book",
        "state": CallState.DONE,
        "updated_at": NOON + timedelta(minutes=minute),
    }
    call = Call(**(values | fields))  # type: ignore[arg-type]
    await store.of(call.user_id).calls.add(call)
    return call.id


async def found(store: Store, **wanted: object) -> list[str]:
    """Return the ids of what fits, newest first."""
    page = await store.of("ada").history.page(HistoryFilter(**wanted), limit=1000)  # type: ignore[arg-type]
    return [entry.id for entry in page]


async def test_requests_and_calls_come_together_newest_first(store: Store) -> None:
    first = await settled(store, 1)
    second = await ended(store, 2)
    third = await settled(store, 3)
    await store.of("ada").requests.add(a_request())
    await ended(store, 4, state=CallState.RUNNING)
    await settled(store, 5, user_id="bob")
    assert await found(store) == [third, second, first]


@pytest.mark.parametrize("limit", [1, 2, 7])
async def test_pages_have_no_gap_between_entries_of_one_moment(store: Store, limit: int) -> None:
    made = {await settled(store, n // 5) for n in range(15)} | {await ended(store, n // 5) for n in range(15)}
    seen: list[str] = []
    before = None
    while page := await store.of("ada").history.page(EVERYTHING, before=before, limit=limit):
        assert len(page) <= limit
        seen += [entry.id for entry in page]
        before = HistoryCursor.read(str(cursor_of(page[-1])))
        await settled(store, 1000)  # what comes in meanwhile does not move the pages
    assert len(seen) == len(set(seen)) == len(made)
    assert set(seen) == made


async def test_everything_is_read_a_few_at_a_time(store: Store) -> None:
    made = [await settled(store, n) for n in range(2 * AT_ONCE + 1)]
    assert [entry.id async for entry in store.of("ada").history.all(EVERYTHING)] == made[::-1]


SAID_BY = AskedBy(label="Café 100%", address="http://127.0.0.1/mcp")
DURING = AskedDuring(kind=CallKind.TOOL, name="brew_tea")


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("CAFÉ", True),
        ("100%", True),
        ("10%0", False),
        ("brew_tea", True),
        ("brewXtea", False),
        ("sugar", True),
        ("STRASSE", True),
        ("tea sugar", True),
        ("tea salt", False),
        ("gave up kettle", True),
        ("gave {label}", False),
        ("\\", False),
        ("'; DROP TABLE requests; --", False),
        ("\0", True),
    ],
)
async def test_search_finds_label_call_message_and_reason(store: Store, text: str, fits: bool) -> None:
    request = await settled(
        store,
        asked_by=SAID_BY,
        during=DURING,
        params={"message": "Straße. How much sugar? \ud800"},
        reason=Reason.of(ReasonCode.SERVER_TIME_LIMIT, label="Kettle", duration=90),
    )
    assert await found(store, text=text) == [request] * fits


async def test_search_finds_a_call_and_its_error(store: Store) -> None:
    call = await ended(store, state=CallState.FAILED, error=CallError(message="Disk on Fire"))
    await ended(store)
    assert await found(store, text="disk on fire") == [call]
    assert await found(store, text="book travel fire") == [call]


async def test_each_filter_leaves_matching_entries(store: Store) -> None:
    yes = await settled(store, 1, via=Via.PAGE)
    no = await settled(store, 2, state=RequestState.DECLINED, via=Via.API, server_id="s2")
    cut = await settled(store, 3, state=RequestState.INTERRUPTED)
    call = await ended(store, 4, state=CallState.INTERRUPTED, via=Via.PAGE)
    assert await found(store, kind="request") == [cut, no, yes]
    assert await found(store, kind="call") == [call]
    assert await found(store, state="interrupted") == [call, cut]
    assert await found(store, state="accepted") == [yes]
    assert await found(store, state="done") == []
    assert await found(store, server_id="s2") == [no]
    assert await found(store, via=Via.PAGE) == [call, yes]
    assert await found(store, kind="call", state="accepted") == []


async def test_days_are_whole_and_both_included(store: Store) -> None:
    inside = [await settled(store, settled_at=datetime(2026, 5, day, 23, 59, 59, tzinfo=UTC)) for day in (1, 2)]
    await settled(store, settled_at=datetime(2026, 5, 3, tzinfo=UTC))
    since, until = day_bounds(date(2026, 5, 1), date(2026, 5, 2))
    assert await found(store, since=since, until=until) == inside[::-1]
    assert len(await found(store, until=day_bounds(None, date.max)[1])) == 3


@pytest.mark.parametrize("text", ["", "x", "1", "-", "9" * 40 + "-x", "nan-x", "1.5-x"])
def test_an_invalid_cursor_is_refused_or_harmless(text: str) -> None:
    try:
        assert HistoryCursor.read(text).moment.tzinfo is UTC
    except ValueError:
        return


async def test_removed_servers_have_their_last_label(store: Store) -> None:
    def by(label: str) -> AskedBy:
        return AskedBy(label=label, address="stdio: x")

    await settled(store, server_id="here")
    await settled(store, server_id="gone", asked_by=by("travel"), created_at=NOON)
    await settled(store, server_id="gone", asked_by=by("trips"), created_at=NOON + timedelta(days=1))
    await ended(store, server_id="gone", server_label="older", created_at=NOON - timedelta(days=1))
    await ended(store, server_id="only called", server_label="office")
    await settled(store, server_id="bobs", user_id="bob")
    await store.of("ada").requests.add(a_request(server_id="never answered"))
    labels = await store.of("ada").history.labels_of_removed(["here"])
    assert labels == {"gone": "trips", "only called": "office"}


async def test_the_count_is_the_number_of_entries_found(store: Store) -> None:
    for minute in range(3):
        await settled(store, minute)
        await ended(store, minute, state=CallState.FAILED)
    for wanted in (
        HistoryFilter(),
        HistoryFilter(kind="call"),
        HistoryFilter(state="failed"),
        HistoryFilter(since=NOON + timedelta(minutes=1)),
    ):
        assert await store.of("ada").history.count(wanted) == len(await store.of("ada").history.page(wanted, limit=10))
    assert await store.of("bob").history.count(HistoryFilter()) == 0
