"""All rows of the SQLite file are copied into an empty PostgreSQL database as they are, or none."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Column, Float, Integer, String, Table, insert, select, text, type_coerce

from tests.postgresql import PostgreSQL
from tests.store.conftest import TestDatabase
from tests.store.test_stolen import GUARDED, SECRETS
from tests.store.test_stolen import fill as fill_secrets
from tests.store.test_upgrade import OLD, load
from webclient.domain.model import LOCAL_USER
from webclient.store import DatabaseError, StorageError, Store, copying, prepare
from webclient.store.copying import copy_to_postgresql
from webclient.store.database.backends import place_of
from webclient.store.database.sealed_column import SealedJson
from webclient.store.database.sqlite import FILE, SQLite
from webclient.store.database.tables import Moment, metadata
from webclient.store.database.user_tables import audit

pytestmark = pytest.mark.anyio

STRANGE = r'{"b": 1.0, "a": [12345678901234567890, "\u0000", "\ud800", "\\u0000", "\ufdd0", NaN, -Infinity, "NaN"]}'
"""JSON as SQLite holds it, with everything that PostgreSQL refuses."""


@pytest.fixture
def url(postgresql: PostgreSQL) -> Iterator[str]:
    with postgresql.database(empty=True) as name:
        yield postgresql.url(name)


def stored(column: Column[Any], number: int) -> object:
    """Return a value as SQLite holds it, another one for each row."""
    if isinstance(column.type, Moment):
        return f"2026-01-02 03:04:05.{number:06}"
    if isinstance(column.type, SealedJson):
        return f'"key.sealed{number}"'
    if isinstance(column.type, JSON):
        return STRANGE
    if isinstance(column.type, Boolean):
        return number % 2
    if isinstance(column.type, Integer | Float):
        return number
    assert isinstance(column.type, String), column
    return f"é{number}" if column.type.length else f"é\ufdd0\0{number}"


def fill(folder: Path, count: int) -> None:
    """Put this many rows into every table, past every type."""
    prepare(folder)
    with closing(sqlite3.connect(folder / FILE)) as db:
        for table in metadata.sorted_tables:
            marks = ", ".join("?" * len(table.columns))
            names = ", ".join(f'"{column.name}"' for column in table.columns)
            rows = [[stored(column, number) for column in table.columns] for number in range(1, count + 1)]
            db.executemany(f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})', rows)  # noqa: S608
        db.commit()


def rows_of(table: Table, folder: Path, url: str | None = None) -> list[str]:
    """Return the rows as the program reads them, but for sealed values, which stay sealed."""
    backend = place_of(folder, url).backend if url else SQLite(folder / FILE)
    columns = [
        type_coerce(column, JSON).label(column.name) if isinstance(column.type, SealedJson) else column
        for column in table.columns
    ]
    with closing(backend.connect(to_write=False)) as db:
        return sorted(repr(tuple(row)) for row in db.execute(select(*columns)))


def test_every_table_is_copied_exactly(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in several batches, and with all that PostgreSQL refuses."""
    monkeypatch.setattr(copying, "BATCH_ROWS", 3)
    fill(tmp_path, 8)
    before = (tmp_path / FILE).read_bytes()
    assert copy_to_postgresql(tmp_path, url) == dict.fromkeys((table.name for table in metadata.sorted_tables), 8)
    for table in metadata.sorted_tables:
        assert rows_of(table, tmp_path, url) == rows_of(table, tmp_path), table
    assert (tmp_path / FILE).read_bytes() == before


def test_a_large_row_ends_its_batch(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[int] = []
    real = copying._batches

    def counting(rows: Any) -> Iterator[Any]:
        for batch in real(rows):
            batches.append(len(batch))
            yield batch

    monkeypatch.setattr(copying, "_batches", counting)
    monkeypatch.setattr(copying, "BATCH_BYTES", 1000)
    prepare(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        add = "INSERT INTO call_logs (call_id, user_id, entries, omitted) VALUES (?, 'ada', ?, 0)"
        db.executemany(add, [(str(n), f'["{"x" * 400}"]') for n in range(10)])
        db.commit()
    assert copy_to_postgresql(tmp_path, url)["call_logs"] == 10
    assert max(batches) == 3


async def test_new_ids_go_on_after_the_copied_ones(tmp_path: Path, url: str) -> None:
    fill(tmp_path, 8)
    copy_to_postgresql(tmp_path, url)
    with closing(place_of(tmp_path, url).backend.connect(to_write=True)) as db, db.begin():
        row = {column.name: "x" for column in audit.columns if isinstance(column.type, String)}
        given = insert(audit).values(at=text("now()"), **row).returning(audit.c.id)
        assert db.execute(given).scalar_one() == 9


@pytest.mark.parametrize("started", [True, False], ids=["rows", "tables alone"])
async def test_only_a_database_without_rows_is_copied_into(tmp_path: Path, url: str, started: bool) -> None:
    fill(tmp_path, 1)
    if started:
        store = Store(tmp_path / "other", url=url)
        await store.open()
        await store.close()
        with pytest.raises(DatabaseError, match="not empty"):
            copy_to_postgresql(tmp_path, url)
    else:
        prepare(tmp_path / "other", url)
        assert copy_to_postgresql(tmp_path, url)["calls"] == 1


async def test_a_database_in_use_is_refused(tmp_path: Path, url: str) -> None:
    fill(tmp_path, 1)
    store = Store(tmp_path / "other", url=url)
    await store.open()
    with pytest.raises(StorageError) as refused:
        copy_to_postgresql(tmp_path, url)
    assert refused.value.reason.code == "database_in_use"
    await store.close()


def test_a_copy_that_fails_leaves_nothing(tmp_path: Path, url: str, postgresql: PostgreSQL) -> None:
    """A value that is too long for PostgreSQL ends it in the last table."""
    fill(tmp_path, 2)
    last = metadata.sorted_tables[-1]
    column = next(each for each in last.columns if isinstance(each.type, String) and each.type.length)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute(f'UPDATE "{last.name}" SET "{column.name}" = ? || rowid', ["x" * 400])  # noqa: S608
        db.commit()
    with pytest.raises(DatabaseError, match=last.name):
        copy_to_postgresql(tmp_path, url)
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    assert postgresql.run(tables, database=url.partition("?")[0].rpartition("/")[2]) == []


def test_an_older_file_is_copied_with_the_newest_tables(tmp_path: Path, url: str) -> None:
    database = TestDatabase(tmp_path)
    load(database, OLD[0])
    before = (tmp_path / FILE).read_bytes()
    copied = copy_to_postgresql(tmp_path, url)
    later = ["ended_embed_sessions", "placements", "rules", "saved_identities"]
    assert sorted(name for name, count in copied.items() if not count) == later, "these are later tables"
    # The file stays for the earlier version, and nothing lies beside it.
    assert (tmp_path / FILE).read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []


@pytest.mark.parametrize("content", [None, b"", b"not a database, but long enough for one header" * 100])
def test_a_folder_without_a_database_is_refused(tmp_path: Path, url: str, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / FILE).write_bytes(content)
    with pytest.raises(DatabaseError):
        copy_to_postgresql(tmp_path, url)


async def test_secrets_of_a_copy_open_with_the_keys_of_the_folder(tmp_path: Path, url: str) -> None:
    store = Store(tmp_path)
    await store.open()
    await fill_secrets(store)
    await store.close()
    copy_to_postgresql(tmp_path, url)
    copied = Store(tmp_path, url=url)
    await copied.open()
    assert await copied.of("ada").servers.get(GUARDED.id) == GUARDED
    grant = await copied.of("ada").grants.get(GUARDED.id)
    assert grant
    assert grant.secrets == SECRETS
    assert (await copied.users.get(LOCAL_USER)) is not None
    await copied.close()
