"""Opening the database: the file, its folder, its pragmas, and the migrations that bring it up to date."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from webclient.errors import WebclientError
from webclient.i18n import gettext as _
from webclient.store.failures import StorageError
from webclient.store.private import make_private

FILE = "webclient.sqlite3"
_MIGRATIONS = Path(__file__).parent / "migrations"

PRAGMAS = (
    "journal_mode = WAL",  # readers never wait for the writer
    "synchronous = NORMAL",  # a crash of the process loses nothing; a power cut may lose the last moments
    "busy_timeout = 5000",
    "secure_delete = ON",  # what is erased is overwritten, not only forgotten
    "cache_size = -256",  # kB for each connection; 2 MB by default, while the system keeps the file in memory anyway
)
"""What each connection is told."""


class DatabaseError(WebclientError):
    """The database cannot be used, and was left as it was; the message says what it is and what to do."""

    status = 503
    title = "Cannot be used"


CONNECTIONS = 10
"""How many statements run at the same time; each connection is a thread, and opening one takes longer than waiting."""


class _Engine(AsyncEngine):
    """An engine whose writing transactions take turns, and whose statements are not cut off.

    SQLite lets one write at a time, and does not make the others wait in line: of hundreds that come together, such as
    when a server with many questions is disconnected, some would find the database locked until they give up.

    A client that goes away cancels what was being done for it. In the middle of a statement that would cost the
    connection, which then stays open for good: under anyio's cancellation its orderly end is cancelled as well.
    """

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[AsyncConnection]:  # type: ignore[override]
        """Give a connection to read with."""
        with anyio.CancelScope(shield=True):
            async with super().connect() as connection:
                yield connection

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """Give a connection in a transaction, once the one before has ended."""
        async with self._turn, self.connect() as connection, connection.begin():
            yield connection


def engine_for(data_dir: Path) -> AsyncEngine:
    """Return an engine on the database file in `data_dir`; nothing is opened until it is used."""
    url = URL.create("sqlite+aiosqlite", database=str(data_dir / FILE))
    engine = create_async_engine(url, pool_size=CONNECTIONS, max_overflow=0)
    event.listen(engine.sync_engine, "connect", _set_pragmas)
    return _Engine(engine.sync_engine)


def prepare(data_dir: Path) -> None:
    """Make the data folder and its database, or bring an older one to the newest tables: wholly, or not at all.

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


def _set_pragmas(connection: Any, _record: Any) -> None:
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}").close()


def _bring_up_to_date(path: Path, *, is_newest: bool) -> None:
    engine = create_engine(URL.create("sqlite", database=str(path)))
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "connect", _leave_transactions_to_us)
    event.listen(engine, "begin", _begin_to_write)
    try:
        with engine.begin() as db:
            if not is_newest:
                _migrate(db)
            # Something is written each time, so that a folder that cannot be written is told at the start.
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
