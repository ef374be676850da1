"""A version goes on working on the tables of the next one, while processes of both share a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, inspect, text

from tests.postgresql import PostgreSQL
from tests.store.conftest import TestDatabase
from tests.store.every_table import CHECKPOINTS, fill_every_table
from tests.store.rows import SECRET_KEYS
from tests.store.test_upgrade import MIGRATIONS, REVISIONS, load
from webclient.domain.model import RequestState
from webclient.store.database.tables import metadata

pytestmark = pytest.mark.anyio

BASELINE = "0103"
"""The revision from which on migrations only expand: processes share a database since the one after it."""

NOWHERE = Path("nowhere")

OF_NEXT = "of_next_version"


@pytest.fixture
def database(postgresql: PostgreSQL, tmp_path: Path) -> Iterator[TestDatabase]:
    """A database without tables, of the only kind that processes share."""
    with postgresql.database(empty=True) as name:
        yield TestDatabase(tmp_path, postgresql.url(name))


@dataclass(frozen=True, slots=True)
class Column:
    """A column, as a version must know it to write rows."""

    type: str
    may_be_left_out: bool
    may_be_null: bool


def columns_of(db: Connection) -> Mapping[str, Mapping[str, Column]]:
    """Return the columns of each table, by name."""
    there = inspect(db)
    return {
        table: {
            each["name"]: Column(
                str(each["type"]),
                each["nullable"] or each["default"] is not None,
                each["nullable"],
            )
            for each in there.get_columns(table)
        }
        for table in there.get_table_names()
    }


def uniques_of(db: Connection) -> set[str]:
    """Return what must be unique in each table."""
    there = inspect(db)
    tables = there.get_table_names()
    constraints = {
        f"{table} {found['column_names']}" for table in tables for found in there.get_unique_constraints(table)
    }
    indexes = [(table, index) for table in tables for index in there.get_indexes(table) if index["unique"]]
    checks = {f"{table} {found['sqltext']}" for table in tables for found in there.get_check_constraints(table)}
    return constraints | {f"{table} {index['name']}" for table, index in indexes} | checks


def faults(db: Connection, change: Callable[[Connection], object]) -> list[str]:
    """Return what an earlier version would fail at after a change of the tables."""
    before, unique = columns_of(db), uniques_of(db)
    change(db)
    after = columns_of(db)
    found = []
    for table, columns in before.items():
        if table not in after:
            found.append(f"{table} is gone")
            continue
        for name, column in columns.items():
            if name not in after[table]:
                found.append(f"{table}.{name} is gone")
            elif after[table][name] != column and not _is_wider(column, after[table][name]):
                found.append(f"{table}.{name} is another column")
        added = {name: each for name, each in after[table].items() if name not in columns}
        found += [f"{table}.{name} cannot be left out" for name, each in added.items() if not each.may_be_left_out]
    limits = {each for each in uniques_of(db) - unique if each.partition(" ")[0] in before}
    return found + [f"{each} is a new limit" for each in limits]


def _is_wider(before: Column, after: Column) -> bool:
    return after.type == before.type and after.may_be_left_out and (after.may_be_null or not before.may_be_null)


def _upgrade(revision: str) -> Callable[[Connection], None]:
    def upgrade(db: Connection) -> None:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = db
        command.upgrade(config, revision)

    return upgrade


def test_migrations_since_processes_share_only_expand(database: TestDatabase) -> None:
    load(database, "0100")
    with database.connected() as db:
        _upgrade(BASELINE)(db)
        for revision in REVISIONS[REVISIONS.index(BASELINE) + 1 :]:
            assert faults(db, _upgrade(revision)) == [], revision


CHANGES = {
    "ALTER TABLE nodes ADD COLUMN more TEXT": [],
    "ALTER TABLE nodes ADD COLUMN more INTEGER NOT NULL DEFAULT 0": [],
    "CREATE TABLE more (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE)": [],
    "CREATE INDEX ix_more ON nodes (seen_at)": [],
    "DROP INDEX ix_placements_node_id": [],
    "ALTER TABLE nodes ADD COLUMN more INTEGER NOT NULL": ["nodes.more cannot be left out"],
    "ALTER TABLE nodes DROP COLUMN version": ["nodes.version is gone"],
    "ALTER TABLE nodes RENAME COLUMN version TO release": ["nodes.version is gone"],
    "DROP TABLE placements": ["placements is gone"],
    "ALTER TABLE placements RENAME TO homes": ["placements is gone"],
    "CREATE UNIQUE INDEX ix_more ON nodes (seen_at)": ["nodes ix_more is a new limit"],
    "ALTER TABLE nodes ALTER COLUMN seen_at SET NOT NULL": ["nodes.seen_at is another column"],
    "ALTER TABLE nodes ALTER COLUMN generation DROP NOT NULL": [],
    "ALTER TABLE nodes ALTER COLUMN id TYPE VARCHAR(9)": ["nodes.id is another column"],
    "ALTER TABLE nodes ADD CHECK (generation > 7)": ["nodes generation > 7 is a new limit"],
}


@pytest.mark.parametrize("statement", CHANGES)
def test_a_change_that_an_earlier_version_fails_at_is_found(url: str, statement: str) -> None:
    with TestDatabase(NOWHERE, url).opened() as db, db.begin() as transaction:
        assert faults(db, lambda db: db.execute(text(statement))) == CHANGES[statement]
        transaction.rollback()


async def test_a_version_works_on_the_tables_of_the_next(database: TestDatabase) -> None:
    """The next one has added to each table what a migration may add, while this version was running."""
    store = database.store(secret_keys=SECRET_KEYS)
    await store.open()
    try:
        for number, table in enumerate(metadata.tables):
            added = ("TEXT", "INTEGER NOT NULL DEFAULT 7")[number % 2]
            database.run(f"ALTER TABLE {table} ADD COLUMN {OF_NEXT} {added}")
        database.run(f"CREATE TABLE {OF_NEXT} (id INTEGER NOT NULL PRIMARY KEY)")
        database.run("UPDATE alembic_version SET version_num = '9999'")
        await fill_every_table(store)
        ada = store.of("ada")
        for state in RequestState:
            assert (await ada.requests.get(f"is-{state}")).state is state
        for kind in CHECKPOINTS:
            assert (await ada.calls.get(f"waits-{kind}")).checkpoint
    finally:
        await store.close()
