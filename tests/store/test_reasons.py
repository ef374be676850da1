"""Reasons are stored as codes with parameters; what an earlier version wrote as a sentence stays readable."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.test_store import a_request
from tests.toy_language import Loud
from webclient import i18n
from webclient.http.filters import shown
from webclient.model import InputRequest, Reason, ReasonCode, RequestState
from webclient.store import Store
from webclient.store.database import FILE
from webclient.store.history import Wanted

pytestmark = pytest.mark.anyio

LIMIT = Reason.of(ReasonCode.SERVER_TIME_LIMIT, label="Zoë's kettle", duration=90)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = Store(tmp_path)
    await store.open()
    yield store
    await store.close()


async def withdrawn(store: Store) -> InputRequest:
    request = a_request()
    await store.of("ada").requests.add(request)
    settled = await store.of("ada").requests.settle(request.id, to=RequestState.WITHDRAWN, reason=LIMIT)
    assert settled
    return settled


async def test_a_reason_comes_back_from_the_store_as_it_was(store: Store) -> None:
    assert (await store.of("ada").requests.get((await withdrawn(store)).id)).reason == LIMIT


async def test_a_stored_reason_is_shown_in_the_language_of_each_reader(store: Store, tmp_path: Path) -> None:
    request = await withdrawn(store)
    with i18n.speaking(Loud()):
        assert shown((await store.of("ada").requests.get(request.id)).reason).startswith("Zoë's kettle GAVE UP AFTER")
        assert await _ids(store, "GAVE kettle") == [request.id]
    assert shown((await store.of("ada").requests.get(request.id)).reason).startswith("Zoë's kettle gave up after")
    assert await _ids(store, "gave ZOË") == [request.id]
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        [row] = db.execute("SELECT reason, reason_code FROM requests")
    assert row == (None, "server_time_limit")


async def test_a_sentence_of_an_earlier_version_is_shown_and_found_as_it_is(store: Store, tmp_path: Path) -> None:
    request = await withdrawn(store)
    with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
        db.execute("UPDATE requests SET reason = 'It was cut off.', reason_code = NULL, reason_params = NULL")
    found = await store.of("ada").requests.get(request.id)
    assert (found.reason_code, shown(found.reason)) == (ReasonCode.UNCODED, "It was cut off.")
    assert await _ids(store, "CUT") == [request.id]


async def test_a_new_reason_replaces_a_sentence_of_an_earlier_version(store: Store, tmp_path: Path) -> None:
    request = a_request()
    await store.of("ada").requests.add(request)
    with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
        db.execute("UPDATE requests SET reason = 'It was cut off.'")
    await store.of("ada").requests.settle(request.id, to=RequestState.WITHDRAWN, reason=LIMIT)
    assert (await store.of("ada").requests.get(request.id)).reason == LIMIT
    assert await _ids(store, "cut") == []


async def _ids(store: Store, text: str) -> list[str]:
    return [entry.id for entry in await store.of("ada").history.page(Wanted(text=text), limit=10)]
