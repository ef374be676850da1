"""Erasing a user leaves no row of theirs in any table; the tables are those of the metadata, so none is forgotten."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Column, Float, Integer, String, Table, Text, insert, select

from tests.store.conftest import TestDatabase
from webclient.domain.model import Person, User, now
from webclient.store import Store
from webclient.store.database.sealed_column import SealedJson
from webclient.store.database.tables import metadata

pytestmark = pytest.mark.anyio

OF_NOBODY = {
    "nodes": "processes of this program",
    "used_tokens": "digests of the tokens of embedding applications, until they expire",
    "users": "the user's own row, which has `id` in place of `user_id`",
}
"""Tables without a `user_id`, and what is in them."""

LASTS = {"audit"}
"""Tables whose rows of deleted users stay: an id says nothing without the row of the user."""

THEIRS = [table for table in metadata.sorted_tables if "user_id" in table.columns]


def test_each_table_says_whose_its_rows_are() -> None:
    """A new table has a `user_id`, or is named above with the reason."""
    assert {table.name for table in metadata.sorted_tables} - {table.name for table in THEIRS} == set(OF_NOBODY)


async def test_no_table_has_a_row_of_an_erased_user(store: Store, database: TestDatabase) -> None:
    ada, bob = [await store.users.recognise(Person(issuer="proxy", subject=each)) for each in ("ada", "bob")]
    with database.connected() as db:
        for user in (ada, bob):
            for table in THEIRS:
                db.execute(insert(table), row_of(table, user))
    filled = {table.name: 1 for table in THEIRS}
    assert (rows(database, ada), rows(database, bob)) == (filled, filled)
    await store.users.disable(ada.id)
    await store.users.erase(ada.id)
    assert rows(database, ada) == {name: int(name in LASTS) for name in filled}
    assert rows(database, bob) == filled
    with database.connected() as db:
        everything = str(
            [list(db.execute(select(table))) for table in metadata.sorted_tables if table.name not in LASTS]
        )
    assert (ada.id in everything, bob.id in everything) == (False, True)
    assert await store.users.get(ada.id) is None
    assert await store.users.get(bob.id) == bob


def row_of(table: Table, user: User) -> dict[str, Any]:
    """Return a row of a table that is the user's, with something in each column."""
    return {column.name: _value(column, user) for column in table.columns if column is not table.autoincrement_column}


def _value(column: Column[Any], user: User) -> Any:
    values: dict[type[Any], Any] = {
        JSON: {"of": user.id},
        SealedJson: {"of": user.id},
        Text: f"of {user.id}",
        String: user.id[: getattr(column.type, "length", None)],
        Integer: 1,
        Float: 1.5,
        Boolean: False,
    }
    if column.name == "user_id":
        return user.id
    return next((value for kind, value in values.items() if isinstance(column.type, kind)), now())


def rows(database: TestDatabase, user: User) -> dict[str, int]:
    """Return how many rows of a user each table has."""
    with database.connected() as db:
        return {table.name: len(list(db.execute(select(table).where(table.c.user_id == user.id)))) for table in THEIRS}
