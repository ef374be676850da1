"""Opening the database: the file, its folder, its pragmas, and the migrations that bring it up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import URL, Connection, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

FILE = "webclient.sqlite3"
_MIGRATIONS = Path(__file__).parent / "migrations"


def make_folder(data_dir: Path) -> None:
    """Create the data folder for its owner alone: it holds what people answered."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)


def engine_for(data_dir: Path) -> AsyncEngine:
    """Return an engine on the database file in `data_dir`; nothing is opened until it is used."""
    engine = create_async_engine(URL.create("sqlite+aiosqlite", database=str(data_dir / FILE)))
    event.listen(engine.sync_engine, "connect", _set_pragmas)
    return engine


async def migrate(engine: AsyncEngine) -> None:
    """Bring the database to the newest tables."""
    async with engine.begin() as db:
        await db.run_sync(_migrate)


def _set_pragmas(connection: Any, _record: Any) -> None:
    # WAL: readers never wait for the writer. NORMAL: a crash of the process loses nothing; a power cut may lose
    # the last moments, never the file.
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "busy_timeout = 5000"):
        connection.execute(f"PRAGMA {pragma}").close()


def _migrate(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
