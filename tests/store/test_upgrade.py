"""A database is upgraded wholly, or refused and left as it was."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Barrier
from typing import Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

import webclient.store
from tests.store.conftest import TestDatabase
from tests.store.every_table import CHECKPOINTS, DATA, LIMIT, fill_every_table
from tests.store.rows import SECRET_KEYS
from webclient.calls.checkpoint import from_json
from webclient.domain.model import CallError, CallState, Era, RequestState
from webclient.store import DatabaseError, StorageError, Store, prepare
from webclient.store.database import upgrade, upgrade_postgresql
from webclient.store.database.backends import place_of
from webclient.store.database.sqlite import FILE
from webclient.store.database.tables import metadata
from webclient.store.database.unreleased import UNRELEASED

pytestmark = pytest.mark.anyio

OLD = sorted({path.name.partition(".")[0] for path in DATA.iterdir()})
"""The versions whose own code filled a database of each kind for these tests."""

MIGRATIONS = Path(webclient.store.__file__).parent / "migrations"
REVISIONS = [script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()][::-1]

RENAMED = {"came": "origin"}
"""Columns by their earlier names."""

SCHEMA = {
    "sqlite": (
        "SELECT m.name, c.* FROM sqlite_master m, pragma_table_xinfo(m.name) c WHERE m.type = 'table'",
        # In order: of indexes that suit as well, the newest is taken.
        "SELECT tbl_name, row_number() OVER (PARTITION BY tbl_name ORDER BY rowid), name, sql"
        " FROM sqlite_master WHERE type NOT IN ('table')",
        'SELECT m.name, i.name, i."unique", i.origin, i.partial, c.seqno, c.name, c."desc", c.coll'
        " FROM sqlite_master m, pragma_index_list(m.name) i, pragma_index_xinfo(i.name) c WHERE m.type = 'table'",
    ),
    "postgresql": (
        # Numbers of columns that were dropped are not given again.
        "SELECT table_name, row_number() OVER (PARTITION BY table_name ORDER BY ordinal_position), column_name,"
        " column_default, is_nullable, data_type, character_maximum_length, collation_name"
        " FROM information_schema.columns WHERE table_schema = 'public'",
        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'",
        # Of a renamed column, the constraint that it is not null keeps the earlier name, which nothing uses.
        "SELECT conrelid::regclass::text, CASE contype WHEN 'n' THEN '' ELSE conname END, pg_get_constraintdef(oid)"
        " FROM pg_constraint WHERE connamespace = 'public'::regnamespace",
    ),
}
"""The queries that list columns, indexes and constraints."""


def schema_of(database: TestDatabase) -> list[str]:
    """Return everything that the tables are made of, each as a line."""
    with database.connected() as db:
        queries = SCHEMA[db.dialect.name]
        return [str(row) for query in queries for row in sorted(map(str, db.execute(text(query))))]


def load(database: TestDatabase, revision: str) -> None:
    """Make the database of that revision which an earlier version has left."""
    if database.url is None:
        with changing(database.folder / FILE) as db:
            db.executescript((DATA / f"{revision}.sqlite.sql").read_text("utf-8"))
        return
    with closing(psycopg.connect(database.url, autocommit=True)) as server:
        server.execute((DATA / f"{revision}.postgresql.sql").read_bytes())


def rows_of(database: TestDatabase) -> dict[str, list[dict[str, Any]]]:
    """Return all rows by table, each as its columns, with JSON as values."""
    found: dict[str, list[dict[str, Any]]] = {}
    with database.connected() as db:
        tables = "SELECT name FROM sqlite_master WHERE type = 'table'"
        if database.url:
            tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        for table in db.execute(text(tables)).scalars().all():
            rows = db.execute(text(f"SELECT * FROM {table}")).mappings()  # noqa: S608
            found[table] = sorted(({name: _value(value) for name, value in row.items()} for row in rows), key=str)
    return found


def _value(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("{", "["):
        return json.loads(value)
    return value


@contextmanager
def changing(path: Path) -> Iterator[sqlite3.Connection]:
    """Give the database to be changed behind the program's back."""
    with closing(sqlite3.connect(path)) as db, db:
        yield db


def everything_in(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder as they are."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_both_databases_of_each_earlier_version_are_kept() -> None:
    assert OLD[0] == UNRELEASED[0]
    kinds = ("postgresql", "sqlite")
    assert sorted(path.name for path in DATA.iterdir()) == [f"{each}.{kind}.sql" for each in OLD for kind in kinds]


@pytest.mark.parametrize("revision", OLD)
async def test_an_upgrade_keeps_every_value_of_every_row(database: TestDatabase, revision: str) -> None:
    load(database, revision)
    before = rows_of(database)
    place_of(database.folder, database.url).prepare()
    after = rows_of(database)
    assert all(before.values()), "every table of that version has rows"
    assert {row["version_num"] for row in after["alembic_version"]} == {REVISIONS[-1]}
    for table in before.keys() - {"alembic_version"}:
        # Sentences of reasons; all rows since reasons have codes have none.
        expected = [{RENAMED.get(n, n): value for n, value in row.items() if n != "reason"} for row in before[table]]
        found = [{name: row[name] for name in expected[0]} for row in after[table]]
        assert sorted(found, key=str) == sorted(expected, key=str), table


@pytest.mark.parametrize("revision", OLD)
async def test_the_program_reads_rows_of_an_earlier_version(database: TestDatabase, revision: str) -> None:
    load(database, revision)
    store = database.store(secret_keys=SECRET_KEYS)
    await store.open()
    ada = store.of("ada")
    for state in RequestState:
        request = await ada.requests.get(f"is-{state}")
        assert (request.state, request.params) == (state, {"message": f"Is it {state}?"})
    assert (await ada.requests.get("is-withdrawn")).reason == LIMIT
    assert (await ada.requests.get("sent")).content == {"name": "Ada"}, "its secret value is kept until it is sent"
    for end in (CallState.DONE, CallState.FAILED, CallState.CANCELLED, CallState.INTERRUPTED):
        assert (await ada.calls.get(f"is-{end}")).state is end
    error = CallError(reason=LIMIT, code=-32603, message="disk on fire", data=[1, None], reconnect_with=Era.PUSH)
    assert (await ada.calls.get("is-failed")).error == error
    resumable = {call.id: call.checkpoint for call in await store.system.resumable_calls()}
    for kind, checkpoint in CHECKPOINTS.items():
        assert from_json(resumable[f"waits-{kind}"] or {}) == checkpoint
    [guarded] = [each for each in await ada.servers.all() if each.id == "guarded"]
    assert guarded.lost == ()
    assert (await ada.grants.get(guarded.id) or await ada.grants.get(request.server_id)) is not None
    assert [each.label for each in await ada.tokens.all()] == ["Agent"]
    await store.close()
    assert not [row for row in rows_of(database)["requests"] if isinstance(row["secrets"], dict)], "sealed"


@pytest.mark.parametrize("revision", OLD)
async def test_an_upgraded_database_is_as_a_new_one(database: TestDatabase, revision: str) -> None:
    place_of(database.folder, database.url).prepare()
    made = schema_of(database)
    for table in [*metadata.tables, "alembic_version"]:
        database.run(f"DROP TABLE {table}")
    load(database, revision)
    assert (schema_of(database) == made) == (revision == REVISIONS[-1])
    place_of(database.folder, database.url).prepare()
    assert schema_of(database) == made


async def test_every_table_of_a_kept_database_has_rows(database: TestDatabase) -> None:
    """`python -m tests.store.every_table` makes those of the newest version."""
    store = database.store(secret_keys=SECRET_KEYS)
    await store.open()
    await fill_every_table(store)
    await store.close()
    # Only nodes that share a database place users.
    assert [table for table, rows in rows_of(database).items() if not rows] == ["placements"]


@pytest.mark.parametrize("revision", ["0001", "0046"])
def test_a_database_that_is_too_old_is_refused_and_left(database: TestDatabase, revision: str) -> None:
    load(database, OLD[0])
    database.run("UPDATE alembic_version SET version_num = :revision", revision=revision)
    before = rows_of(database)
    with pytest.raises(DatabaseError, match=rf"before the first release.*{revision}.*{UNRELEASED[0]}.*left as it is"):
        place_of(database.folder, database.url).prepare()
    assert rows_of(database) == before


async def test_rows_of_the_first_versions_are_completed(database: TestDatabase) -> None:
    """Who asked had no kind, and calls withheld nothing."""
    load(database, OLD[0])
    asked_by = '{"label": "travel", "address": "stdio: x", "claims": null, "protocol_version": null}'
    during = '{"kind": "tool", "name": "book", "arguments": {"n": 1}}'
    change = "UPDATE requests SET asked_by = :asked_by, during = :during WHERE id = 'is-pending'"
    database.run(change, asked_by=asked_by, during=during)
    store = database.store(secret_keys=SECRET_KEYS)
    await store.open()
    found = await store.of("ada").requests.get("is-pending")
    await store.close()
    assert found.asked_by.kind == "server"
    assert found.during
    assert (found.during.name, found.during.withheld) == ("book", ())


async def test_lists_show_what_an_upgrade_read_from_questions(database: TestDatabase) -> None:
    """Excerpts, sizes and numbers of fields have columns since 0049."""
    load(database, OLD[0])
    change = "UPDATE requests SET params = :params, during = :during WHERE id = :id"
    params = {"message": f"  May I?{'x' * 400}", "requestedSchema": {"properties": {"a": {}, "b": {}}}}
    during = json.dumps({"kind": "tool", "name": "book", "arguments": {}, "withheld": []})
    database.run(change, id="is-pending", params=json.dumps(params), during=during)
    messages = [{"role": "user", "content": [{"type": "text", "text": " Sum up. "}]}, {"content": {"type": "image"}}]
    database.run(change, id="sampled", params=json.dumps({"messages": messages, "tools": [{}, {}, {}]}), during=during)
    place_of(database.folder, database.url).prepare()
    columns = "SELECT excerpt, call_name, parts, size, other_size FROM requests WHERE id = :id"
    [form] = database.run(columns, id="is-pending")
    assert list(form) == [f"May I?{'x' * 294}", "book", 2, len(json.dumps(params)), len(during)]
    [sampling] = database.run(columns, id="sampled")
    assert list(sampling)[:3] == ["Sum up.", "book", 3]
    [call] = database.run("SELECT size, result_size FROM calls WHERE id = 'is-done'")
    assert min(call) > 0


def test_a_newer_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    prepare(tmp_path)
    with changing(tmp_path / FILE) as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
    before = everything_in(tmp_path)
    with pytest.raises(DatabaseError, match=rf"newer version.*9999.*{REVISIONS[-1]}.*left as it is"):
        prepare(tmp_path)
    assert everything_in(tmp_path) == before
    assert list(before) == [FILE]


def test_the_log_of_a_killed_newer_version_is_read_and_stays(tmp_path: Path) -> None:
    prepare(tmp_path)
    folder = tmp_path / "killed"
    folder.mkdir()
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
        db.commit()
        for file in (FILE, f"{FILE}-wal"):
            (folder / file).write_bytes((tmp_path / file).read_bytes())
    before = everything_in(folder)
    with pytest.raises(DatabaseError, match="9999"):
        prepare(folder)
    assert {name: everything_in(folder)[name] for name in before} == before


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\0" + b"\x10\x00" + b"garbage" * 99])
def test_a_damaged_database_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(DatabaseError, match="cannot be read as the database"):
        prepare(tmp_path)
    assert everything_in(tmp_path) == {FILE: content}


def test_a_foreign_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    with changing(tmp_path / FILE) as db:
        db.execute("CREATE TABLE theirs (id)")
    before = everything_in(tmp_path)
    with pytest.raises(DatabaseError, match="another program"):
        prepare(tmp_path)
    assert everything_in(tmp_path) == before


def test_a_failed_upgrade_leaves_the_tables_as_they_were(tmp_path: Path) -> None:
    """The column that is in the way comes second in its step, after another was added."""
    database = TestDatabase(tmp_path)
    load(database, OLD[0])
    path = tmp_path / FILE
    with changing(path) as db:
        db.execute("ALTER TABLE requests ADD COLUMN call_name TEXT")
        tables = db.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
    before = rows_of(database)
    with pytest.raises(StorageError, match="is unchanged: duplicate column name: call_name"):
        prepare(tmp_path)
    with changing(path) as db:
        assert db.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall() == tables
    assert rows_of(database) == before


@pytest.mark.parametrize("revision", [None, *OLD])
async def test_two_processes_upgrade_one_database_at_once(
    database: TestDatabase, revision: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if revision:
        load(database, revision)
    both = Barrier(2)
    # Each has looked at the tables, or is about to, before the other one changes them.
    for module, name in ((upgrade, "make_private"), (upgrade_postgresql, "check_pooler")):
        before = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args, before=before: (before(*args), both.wait(30)))
    places = [place_of(database.folder, database.url) for _process in range(2)]
    await asyncio.gather(*(asyncio.to_thread(place.prepare) for place in places))
    assert database.run("SELECT version_num FROM alembic_version") == [(REVISIONS[-1],)]


KILLED = """
import os, signal, sys
from pathlib import Path
from webclient.store import prepare
from webclient.store.database import unreleased

folder, revision, url = sys.argv[1:]
step = unreleased._STEPS[revision]
unreleased._STEPS[revision] = lambda op: (step(op), os.kill(os.getpid(), signal.SIGKILL))
prepare(Path(folder), url or None)
"""


@pytest.mark.parametrize("last", ["0049", REVISIONS[0]])
def test_a_killed_upgrade_is_begun_again(database: TestDatabase, last: str) -> None:
    """The process is killed after the step to the revision `last`."""
    load(database, OLD[0])
    before = rows_of(database)
    command = [sys.executable, "-c", KILLED, str(database.folder), last, database.url or ""]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert rows_of(database) == before
    place_of(database.folder, database.url).prepare()
    assert database.run("SELECT version_num FROM alembic_version") == [(REVISIONS[-1],)]


@pytest.mark.parametrize("revision", OLD)
async def test_an_upgrade_without_the_key_keeps_all_but_secrets(database: TestDatabase, revision: str) -> None:
    load(database, revision)
    store = database.store()
    await store.open()
    ada = store.of("ada")
    [guarded] = [each for each in await ada.servers.all() if each.id == "guarded"]
    assert {"Authorization", "TOKEN", "oauth.client_secret", "url"} <= {*guarded.lost}
    if revision != OLD[0]:
        # Earlier versions left these values plain.
        assert (await ada.requests.get("sent")).gone == ("name",)
        assert {call.gone for call in await store.system.resumable_calls()} == {("token",)}
    assert (await ada.requests.get("is-accepted")).content == {"name": "Ada"}
    await store.close()


def test_an_empty_file_is_a_new_database(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    prepare(tmp_path)
    with changing(tmp_path / FILE) as db:
        assert db.execute("SELECT version_num FROM alembic_version").fetchall() == [(REVISIONS[-1],)]


def test_only_its_owner_can_read_the_data_folder(tmp_path: Path) -> None:
    prepare(tmp_path / "data")
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


async def test_the_migrations_make_the_tables_of_the_code(store: Store, database: TestDatabase) -> None:  # noqa: ARG001
    with database.connected() as db:
        differences = compare_metadata(MigrationContext.configure(db), metadata)
    assert differences == []


async def test_a_new_database_loads_no_migrations(tmp_path: Path) -> None:
    """They take a while, and memory."""
    code = "import sys; from pathlib import Path; from webclient.store import prepare; prepare(Path(sys.argv[1])); "
    code += "sys.exit('alembic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False).returncode == 0  # noqa: ASYNC221


def test_migrations_have_one_head() -> None:
    assert len(ScriptDirectory(str(MIGRATIONS)).get_heads()) == 1
