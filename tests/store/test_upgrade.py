"""A database is upgraded wholly, or refused and left as it was."""

from __future__ import annotations

import json
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

import webclient.store
from tests.store.conftest import TestDatabase
from webclient.calls.checkpoint import from_json, to_json
from webclient.domain.model import LOCAL_USER, CallState, Json, RequestState
from webclient.store import DatabaseError, StorageError, Store, prepare
from webclient.store.database.backends import place_of
from webclient.store.database.sqlite import FILE
from webclient.store.database.tables import metadata

pytestmark = pytest.mark.anyio

MIGRATIONS = Path(webclient.store.__file__).parent / "migrations"
REVISIONS = [script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()][::-1]
MOMENT = "2026-01-02 03:04:05.000000"
ROWS: dict[str, dict[str, object]] = {
    "servers": {"id": "s1", "user_id": LOCAL_USER, "label": "travel", "transport": "{}", "era": "auto"},
    "calls": {
        "id": "c1",
        "user_id": LOCAL_USER,
        "server_id": "s1",
        "server_label": "travel",
        "kind": "tool",
        "name": "book",
        "arguments": '{"n": 1}',
        "state": "done",
        "round": 1,
        "updated_at": MOMENT,
    },
    "requests": {
        "id": "r1",
        "user_id": LOCAL_USER,
        "server_id": "s1",
        "kind": "form",
        "params": '{"message": "Who?"}',
        "asked_by": '{"label": "travel", "address": "stdio: x", "claims": null, "protocol_version": null}',
        "position": 1,
        "total": 1,
        "state": "accepted",
        "content": '{"name": "Ada"}',
        "settled_at": MOMENT,
    },
}


def migrate_to(database: TestDatabase, revision: str) -> None:
    """Run the migrations up to this one."""
    with database.connected() as db:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = db
        command.upgrade(config, revision)


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
        "SELECT table_name, ordinal_position, column_name, column_default, is_nullable, data_type,"
        " character_maximum_length, collation_name FROM information_schema.columns WHERE table_schema = 'public'",
        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'",
        # Of a renamed column, the constraint that it is not null keeps the earlier name, which nothing uses.
        "SELECT conrelid::regclass::text, CASE contype WHEN 'n' THEN '' ELSE conname END, pg_get_constraintdef(oid)"
        " FROM pg_constraint WHERE connamespace = 'public'::regnamespace",
    ),
}
"""The queries that list columns, indexes and constraints."""


def schema_of(db: Connection) -> list[str]:
    """Return everything that the tables are made of, each as a line."""
    return [str(row) for query in SCHEMA[db.dialect.name] for row in sorted(map(str, db.execute(text(query))))]


def at_revision(database: TestDatabase, revision: str) -> None:
    """Make a database of that revision, with rows."""
    migrate_to(database, revision)
    for table, row in ROWS.items():
        values = row | {"created_at": MOMENT}
        marks = ", ".join(f":{name}" for name in values)
        database.run(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", **values)  # noqa: S608


@contextmanager
def changing(path: Path) -> Iterator[sqlite3.Connection]:
    """Give the database to be changed behind the program's back."""
    with closing(sqlite3.connect(path)) as db, db:
        yield db


def everything_in(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder as they are."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("revision", REVISIONS)
async def test_an_older_database_is_upgraded_with_all_its_rows(tmp_path: Path, revision: str) -> None:
    """On SQLite: no released version has used PostgreSQL."""
    database = TestDatabase(tmp_path)
    at_revision(database, revision)
    store = database.store()
    await store.open()
    assert [server.label for server in await store.of(LOCAL_USER).servers.all()] == ["travel"]
    call = await store.of(LOCAL_USER).calls.get("c1")
    assert (call.name, call.arguments, call.state) == ("book", {"n": 1}, CallState.DONE)
    request = await store.of(LOCAL_USER).requests.get("r1")
    assert (request.params, request.content) == ({"message": "Who?"}, {"name": "Ada"})
    assert request.state is RequestState.ACCEPTED
    await store.close()


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (
            {"requests": {"k": "r1"}, "state": "s"},
            {"kind": "round", "round": 7, "requests": {"k": "r1"}, "state": "s", "unanswered_before": 0},
        ),
        (
            {"round": 2, "requests": {}, "state": "s", "error": None, "before": {}, "unanswered_before": 3},
            {"kind": "round", "round": 2, "requests": {}, "state": "s", "unanswered_before": 3},
        ),
        (
            {"round": 1, "requests": {"r1": "r1"}, "error": {"code": -32042}, "before": {"answers": {}, "state": "s"}},
            {
                "kind": "links",
                "round": 1,
                "requests": {"r1": "r1"},
                "error": {"code": -32042},
                "answers": {},
                "state": "s",
                "unanswered_before": 0,
            },
        ),
    ],
)
async def test_an_older_call_that_waits_gets_a_checkpoint(tmp_path: Path, before: Json, expected: Json) -> None:
    database = TestDatabase(tmp_path)
    at_revision(database, "0015")
    database.run("UPDATE calls SET state = 'input_required', round = 7, `held` = :before", before=json.dumps(before))
    store = database.store()
    await store.open()
    [call] = await store.system.resumable_calls()
    await store.close()
    assert call.checkpoint == {"version": 1, **expected}
    assert to_json(from_json(call.checkpoint)) == call.checkpoint


@pytest.mark.parametrize(
    ("result", "failed"), [('{"isError": true}', True), ('{"isError": false}', False), (None, False)]
)
async def test_an_older_call_tells_a_failed_tool(tmp_path: Path, result: str | None, failed: bool) -> None:
    database = TestDatabase(tmp_path)
    at_revision(database, "0018")
    database.run("UPDATE calls SET result = :result", result=result)
    store = database.store()
    await store.open()
    [call] = await store.of(LOCAL_USER).calls.find()
    await store.close()
    assert call.reports_error is failed


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
    """The column that is in the way comes second in its migration, after another was added."""
    at_revision(TestDatabase(tmp_path), "0003")
    path = tmp_path / FILE
    with changing(path) as db:
        db.execute("ALTER TABLE servers ADD COLUMN muted_at DATETIME")
        tables = db.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
    with pytest.raises(StorageError, match="is unchanged: duplicate column name: muted_at"):
        prepare(tmp_path)
    with changing(path) as db:
        assert db.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall() == tables
        assert db.execute("SELECT version_num FROM alembic_version").fetchall() == [("0003",)]
        assert db.execute("SELECT content FROM requests").fetchall() == [('{"name": "Ada"}',)]


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


async def test_a_new_database_is_as_if_migrated(database: TestDatabase) -> None:
    """A new database is made at once, without the migrations."""
    place_of(database.folder, database.url).prepare()
    with database.connected() as db:
        made = schema_of(db)
        for table in [*metadata.tables, "alembic_version"]:
            db.execute(text(f"DROP TABLE {table}"))
    migrate_to(database, "head")
    with database.connected() as db:
        assert schema_of(db) == made


async def test_a_new_database_loads_no_migrations(tmp_path: Path) -> None:
    """They take a while, and memory."""
    code = "import sys; from pathlib import Path; from webclient.store import prepare; prepare(Path(sys.argv[1])); "
    code += "sys.exit('alembic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False).returncode == 0  # noqa: ASYNC221


def test_migrations_have_one_head() -> None:
    assert len(ScriptDirectory(str(MIGRATIONS)).get_heads()) == 1
