"""Copies all rows of the SQLite file into an empty PostgreSQL database: all of them, or none.

The whole copy is one transaction. One that is interrupted leaves an empty database, so no program can start on half of
it, and starting over costs less than keeping track of how far it came.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    MetaData,
    Row,
    Table,
    Text,
    bindparam,
    cast,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.types import TypeDecorator

from webclient.domain.model import Reason, ReasonCode
from webclient.store.database.backends import place_of
from webclient.store.database.migrate import revisions
from webclient.store.database.sqlite import FILE, SQLite
from webclient.store.database.storage_errors import DatabaseError, StorageError
from webclient.store.database.tables import metadata
from webclient.store.database.upgrade import prepare_file, revision_of

if TYPE_CHECKING:
    from webclient.store.database.postgresql import PostgreSQL

BATCH_ROWS = 1000
BATCH_BYTES = 2**20
"""Rows, and characters of them, that are in memory at the same time: a row may have megabytes."""

_OTHERS = ("alembic_version",)
"""Tables that the upgrade makes itself."""


def copy_to_postgresql(data_dir: Path, url: str) -> Mapping[str, int]:
    """Copy all rows of the file in `data_dir` to the database at `url`; return how many, by table.

    Secrets stay sealed with the keys of the data folder. The file is only read. Raises DatabaseError for a file or a
    database that cannot be used, such as one that is not empty, and StorageError, also while another process uses the
    database. Then nothing was copied.
    """
    from webclient.store.database.upgrade_postgresql import bring_up_to_date, check_pooler  # noqa: PLC0415  (as in `place_of`)

    target: PostgreSQL = place_of(data_dir, url).backend  # type: ignore[assignment]  # the address is one of PostgreSQL
    part = "database"
    try:
        check_pooler(target)
        with (
            _source(data_dir) as path,
            closing(SQLite(path).connect(to_write=False)) as source,
            closing(target.connect(to_write=True)) as db,
            # A read transaction: all tables are from the same moment.
            source.begin(),
            db.begin(),
        ):
            bring_up_to_date(db, target.name)
            _check_empty(db, target.name)
            _check_known(source, path)
            copied: dict[str, int] = {}
            for table in metadata.sorted_tables:
                part = table.name
                copied[part] = _copy(source, db, table)
            _check_counts(source, db, copied)
            return copied
    except SQLAlchemyError as error:
        why, *_more = target.masked(str(getattr(error, "orig", None) or error)).strip().splitlines()
        raise DatabaseError(
            f"The rows cannot be copied ({part}: {why}). The database {target.name} was left as it is."
        ) from None


@contextmanager
def _source(data_dir: Path) -> Iterator[Path]:
    """Give the file with the newest tables: the one in the folder, or an upgraded copy, as the file is only read."""
    path = data_dir / FILE
    found = revision_of(path)
    if found is None:
        raise DatabaseError(f"There is nothing to copy: {path} does not exist, or is empty.")
    if found == revisions()[-1]:
        yield path
        return
    with ExitStack() as beside:
        try:
            upgraded = Path(beside.enter_context(TemporaryDirectory(prefix="copy-", dir=data_dir)))
            with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(upgraded / FILE)) as new:
                old.backup(new)
        except (OSError, sqlite3.Error) as error:
            raise StorageError(Reason.of(ReasonCode.DATABASE_NOT_READY, name=str(path), error=str(error))) from error
        prepare_file(upgraded)
        yield upgraded / FILE


def _check_empty(db: Connection, name: str) -> None:
    for table in metadata.sorted_tables:
        if db.execute(select(table).limit(1)).first() is not None:
            raise DatabaseError(
                f"The database {name} is not empty: its table {table.name} has rows. It was left as it is. Copy into "
                "a new database, or another schema of this one."
            )


def _check_known(source: Connection, path: Path) -> None:
    there = {name for name in inspect(source).get_table_names() if not name.startswith("sqlite_")}
    if unknown := there - metadata.tables.keys() - {*_OTHERS}:
        raise DatabaseError(f"{path} has tables that this version does not know: {', '.join(sorted(unknown))}.")


class _RawJson(TypeDecorator[str]):
    """JSON as the text that is stored: nothing is parsed, and nothing can come out otherwise."""

    impl = Text
    cache_ok = True


@dataclass(frozen=True, slots=True)
class _Raw:
    """A table whose columns give what is stored: JSON as text, and sealed values sealed."""

    table: Table
    json: frozenset[str]

    @classmethod
    def of(cls, table: Table) -> _Raw:
        """Return the table so."""
        json = frozenset(column.name for column in table.columns if isinstance(column.type, JSON) or _seals(column))
        columns = [Column(each.name, _RawJson() if each.name in json else each.type) for each in table.columns]
        return cls(Table(table.name, MetaData(), *columns), json)


def _seals(column: Column[Any]) -> bool:
    return isinstance(column.type, TypeDecorator) and isinstance(column.type.impl_instance, JSON)


def _copy(source: Connection, db: Connection, table: Table) -> int:
    from webclient.store.database.postgresql_text import write_json_text  # noqa: PLC0415

    raw = _Raw.of(table)
    # In the order of the rows in the file, which needs no sorting.
    rows = source.execution_options(yield_per=100).execute(select(raw.table))
    add = insert(raw.table).values({name: cast(bindparam(name, type_=Text), JSON) for name in raw.json})
    count = 0
    for batch in _batches(rows):
        written = [
            {
                name: write_json_text(value) if name in raw.json and value is not None else value
                for name, value in row._mapping.items()
            }
            for row in batch
        ]
        db.execute(add, written)
        count += len(batch)
    _set_sequence(db, table)
    return count


def _batches(rows: Any) -> Iterator[Sequence[Row[Any]]]:
    batch: list[Row[Any]] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += sum(len(value) for value in row if isinstance(value, str))
        if len(batch) >= BATCH_ROWS or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _set_sequence(db: Connection, table: Table) -> None:
    """Have the ids that the database gives go on after those that were copied."""
    column = table.autoincrement_column
    if column is None:
        return
    last = select(func.coalesce(func.max(column), 0) + 1).scalar_subquery()
    sequence = func.pg_get_serial_sequence(table.name, column.name)
    db.execute(select(func.setval(sequence, last, text("false"))).where(sequence.is_not(None)))


def _check_counts(source: Connection, db: Connection, copied: Mapping[str, int]) -> None:
    for name, count in copied.items():
        in_each = select(func.count()).select_from(metadata.tables[name])
        before, after = (each.execute(in_each).scalar_one() for each in (source, db))
        if not before == count == after:
            raise DatabaseError(f"The table {name} has {before} rows, and {after} were copied. Nothing was kept.")
