"""A database is upgraded wholly, or refused and left as it was."""

from __future__ import annotations

import json
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from webclient.calls.checkpoint import from_json, to_json
from webclient.model import LOCAL_USER, CallState, Json, RequestState
from webclient.store import DatabaseError, StorageError, Store, prepare
from webclient.store.database import FILE, engine_for
from webclient.store.tables import metadata

pytestmark = pytest.mark.anyio

MIGRATIONS = Path(prepare.__code__.co_filename).parent / "migrations"
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


def at_revision(folder: Path, revision: str) -> Path:
    """Make a database of that revision, with rows."""
    path = folder / FILE
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    engine.dispose()
    with changing(path) as db:
        for table, row in ROWS.items():
            values = row | {"created_at": MOMENT}
            marks = ", ".join("?" * len(values))
            db.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", list(values.values()))  # noqa: S608
    return path


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
    at_revision(tmp_path, revision)
    store = Store(tmp_path)
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
    path = at_revision(tmp_path, "0015")
    with changing(path) as db:
        db.execute("UPDATE calls SET state = 'input_required', round = 7, held = ?", [json.dumps(before)])
    store = Store(tmp_path)
    await store.open()
    [call] = await store.system.resumable_calls()
    await store.close()
    assert call.checkpoint == {"version": 1, **expected}
    assert to_json(from_json(call.checkpoint)) == call.checkpoint


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
    path = at_revision(tmp_path, "0003")
    with changing(path) as db:
        db.execute("ALTER TABLE servers ADD COLUMN muted_at DATETIME")
        tables = db.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
    with pytest.raises(StorageError, match="is as it was: duplicate column name: muted_at"):
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


async def test_the_migrations_make_the_tables_of_the_code(store: Store, tmp_path: Path) -> None:  # noqa: ARG001
    engine = engine_for(tmp_path)
    async with engine.connect() as db:
        differences = await db.run_sync(
            lambda connection: compare_metadata(MigrationContext.configure(connection), metadata)
        )
    await engine.dispose()
    assert differences == []
