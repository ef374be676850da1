"""The history has settled requests and ended calls, newest first, in pages, and can be searched."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.store.rows import a_request
from webclient.domain.model import (
    Call,
    CallContext,
    CallError,
    CallKind,
    CallState,
    Reason,
    ReasonCode,
    Requester,
    RequestState,
    Via,
    now,
)
from webclient.store import Store
from webclient.store.database.search import LONGEST_VALUES, result_text_of, values_text_of
from webclient.store.requests import history
from webclient.store.requests.history import AT_ONCE, HistoryCursor, HistoryFilter, HistoryPage, day_bounds

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
    return [entry.id for entry in page.entries]


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
    page = HistoryPage([], HistoryCursor(NOON + timedelta(days=1), ""))
    while page.next:
        page = await store.of("ada").history.page(EVERYTHING, before=HistoryCursor.read(str(page.next)), limit=limit)
        assert len(page.entries) <= limit
        seen += [entry.id for entry in page.entries]
        await settled(store, 1000)  # what comes in meanwhile does not move the pages
    assert len(seen) == len(set(seen)) == len(made)
    assert set(seen) == made


async def test_the_history_is_read_a_few_entries_at_a_time(store: Store) -> None:
    made = [await settled(store, n) for n in range(2 * AT_ONCE + 1)]
    assert [entry.id async for entry in store.of("ada").history.all(EVERYTHING)] == made[::-1]


SAID_BY = Requester(label="Café 100%", address="http://127.0.0.1/mcp")
DURING = CallContext(kind=CallKind.TOOL, name="brew_tea")


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
    def by(label: str) -> Requester:
        return Requester(label=label, address="stdio: x")

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
        page = await store.of("ada").history.page(wanted, limit=10)
        assert await store.of("ada").history.count(wanted) == len(page.entries)
    assert await store.of("bob").history.count(HistoryFilter()) == 0


async def test_search_finds_arguments_answers_and_results(store: Store) -> None:
    call = await ended(store, 1, arguments={"city": "Lisbon", "nights": 3, "notes": {"deep": ["Fado"]}})
    result = {"content": [{"type": "text", "text": "Booked at the Castelo"}, {"type": "image", "data": "UmVzdWx0"}]}
    running = await ended(store, state=CallState.RUNNING)
    await store.of("ada").calls.change(running, state=CallState.DONE, result=result)
    request = await settled(store, 2, content={"name": "Ada Lovelace", "guests": 4711})
    for text, id_ in (
        ("lisbon", call),
        ("NIGHTS 3", call),
        ("fado", call),
        ("castelo", running),
        ("lovelace", request),
    ):
        assert await found(store, text=text) == [id_]
    assert await found(store, text="4711 guests") == [request]
    for text in ("UmVzdWx0", "content", "image"):
        assert await found(store, text=text) == []


async def test_search_finds_the_answer_of_a_request_but_no_secret(store: Store) -> None:
    request = a_request()
    await store.of("ada").requests.add(request)
    content = {"name": "Ada", "password": "hunter2"}
    await store.of("ada").requests.settle(
        request.id, to=RequestState.ACCEPTED, content=content, withheld=["password"], secrets_for="c1"
    )
    call = await ended(store, arguments={"user": "Grace", "token": "hunter3"}, withheld=("token",))
    assert await found(store, text="ada") == [request.id]
    assert await found(store, text="grace") == [call]
    assert await found(store, text="hunter") == []


async def test_erased_values_are_not_found(store: Store) -> None:
    await settled(store, content={"name": "Lovelace"})
    await ended(store, arguments={"city": "Lisbon"}, result={"content": [{"type": "text", "text": "Castelo"}]})
    await store.system.erase_values(NOON + timedelta(days=1))
    assert [await found(store, text=text) for text in ("lovelace", "lisbon", "castelo")] == [[], [], []]
    assert len(await found(store, text="travel")) == 2


async def test_a_call_whose_tool_failed_is_failed_and_not_done(store: Store) -> None:
    fine = await ended(store, 1)
    tool_failed = await ended(store, 2, tool_failed=True)
    failed = await ended(store, 3, state=CallState.FAILED)
    assert await found(store, state="failed") == [failed, tool_failed]
    assert await found(store, state="done") == [fine]


async def test_a_nested_page_has_only_requests_whose_call_is_not_found(store: Store) -> None:
    call = await ended(store, 9, name="brew")
    inside = await settled(store, 1, call_id=call, params={"message": "Milk?"})
    await settled(store, 2, call_id=call)
    running = await ended(store, state=CallState.RUNNING)
    alone = [await settled(store, 3), await settled(store, 4, call_id=running), await settled(store, 5, call_id="gone")]
    assert await found(store, nested=True) == [call, *reversed(alone)]
    assert await found(store, nested=True, text="milk") == [inside]
    assert await found(store, nested=True, text="brew") == [call]
    assert await found(store, nested=True, kind="request", text="milk") == [inside]


@pytest.mark.parametrize("wanted", [{"text": "needle"}, {"state": "declined"}, {"nested": True, "text": "needle"}])
async def test_a_search_looks_at_so_many_entries_and_goes_on(
    store: Store, monkeypatch: pytest.MonkeyPatch, wanted: dict[str, Any]
) -> None:
    monkeypatch.setattr(history, "SEARCHED", 5)
    needle = {"params": {"message": "Needle"}, "state": RequestState.DECLINED}
    needles = {await settled(store, minute, **needle) for minute in (0, 3, 11)}
    for minute in range(12):
        await settled(store, minute)
        await ended(store, minute // 2)
    seen: list[str] = []
    page = HistoryPage([], HistoryCursor(NOON + timedelta(days=1), ""))
    pages = 0
    while page.next:
        page = await store.of("ada").history.page(HistoryFilter(**wanted), before=page.next, limit=10)
        assert (page.reached is None) is (page.next is None)
        seen += [entry.id for entry in page.entries]
        pages += 1
    assert (len(seen), set(seen)) == (3, needles)
    assert pages > 3
    assert {entry.id async for entry in store.of("ada").history.all(HistoryFilter(**wanted))} == needles


async def test_so_many_entries_are_counted_and_no_more(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "COUNTED", 3)
    for minute in range(5):
        await settled(store, minute)
    assert await store.of("ada").history.count(EVERYTHING) == 4


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, {"B": "ß"}], "c": None, "d": True}, "a 1 b ss c d"),
        ("x" * 9_000, "x" * LONGEST_VALUES),
        ([["y"]] * 9_000, " ".join("y" * (LONGEST_VALUES // 2))),
        ({"\0": "\ud800"}, "  ?"),
        (None, ""),
    ],
)
def test_the_text_of_values_has_names_and_values_in_order(value: Any, text: str) -> None:
    assert values_text_of(value) == text
    assert values_text_of([[value]] if value else value) == text


def test_the_text_of_a_result_has_all_that_a_person_reads() -> None:
    block = {"type": "text", "text": "One"}
    link = {"type": "resource_link", "uri": "x:y", "name": "Two"}
    inside = {"type": "resource", "resource": {"uri": "x:z", "text": "Three", "blob": "AAAA"}}
    for result in (
        {"content": [block, "junk", link, inside]},
        {"messages": [{"role": "user", "content": block}, {"role": "user", "content": [link, inside]}, 7]},
    ):
        assert result_text_of(result) == "one two x:y x:z three"
    assert result_text_of({"contents": [inside["resource"]], "structuredContent": {"n": 4}}) == "x:z three n 4"
    odd: list[Any] = [None, {}, {"content": "x"}, {"messages": {}}]
    assert [result_text_of(each) for each in odd] == ["", "", "", ""]


def test_deep_values_are_read_without_recursion() -> None:
    deep: Any = "end"
    for _ in range(100_000):
        deep = [deep]
    assert values_text_of(deep) == "end"


def test_days_begin_and_end_in_the_zone_of_the_person() -> None:
    since, until = day_bounds(date(2026, 3, 29), date(2026, 3, 29), ZoneInfo("Europe/Berlin"))
    assert since == datetime(2026, 3, 28, 23, tzinfo=UTC)
    assert until == datetime(2026, 3, 29, 22, tzinfo=UTC)
    for zone in (ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Pacific/Niue")):
        for day in (date.min, date.max, date.max - timedelta(days=1)):
            day_bounds(day, day, zone)


async def test_a_reason_for_a_decline_is_found_until_it_is_erased(store: Store) -> None:
    request = a_request()
    await store.of("ada").requests.add(request)
    await store.of("ada").requests.settle(request.id, to=RequestState.DECLINED, message="Castelo is closed")
    assert await found(store, text="castelo") == [request.id]
    await store.system.erase_values(now() + timedelta(days=1))
    assert await found(store, text="castelo") == []
    assert (await store.of("ada").requests.get(request.id)).decline_message is None


async def test_my_answers_are_those_that_the_person_gave_on_a_page(store: Store) -> None:
    accepted = await settled(store, 1, via=Via.PAGE)
    declined = await settled(store, 2, via=Via.PAGE, state=RequestState.DECLINED)
    opened = await settled(store, 3, via=Via.PAGE, kind="url", state=RequestState.WAITING)
    await settled(store, 4, via=Via.API)
    await settled(store, 5, via=Via.RULE)
    await settled(store, 6, via=None, state=RequestState.REFUSED)
    await settled(store, 7, via=Via.PAGE, state=RequestState.EXPIRED)  # its answer was being changed
    await settled(store, 8, via=Via.PAGE, user_id="bob")
    await settled(store, 9, via=Via.PAGE, state=RequestState.CANCELLED)
    await ended(store, 10, via=Via.PAGE)
    assert await found(store, mine=True) == [opened, declined, accepted]
    assert await store.of("ada").history.count(HistoryFilter(mine=True)) == 3
