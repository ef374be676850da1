"""Makes our tables in a PostgreSQL database, or upgrades older ones: wholly, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from webclient.domain.model import Reason, ReasonCode
from webclient.store.database.migrate import check_revision, migrate, revisions
from webclient.store.database.node import Node
from webclient.store.database.postgresql import PostgreSQL, lock_upgrades
from webclient.store.database.storage_errors import DatabaseError, StorageError
from webclient.store.database.tables import metadata


def prepare_schema(database: PostgreSQL) -> None:
    """Make our tables in the first schema of the search path, or upgrade them.

    Raises DatabaseError for a database that cannot be used: one that a newer or too old version wrote, that has tables
    of another program with our names, that is not in UTF-8, or behind a pooler in transaction mode; it is not touched.
    Raises StorageError when it cannot be reached or written, or another process uses it.
    """
    with _named(database):
        # Before the lock is taken, which would stay on a connection of the pooler.
        check_pooler(database)
        with closing(database.hold()) as db:
            check_direct(database)
            with db.begin():
                lock_upgrades(db)
                bring_up_to_date(db, database.name)


def prepare_beside(database: PostgreSQL) -> None:
    """Make the database ready for a command, also while the program uses it.

    Tables that are not the newest are upgraded, so then the program must not run. Raises as `prepare_schema` does.
    """
    with _named(database):
        check_pooler(database)
        with closing(database.connect(to_write=False)) as db:
            is_newest = _revision_of(db, database.name) == revisions()[-1]
    if not is_newest:
        prepare_schema(database)
    database.stand_beside()


def check_pooler(database: PostgreSQL) -> None:
    """Raise DatabaseError if a pooler shares the connections, so that no lock holds."""
    if database.shares_connections():
        raise DatabaseError(
            f"The database {database.direct_name} is behind a pooler that gives each transaction another connection, "
            "so no lock could keep other programs out, and nothing could be heard. It was left as it is. Name the "
            "direct address of the database with --database-direct-url, or set the pooler to session mode (PgBouncer: "
            "pool_mode = session)."
        )


def check_direct(database: PostgreSQL) -> None:
    """Raise DatabaseError if the direct address, where the lock was taken, leads to another database."""
    if not database.sees_lock():
        raise DatabaseError(
            f"The database {database.name} is not the one at the direct address, {database.direct_name}. Both were "
            "left as they are. Name the same one with --database-url and --database-direct-url."
        )


@contextmanager
def _named(database: PostgreSQL) -> Iterator[None]:
    """Raise the errors of the library as StorageErrors, without the password."""
    try:
        yield
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None)
        if fault := database.fault(cause):
            raise fault from None
        why = database.masked(str(cause or error)).strip()
        raise StorageError(Reason.of(ReasonCode.DATABASE_NOT_READY, name=database.name, error=why)) from None


def bring_up_to_date(db: Connection, name: str) -> None:
    """Make or upgrade the tables in the transaction of `db`; raises as `prepare_schema` does."""
    encoding = db.execute(text("SHOW server_encoding")).scalar_one()
    if encoding != "UTF8":
        raise DatabaseError(
            f"The database {name} has the encoding {encoding}, which cannot store every text. It was left as it is. "
            "Use a database with the encoding UTF8."
        )
    found = _revision_of(db, name)
    check_revision(found, name, "--database-url")
    if found != revisions()[-1]:
        migrate(db, found)
    # Something is written each time, so that a read-only database is reported at the start.
    Node().touch(db)


def _revision_of(db: Connection, name: str) -> str | None:
    """Return at which revision our tables are; None if there are none yet."""
    there = set(inspect(db).get_table_names())
    if "alembic_version" in there:
        revision: str | None = db.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
        return revision
    if in_the_way := there & metadata.tables.keys():
        raise DatabaseError(
            f"The database {name} has tables of another program with our names: {', '.join(sorted(in_the_way))}. "
            "It was left as it is. Choose another database, or another schema, with --database-url."
        )
    return None
