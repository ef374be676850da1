"""Makes the database file, or upgrades an older one to the newest tables: wholly, or not at all."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from webclient.domain.model import Reason, ReasonCode
from webclient.store.database.migrate import check_revision, migrate, revisions
from webclient.store.database.sqlite import FILE, SQLite, passing_fault
from webclient.store.database.storage_errors import DatabaseError, StorageError


def prepare_file(data_dir: Path) -> None:
    """Make the data folder and its database, or upgrade them wholly or not at all.

    Raises DatabaseError for a file that a newer or too old version wrote, that is another program's, or that is
    damaged; it is not touched. Raises StorageError when the folder cannot be written.
    """
    path = data_dir / FILE
    _check_revision(revision_of(path), path)
    try:
        # For its owner alone: it holds what people answered.
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        make_private(data_dir, FILE)
        _bring_up_to_date(path)
    except (OSError, sqlite3.Error, SQLAlchemyError) as error:
        if passing := passing_fault(getattr(error, "orig", None) or error):
            raise passing from error
        why = getattr(error, "orig", None) or getattr(error, "strerror", None) or error
        raise StorageError(Reason.of(ReasonCode.DATABASE_NOT_READY, name=str(path), error=str(why))) from error


def revision_of(path: Path) -> str | None:
    """Return at which revision the tables are, None if there are none yet; nothing is written, not even beside it.

    Raises DatabaseError for a file that is damaged, or another program's.
    """
    if not path.exists() or not path.stat().st_size:
        return None
    # What a crash left in the log is read as well, and reading it needs the index beside it. Without a log the file
    # is all there is, and "immutable" makes no index.
    log = path.with_name(f"{path.name}-wal")
    mode = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
    try:
        db = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)
        with closing(db):
            return _read_revision(db, path)
    except sqlite3.DatabaseError as error:
        raise DatabaseError(
            f"The file {path} cannot be read as the database of mcp-webclient: {error}. It was left as it is. Put a "
            "good copy in its place, or move it away to begin with an empty one."
        ) from error


def _read_revision(db: sqlite3.Connection, path: Path) -> str | None:
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "alembic_version" in tables:
        row = db.execute("SELECT version_num FROM alembic_version").fetchone()
        return row and str(row[0])
    if tables:
        raise DatabaseError(
            f"The file {path} is the database of another program (it has no alembic_version). It was left as it is. "
            "Choose another folder with --data-dir."
        )
    return None


def _check_revision(found: str | None, path: Path) -> None:
    check_revision(found, str(path), "--data-dir")


def _bring_up_to_date(path: Path) -> None:
    with closing(SQLite(path).connect(to_write=True)) as db, db.begin():
        file: sqlite3.Connection = db.connection.driver_connection  # type: ignore[assignment]
        # Again, now that no other process can write: one may have upgraded it meanwhile.
        found = _read_revision(file, path)
        _check_revision(found, path)
        if found != revisions()[-1]:
            migrate(db, found)
        # Something is written each time, so that a read-only folder is reported at the start.
        db.exec_driver_sql("PRAGMA user_version = 1")


_OURS = "webclient.*"
"""The database, what SQLite puts beside it, and the lock; a folder that the user chose may contain other files."""


def make_private(data_dir: Path, database: str) -> None:
    """Let only the owner read the files of this program in `data_dir`; raises OSError."""
    # SQLite gives the files that it makes beside the database the permissions of the database.
    os.close(os.open(data_dir / database, os.O_RDWR | os.O_CREAT, 0o600))
    for path in data_dir.glob(_OURS):
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
