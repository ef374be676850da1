"""Every test of the store that takes `database` or `store` runs on SQLite and on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Row, create_engine, text

from tests.postgresql import PostgreSQL
from webclient.store import Sealer, Store
from webclient.store.database.sealed_column import use_sealer
from webclient.store.database.sqlite import FILE


@dataclass(frozen=True, slots=True)
class TestDatabase:
    """An empty database of one test: a file in `folder`, or the PostgreSQL at `url`."""

    __test__ = False  # not a class of tests

    folder: Path
    url: str | None = None

    def store(self, **options: Any) -> Store:
        """Return a store on the database, which is not open."""
        return Store(self.folder, url=self.url, **options)

    def run(self, statement: str, **values: object) -> list[Row[Any]]:
        """Run a statement behind the store's back, and return the rows that it gives."""
        with self.connected() as db:
            found = db.execute(text(statement), values)
            return list(found) if found.returns_rows else []

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Give a connection in a transaction, without anything that the store does to one."""
        with self.opened() as connection, connection.begin():
            yield connection

    @contextmanager
    def opened(self) -> Iterator[Connection]:
        """Give a connection without anything that the store does to one."""
        address = f"sqlite:///{self.folder / FILE}"
        if self.url:
            address = self.url.replace("postgresql:", "postgresql+psycopg:")
        engine = create_engine(address)
        use_sealer(engine, Sealer({"test": bytes(32)}))
        try:
            with engine.connect() as connection:
                yield connection
        finally:
            engine.dispose()


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TestDatabase]:
    """An empty database."""
    if request.param == "SQLite":
        yield TestDatabase(tmp_path)
        return
    server: PostgreSQL = request.getfixturevalue("postgresql")
    with server.database(empty=request.module.__name__.endswith("upgrade")) as name:
        yield TestDatabase(tmp_path, server.url(name))


@pytest.fixture
async def store(database: TestDatabase) -> AsyncIterator[Store]:
    """An open store on the empty database."""
    store = database.store()
    await store.open()
    yield store
    await store.close()


@pytest.fixture
def url(postgresql: PostgreSQL) -> Iterator[str]:
    """The address of an empty PostgreSQL with our tables."""
    with postgresql.database() as name:
        yield postgresql.url(name)
