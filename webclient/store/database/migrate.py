"""The migrations: which revisions they make, and running them in a transaction; a new database needs none of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sqlalchemy import URL, Connection, inspect, text
from sqlalchemy.schema import CreateIndex, CreateTable

from webclient.store.database.tables import metadata

_MIGRATIONS = Path(__file__).parent.parent / "migrations"

_VERSION = "alembic_version"
"""The table of Alembic, with the revision of the tables."""


def revisions() -> list[str]:
    """Return the revisions that the migrations make, oldest first; each file's name begins with its own."""
    return sorted(script.name.partition("_")[0] for script in (_MIGRATIONS / "versions").glob("[0-9]*.py"))


def migrate(connection: Connection) -> None:
    """Make the tables, or bring them to the newest revision, in one transaction."""
    if metadata.tables.keys().isdisjoint(there := set(inspect(connection).get_table_names())) and _VERSION not in there:
        _make_newest(connection)
        return
    # Only when there is something to do: it takes 11 MB and a while, and at most starts the tables are the newest.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _make_newest(connection: Connection) -> None:
    """Make all tables as the migrations do, one after the other, in a tenth of the time."""
    for statement in newest_tables(connection.dialect.name):
        connection.exec_driver_sql(statement)
    connection.execute(
        text(f"CREATE TABLE {_VERSION} (version_num VARCHAR(32) NOT NULL CONSTRAINT {_VERSION}_pkc PRIMARY KEY)")
    )
    connection.execute(text(f"INSERT INTO {_VERSION} VALUES (:revision)"), {"revision": revisions()[-1]})  # noqa: S608


@cache
def newest_tables(dialect: str) -> tuple[str, ...]:
    """Return the statements that make all tables and indexes: putting them together takes longer than running them."""
    to_text = URL.create(dialect).get_dialect()()
    made: list[str] = []
    for table in metadata.sorted_tables:
        made.append(str(CreateTable(table).compile(dialect=to_text)))
        made += [str(CreateIndex(index).compile(dialect=to_text)) for index in table.info.get("indexes", ())]
    return tuple(made)
