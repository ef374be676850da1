"""A user reaches only their own rows: every method of `Store.of` is called with the ids of another user."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.store.ada_rows import (
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
from tests.store.user_methods import METHODS, Method, arguments_for
from webclient.errors import NotFoundError
from webclient.model import (
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
from webclient.store.history import HistoryPage
from webclient.store.inbox_rows import InboxRows
from webclient.store.tables import metadata

pytestmark = pytest.mark.anyio

NOTHING: tuple[Any, ...] = (
    *(None, False, 0, (0, 0), [], {}),
    *(CallLog(), Changes(), CardRows(), HistoryPage([], None), InboxRows(), Spent()),
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


async def outcome_of(store: Store, database: TestDatabase, user_id: str, method: Method, *, optional: bool) -> Outcome:
    """Call the method for the user with Ada's ids, and with optional arguments if wanted."""
    function = getattr(getattr(store.of(user_id), method.part), method.name)
    positional, named = arguments_for(method, function, optional=optional)
    before, result, error = contents(database), None, None
    try:
        returned = function(*positional, **named)
        result = [each async for each in returned] if inspect.isasyncgen(returned) else await returned
    except (NotFoundError, ValueError) as raised:
        error = raised
    return Outcome(result, error, contents(database) != before)


def contents(database: TestDatabase) -> list[str]:
    """Return all rows of the database."""
    with database.connected() as db:
        return sorted(f"{table} {row}" for table in metadata.tables.values() for row in db.execute(select(table)))


@pytest.fixture
async def rows(store: Store) -> Store:
    """Add rows of Ada for every method."""
    ada = store.of("ada")
    await ada.servers.add(SERVER)
    for call in (CALL, ENDED_CALL):
        await ada.calls.add(call)
    await ada.logs.save(CALL.id, LOG)
    for request in REQUESTS:
        await ada.requests.add(request, prefills={request.id: {"f0": ["typed"]}})
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
    return store


@pytest.mark.parametrize("optional", [False, True], ids=["required arguments", "all arguments"])
@pytest.mark.parametrize("method", METHODS, ids=str)
async def test_a_foreign_id_gives_nothing_and_changes_nothing(
    rows: Store, database: TestDatabase, method: Method, *, optional: bool
) -> None:
    if database.url and not optional:
        pytest.skip("once for each method is enough on PostgreSQL")
    foreign = await outcome_of(rows, database, "bob", method, optional=optional)
    assert foreign.is_nothing, foreign
    own = await outcome_of(rows, database, "ada", method, optional=optional)
    assert not own.is_nothing, "the arguments reach no row of their own user, so this proves nothing"


def test_no_method_of_a_user_takes_a_user_id() -> None:
    store = Store(Path()).of("ada")
    for part, name in METHODS:
        assert "user_id" not in inspect.signature(getattr(getattr(store, part), name)).parameters


@pytest.mark.parametrize("part", ["servers", "calls", "requests"])
async def test_an_unknown_id_is_not_found(rows: Store, part: str) -> None:
    with pytest.raises(NotFoundError):
        await getattr(rows.of("ada"), part).get("unknown")
