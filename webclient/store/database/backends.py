"""Which database: a file in the data folder, or the PostgreSQL at an address."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from webclient.store.database.node import LOCAL_NODE, check_probes
from webclient.store.database.node_connection import NodeConnection
from webclient.store.database.own_connection import Backend
from webclient.store.database.sealing import Sealer
from webclient.store.database.secret_keys import check_keys, read_keys
from webclient.store.database.sqlite import FILE, SQLite
from webclient.store.database.storage_errors import DatabaseError
from webclient.store.database.upgrade import prepare_file


@dataclass(frozen=True, slots=True)
class Place:
    """Where the rows are; `prepare` makes the tables or upgrades them, and raises DatabaseError or StorageError.

    `prepare_beside` does so for a command, which may write while a program uses the database.
    """

    backend: Backend
    prepare: Callable[[], None]
    prepare_beside: Callable[[], None]
    node_connection: NodeConnection | None = None
    """The own connection of a process that shares the database."""


def place_of(
    data_dir: Path,
    url: str | None,
    node_id: str = LOCAL_NODE,
    *,
    shares: bool = False,
    direct_url: str | None = None,
) -> Place:
    """Return the PostgreSQL at `url`, or else the file in `data_dir`; raises DatabaseError.

    A node that `shares` a PostgreSQL lets other nodes use it as well. Where `url` is that of a pooler, it has its own
    connection at `direct_url`.
    """
    if url is None:
        prepare_here = partial(prepare_file, data_dir)
        return Place(SQLite(data_dir / FILE), prepare_here, prepare_here)
    try:
        # Only those who use PostgreSQL have its library, and wait until it is loaded.
        from webclient.store.database.postgresql import PostgreSQL  # noqa: PLC0415
        from webclient.store.database.upgrade_postgresql import prepare_beside, prepare_schema  # noqa: PLC0415
    except ImportError:
        message = "PostgreSQL needs a library: install mcp-webclient[postgresql]."
        raise DatabaseError(message) from None
    try:
        direct = make_url(direct_url) if direct_url else None
        backend = PostgreSQL(make_url(url), node_id, shares=shares, direct=direct)
    except (ArgumentError, ValueError):
        # Without the cause, which may quote the password.
        raise DatabaseError(
            "The database URL cannot be read: write postgresql://USER:PASSWORD@HOST:PORT/NAME, and percent-encode "
            "special characters in the password."
        ) from None
    own = NodeConnection(node_id, backend.listen, backend.notes) if shares else None
    return Place(backend, partial(prepare_schema, backend), partial(prepare_beside, backend), own)


def prepare(
    data_dir: Path,
    url: str | None = None,
    *,
    secret_keys: str | None = None,
    node_id: str | None = None,
    direct_url: str | None = None,
) -> None:
    """Make the database, or upgrade it, wholly or not at all, and check its keys.

    A process with a `node_id` shares it.

    Raises DatabaseError and StorageError.
    """
    check_keys(data_dir, secret_keys)
    place = place_of(data_dir, url, node_id or LOCAL_NODE, shares=node_id is not None, direct_url=direct_url)
    place.prepare()
    if node_id is not None:
        # Before anything is served: then the sentence stands alone.
        with closing(place.backend.connect(to_write=False)) as db, db.begin():
            check_probes(db, node_id, Sealer(read_keys(data_dir, secret_keys)))
