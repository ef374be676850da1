"""Makes the database, or upgrades an older one to the newest tables: wholly, or not at all."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from webclient.i18n import gettext as _
from webclient.store.database import FILE, set_pragmas
from webclient.store.file_permissions import make_private
from webclient.store.storage_errors import DatabaseError, StorageError

_MIGRATIONS = Path(__file__).parent / "migrations"


def prepare(data_dir: Path) -> None:
    """Make the data folder and its database, or upgrade them wholly or not at all.

    Raises DatabaseError for a file that a newer version wrote, that is another program's, or that is damaged; it is
    not touched. Raises StorageError when the folder cannot be written.
    """
    path = data_dir / FILE
    known, found = _revisions(), _revision_of(path)
    newest = known[-1]
    if found is not None and found not in known:
        raise DatabaseError(
            _(
                "The database {path} was written by a newer version of mcp-webclient: its tables are at {found}, and "
                "the newest known here are {newest}. It was left as it is. Start that version, or choose another "
                "folder with --data-dir."
            ).format(path=path, found=found, newest=newest)
        )
    try:
        # For its owner alone: it holds what people answered.
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        make_private(data_dir, FILE)
        _bring_up_to_date(path, is_newest=found == newest)
    except (OSError, sqlite3.Error, SQLAlchemyError) as error:
        raise StorageError(
            _(
                "The database {path} could not be made ready, and is as it was: {why}. Make room, or let this user "
                "write there, or choose another folder with --data-dir."
            ).format(path=path, why=getattr(error, "orig", None) or getattr(error, "strerror", None) or error)
        ) from error


def _revisions() -> list[str]:
    """Return the revisions that the migrations make, oldest first; each file's name begins with its own."""
    return sorted(script.name.partition("_")[0] for script in (_MIGRATIONS / "versions").glob("[0-9]*.py"))


def _revision_of(path: Path) -> str | None:
    """Return at which revision the tables are, None if there are none yet; nothing is written, not even beside it."""
    if not path.exists() or not path.stat().st_size:
        return None
    # What a crash left in the log is read as well, and reading it needs the index beside it. Without a log the file
    # is all there is, and "immutable" makes no index.
    log = path.with_name(f"{path.name}-wal")
    mode = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
    try:
        db = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)
        try:
            tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if "alembic_version" in tables:
                row = db.execute("SELECT version_num FROM alembic_version").fetchone()
                return row and str(row[0])
        finally:
            db.close()
    except sqlite3.DatabaseError as error:
        raise DatabaseError(
            _(
                "The file {path} cannot be read as the database of mcp-webclient: {why}. It was left as it is. Put a "
                "good copy in its place, or move it away to begin with an empty one."
            ).format(path=path, why=error)
        ) from error
    if tables:
        raise DatabaseError(
            _(
                "The file {path} is the database of another program (it has no alembic_version). It was left as it is. "
                "Choose another folder with --data-dir."
            ).format(path=path)
        )
    return None


def _bring_up_to_date(path: Path, *, is_newest: bool) -> None:
    engine = create_engine(URL.create("sqlite", database=str(path)))
    event.listen(engine, "connect", set_pragmas)
    event.listen(engine, "connect", _leave_transactions_to_us)
    event.listen(engine, "begin", _begin_to_write)
    try:
        with engine.begin() as db:
            if not is_newest:
                _migrate(db)
            # Something is written each time, so that a read-only folder is reported at the start.
            db.exec_driver_sql("PRAGMA user_version = 1")
    finally:
        engine.dispose()


def _leave_transactions_to_us(connection: Any, _record: Any) -> None:
    # Python's driver would run statements that change tables outside of any transaction, each on its own.
    connection.isolation_level = None


def _begin_to_write(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _migrate(connection: Connection) -> None:
    # Only when there is something to do: it takes 11 MB and a while, and at most starts the tables are the newest.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
