"""A user reaches only their own rows: every method of `Store.of` is called with the ids of another user."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, CursorResult

from tests.postgresql import PostgreSQL
from tests.store.ada_rows import (
    APPROVED,
    CALL,
    ENDED_CALL,
    GRANT,
    LOG,
    NOTICE,
    NOTICE_SETTINGS,
    OTHER,
    REGISTRATION,
    REQUEST,
    REQUESTS,
    SENT,
    SERVER,
    SESSION,
    SIGN_IN,
    TARGET,
    TOKEN,
    WEBHOOK,
)
from tests.store.conftest import TestDatabase
from tests.store.user_methods import METHODS, UNDO_UNTIL, Method, arguments_for
from webclient.domain.errors import NotFoundError
from webclient.domain.model import (
    Action,
    CallLog,
    Delivery,
    DueNotice,
    RequestState,
    Spent,
    Usage,
    Via,
    now,
)
from webclient.store import Changes, Store
from webclient.store.changes import CardRows
from webclient.store.database.tables import metadata
from webclient.store.requests.earlier_requests import EarlierAnswers
from webclient.store.requests.history import HistoryPage
from webclient.store.requests.inbox_rows import InboxRows

pytestmark = pytest.mark.anyio

NOTHING: tuple[Any, ...] = (
    *(None, False, 0, (0, 0), [], {}, ([], False)),
    *(CallLog(), Changes(), CardRows(), EarlierAnswers(), HistoryPage([], None), InboxRows(), Spent()),
)


@dataclass
class Outcome:
    """The result of a call to the store."""

    result: Any
    error: Exception | None
    is_changed: bool

    @property
    def is_nothing(self) -> bool:
        return not self.is_changed and (self.error is not None or self.result in NOTHING)


async def outcome_of(refilled: Refilled, user_id: str, method: Method, *, optional: bool) -> Outcome:
    """Call the method for the user with Ada's ids, and with optional arguments if wanted."""
    function = getattr(getattr(refilled.store.of(user_id), method.part), method.name)
    positional, named = arguments_for(method, function, optional=optional)
    before, result, error = refilled.contents(), None, None
    try:
        returned = function(*positional, **named)
        result = [each async for each in returned] if inspect.isasyncgen(returned) else await returned
    except (NotFoundError, ValueError) as raised:
        error = raised
    return Outcome(result, error, refilled.contents() != before)


# ruff: noqa: S608  (nothing in these statements is from outside)
@dataclass(frozen=True, slots=True)
class Refilled:
    """An open store with rows of Ada for every method, which `restore` brings back."""

    store: Store
    database: TestDatabase
    beside: Connection
    """Not the store's; temporary tables are its own."""

    def contents(self) -> list[str]:
        """Return all rows of the database."""
        with self.beside.begin():
            return sorted(f"{table} {row}" for table in metadata.tables for row in self._run(f"SELECT * FROM {table}"))

    def save(self) -> None:
        """Remember all rows."""
        with self.beside.begin():
            for table in metadata.tables:
                self._run(f"CREATE TEMPORARY TABLE before_{table} AS SELECT * FROM {table}")

    def restore(self) -> None:
        """Bring the rows back to what they were."""
        with self.beside.begin():
            for table in metadata.tables:
                self._run(f"DELETE FROM {table}")
                self._run(f"INSERT INTO {table} SELECT * FROM before_{table}")

    def _run(self, statement: str) -> CursorResult[Any]:
        return self.beside.exec_driver_sql(statement)


@pytest.fixture(scope="module", params=["SQLite", "PostgreSQL"])
async def refilled(
    anyio_backend: str,  # noqa: ARG001
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Refilled]:
    """A store on each database, with the rows."""
    with ExitStack() as stack:
        database = TestDatabase(tmp_path_factory.mktemp("refilled"))
        if request.param == "PostgreSQL":
            server: PostgreSQL = request.getfixturevalue("postgresql")
            database = replace(database, url=server.url(stack.enter_context(server.database())))
        store = database.store()
        await store.open()
        await fill(store)
        with database.opened() as beside:
            refilled = Refilled(store, database, beside)
            refilled.save()
            yield refilled
        await store.close()


@pytest.fixture
def rows(refilled: Refilled) -> Refilled:
    """Rows of Ada for every method, and nothing else."""
    refilled.restore()
    return refilled


async def fill(store: Store) -> None:
    """Add rows of Ada for every method."""
    ada = store.of("ada")
    await ada.servers.add(SERVER)
    for call in (CALL, ENDED_CALL):
        await ada.calls.add(call)
    await ada.logs.save(CALL.id, LOG)
    for request in REQUESTS:
        await ada.requests.add(request, prefills={request.id: {"f0": ["typed"]}})
    await ada.requests.decide([REQUEST.id], Action.ACCEPT, UNDO_UNTIL)
    await ada.drafts.save("expired", {"f0": ["typed"]})
    await ada.requests.settle("expired", to=RequestState.EXPIRED)
    await ada.requests.settle("declined", to=RequestState.DECLINED, via=Via.PAGE)
    await ada.requests.settle(
        "sent",
        to=RequestState.ACCEPTED,
        delivery=Delivery.SENDING,
        content={"name": "Ada"},
        withheld=["name"],
        secrets_for=CALL.id,
    )
    await ada.requests.settle(
        "saved", to=RequestState.ACCEPTED, delivery=Delivery.SAVED, content={"name": "Ada"}, via=Via.PAGE
    )
    await ada.requests.add(APPROVED)
    await ada.requests.settle("approved", to=RequestState.ACCEPTED, content={})
    await ada.requests.settle("hosted", to=RequestState.ACCEPTED, delivery=Delivery.SENDING, content={"name": "Ada"})
    await ada.sign_ins.put(SIGN_IN)
    await ada.grants.save(GRANT)
    await ada.registrations.save(REGISTRATION)
    await ada.step_ups.add(SERVER.id, "write")
    await ada.saved_sessions.save(SESSION)
    await ada.task_choices.save(SERVER.id, "survey", as_task=True)
    await ada.notices.begin(NOTICE_SETTINGS)
    await ada.notices.add_target(TARGET, 9)
    await ada.notices.enqueue(DueNotice(id=NOTICE.id, user_id="ada", request_ids=(SENT.id,), at=NOTICE.next_at))
    await ada.tokens.add(TOKEN, "mcpweb_secret")
    await ada.answer_webhooks.begin(WEBHOOK, 9)
    await ada.requests.add(OTHER)
    await ada.muted_programs.add(REQUEST.id)
    await ada.samplings.spend(SERVER.id, Usage(output_tokens=1))
    await ada.requests.settle("link", to=RequestState.WAITING, opened_at=now())


@pytest.mark.parametrize(
    ("refilled", "optional"),
    [
        pytest.param("SQLite", False, id="SQLite-required arguments"),
        pytest.param("SQLite", True, id="SQLite-all arguments"),
        # Once for each method is enough there: the statements are the same.
        pytest.param("PostgreSQL", True, id="PostgreSQL-all arguments"),
    ],
    indirect=["refilled"],
    scope="module",
)
@pytest.mark.slow
async def test_a_foreign_id_gives_nothing_and_changes_nothing(refilled: Refilled, *, optional: bool) -> None:
    for method in METHODS:
        refilled.restore()
        foreign = await outcome_of(refilled, "bob", method, optional=optional)
        assert foreign.is_nothing, (method, foreign)
        own = await outcome_of(refilled, "ada", method, optional=optional)
        assert not own.is_nothing, f"the arguments of {method} reach no row of their own user: this proves nothing"


def test_no_method_of_a_user_takes_a_user_id() -> None:
    store = Store(Path()).of("ada")
    for part, name in METHODS:
        assert "user_id" not in inspect.signature(getattr(getattr(store, part), name)).parameters


@pytest.mark.parametrize("part", ["servers", "calls", "requests"])
async def test_an_unknown_id_is_not_found(rows: Refilled, part: str) -> None:
    with pytest.raises(NotFoundError):
        await getattr(rows.store.of("ada"), part).get("unknown")
