"""Fills a database with settled questions and their ended calls, directly: through the store it would take hours."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from sqlalchemy import Column, Connection, Engine, MetaData, String, Table, insert, select

from webclient.domain.model import new_id, now
from webclient.store.database.tables import Moment, calls, requests

AT_ONCE = 50_000
SERVERS = 20
DAYS = 29
"""All values are younger than the age at which a program that starts begins to erase them."""

_PAIRS = Table(
    "pairs",
    MetaData(),
    Column("request_id", String(32)),
    Column("call_id", String(32)),
    Column("server_id", String(32)),
    Column("at", Moment),
    prefixes=["TEMPORARY"],
)
"""The values that differ from row to row."""


def fill(engine: Engine, count: int) -> None:
    """Copy the one settled question and its ended call so many times.

    The copies are of `DAYS` and of `SERVERS` servers. Ids are as random as real ones, so that rows and entries of
    indexes come in no order.
    """
    for first in range(0, count, AT_ONCE):
        with engine.begin() as db:
            _PAIRS.create(db)
            db.execute(insert(_PAIRS), list(_pairs(min(AT_ONCE, count - first))))
            _copy(db, requests, "request_id", ("created_at", "settled_at"), {"call_id": "call_id", "digest": "call_id"})
            _copy(db, calls, "call_id", ("created_at", "updated_at"), {})
            _PAIRS.drop(db)
    # SQLite never does so by itself, and with its coarse statistics a state that a row hardly ever has looks frequent.
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
            db.exec_driver_sql("ANALYZE")


def _pairs(count: int) -> Iterator[dict[str, Any]]:
    end = now()
    for _each in range(count):
        at = end - timedelta(seconds=random.random() * DAYS * 86_400)  # noqa: S311
        server = f"s{random.randrange(SERVERS)}"  # noqa: S311
        yield {"request_id": new_id(), "call_id": new_id(), "server_id": server, "at": at}


def _copy(db: Connection, table: Table, id_: str, moments: tuple[str, ...], others: dict[str, str]) -> None:
    """Insert a copy of the table's one template row, which has the id `template`, for each of the pairs."""
    changed = {"id": id_, "server_id": "server_id"} | dict.fromkeys(moments, "at") | others
    columns = [_PAIRS.c[changed[each.name]] if each.name in changed else each for each in table.c]
    template = select(*columns).select_from(table.join(_PAIRS, table.c.id == "template"))
    db.execute(insert(table).from_select([each.name for each in table.c], template))
