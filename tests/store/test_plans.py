"""Each query of the store finds its rows by an index, however long the history is.

The plans are those without statistics of the tables, because the program never collects any.
"""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from tests.store.rows import fill
from tests.store.user_methods import METHODS, Method, arguments_for
from webclient.domain.errors import NotFoundError
from webclient.domain.model import Person, Reason, ReasonCode, RequestState, now
from webclient.store import HistoryFilter, Store, UserFilter, Wanted
from webclient.store.database.sqlite import FILE, SQLite

pytestmark = pytest.mark.anyio

ROWS = 2_000

SORTED = {
    "changes.listed_at",
    "changes.read_listed",
    # Of what is open there is little, and each state has a part of the index to itself.
    "requests.open_ids",
    "calls.open_ids",
    # So is it with servers, drafts, opened links, and what was declined of the requests that are asked for.
    "servers.all",
    "tokens.all",
    "changes.at",
    "changes.read",
    "drafts.unsent",
    "links.opened",
    "requests.declines",
    # The few places to which a user's notices go.
    "notices.add_target",
    "notices.enqueue",
    "notices.targets",
    # The requests of the calls on one page.
    "requests_of_calls.settled",
    "requests_of_calls.unanswered",
}
"""Methods that sort or group what they have found."""


@contextmanager
def plans_of(store: Store) -> Iterator[list[str]]:
    """Collect the steps of the plans of all statements in the block."""
    steps: list[str] = []

    def explain(_connection: Any, cursor: Any, statement: str, parameters: Any, _context: object, many: bool) -> None:
        if statement.startswith(("SELECT", "UPDATE", "DELETE")):
            plan = cursor.connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters[0] if many else parameters)
            steps.extend(step for *_ids, step in plan)

    event.listen(store._database.engine, "before_cursor_execute", explain)
    try:
        yield steps
    finally:
        event.remove(store._database.engine, "before_cursor_execute", explain)


@pytest.fixture(scope="module")
async def filled(
    anyio_backend: str,  # noqa: ARG001
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Store]:
    folder: Path = tmp_path_factory.mktemp("plans")
    store = Store(folder)
    await store.open()
    with closing(SQLite(folder / FILE).connect(to_write=True)) as db, db.begin():
        fill(db, ROWS)
    yield store
    await store.close()


def scans(steps: list[str]) -> list[str]:
    """Return the steps that read a whole table, or all rows of a user."""
    # The index on possible calls has few rows of a user.
    whole = r"(SCAN (requests|calls)|SEARCH (requests|calls) .*(?<!_possible_calls) \(user_id=\?\))$"
    return [step for step in steps if re.match(whole, step)]


PAGES = {
    "calls.find",
    "calls.listed",
    "calls.page",
    "agent_calls.newest",
    "requests.find",
    "request_lists.page",
    "history.page",
    "history.all",
}
"""Methods that walk through the history, and stop when they have a page of it."""

WHOLE = {"history.count", "servers.all"}
"""Methods that read all rows that a user has."""


async def test_a_method_of_a_user_reads_no_whole_table(filled: Store) -> None:
    wrong = {}
    for method in METHODS:
        steps = await steps_of(filled, method)
        whole = [] if str(method) in PAGES | WHOLE else scans(steps)
        is_sorted = [step for step in steps if "TEMP B-TREE" in step and str(method) not in SORTED]
        if whole or is_sorted:
            wrong[str(method)] = whole, is_sorted
    assert wrong == {}


async def steps_of(filled: Store, method: Method) -> list[str]:
    """Call the method, and return the steps of the plans of its statements."""
    function = getattr(getattr(filled.of("ada"), method.part), method.name)
    positional, named = arguments_for(method, function, optional=False)
    with plans_of(filled) as steps:
        result = function(*positional, **named)
        with suppress(NotFoundError):
            await (anext(result, None) if inspect.isasyncgen(result) else result)
    return steps


FEW: list[dict[str, Any]] = [
    {"call_id": "c400"},
    {"call_id": "c400", "possible": True},
    {"state": RequestState.PENDING},
    {"state": RequestState.PENDING, "server_id": "s1"},
]


@pytest.mark.parametrize("wanted", FEW, ids=str)
async def test_few_requests_are_found_without_the_history(filled: Store, wanted: dict[str, Any]) -> None:
    with plans_of(filled) as steps:
        await filled.of("ada").request_lists.page(Wanted(**wanted), 1000)
    assert scans(steps) == []
    assert [step for step in steps if "TEMP B-TREE" in step] == []


async def test_requests_of_all_servers_are_counted_by_an_index(filled: Store) -> None:
    with plans_of(filled) as steps:
        await filled.of("ada").requests.pending_of(None)
    assert [step for step in steps if "ix_requests_user_id_state_server_id (user_id=? AND state=?)" in step]
    assert scans(steps) == []


SEARCHES: list[dict[str, Any]] = [
    {"text": "lisbon"},
    {"state": "failed"},
    {"nested": True},
    {"nested": True, "text": "x"},
    {"mine": True},
    {"mine": True, "text": "x"},
]


@pytest.mark.parametrize("wanted", SEARCHES, ids=str)
async def test_a_search_of_the_history_walks_along_an_index(filled: Store, wanted: dict[str, Any]) -> None:
    with plans_of(filled) as steps:
        await filled.of("ada").history.page(HistoryFilter(**wanted), limit=50)
        await filled.of("ada").history.count(HistoryFilter(**wanted))
    assert [step for step in steps if "TEMP B-TREE" in step or re.match("SCAN (requests|calls|call)$", step)] == []
    # The call of a nested request is looked up by its id.
    assert {step for step in steps if " call " in step} <= {"SEARCH call USING INDEX sqlite_autoindex_calls_1 (id=?)"}


async def test_the_jobs_of_the_system_read_no_whole_table(filled: Store) -> None:
    with plans_of(filled) as steps:
        await filled.system.due(now(), now() + timedelta(minutes=10))
        await filled.system.resumable_calls()
        await filled.system.end_leftovers(Reason(ReasonCode.CLIENT_STOPPED), resumed=[])
        await filled.system.erase_values(now() - timedelta(days=400))
        await filled.system.purge_entries(now() - timedelta(days=400))
    assert scans(steps) == []


async def test_many_users_are_found_by_indexes(filled: Store) -> None:
    """A look each second and a page of the list read few rows."""
    users = filled.users
    known = await users.recognise(Person(issuer="proxy", subject="ada", email="ada@corp.example"))
    with plans_of(filled) as steps:
        await users.look()
    assert any("ix_users_disabled" in step for step in steps), steps
    for wanted, after in itertools.product((UserFilter(), UserFilter(disabled=False)), (None, known.id)):
        with plans_of(filled) as steps:
            await users.page(wanted, after=after, limit=10)
        assert any("ix_users_created_at_id" in step for step in steps), steps
