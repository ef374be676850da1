"""The migrations: which revisions they make, and running them in a transaction; a new database needs none of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sqlalchemy import URL, Connection, text
from sqlalchemy.schema import CreateIndex, CreateTable

from webclient.store.database.storage_errors import DatabaseError
from webclient.store.database.tables import metadata
from webclient.store.database.unreleased import UNRELEASED, upgrade_unreleased

_MIGRATIONS = Path(__file__).parent.parent / "migrations"

_UPGRADER = "commit d4fc527"
"""The last version that upgrades databases of all versions before it."""

_VERSION = "alembic_version"
"""The table of Alembic, with the revision of the tables."""


def revisions() -> list[str]:
    """Return the revisions that the migrations make, oldest first; each file's name begins with its own."""
    return sorted(script.name.partition("_")[0] for script in (_MIGRATIONS / "versions").glob("[0-9]*.py"))


def check_revision(found: str | None, name: str, option: str) -> None:
    """Raise DatabaseError if tables at the revision `found` cannot be upgraded.

    `name` is that of the database, and the `option` chooses another one.
    """
    known = revisions()
    if found is None or found in (*UNRELEASED, *known):
        return
    if found.isdecimal() and found < known[0]:
        raise DatabaseError(
            f"The database {name} was written by a version before the first release, and is too old: its tables are at "
            f"{found}, and this version upgrades them from {UNRELEASED[0]} on. It was left as it is. Check out "
            f"{_UPGRADER} of mcp-webclient and start it once on this database, or choose another one with {option}."
        )
    raise DatabaseError(
        f"The database {name} was written by a newer version of mcp-webclient, or by another program: its tables are "
        f"at {found}, and the newest known here are {known[-1]}. It was left as it is. Start that version, or choose "
        f"another database with {option}."
    )


def migrate(connection: Connection, found: str | None) -> None:
    """Make the tables, or upgrade those at the revision `found`, in one transaction."""
    if found is None:
        _make_newest(connection)
        return
    if found in UNRELEASED:
        upgrade_unreleased(connection, found)
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
