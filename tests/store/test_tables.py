"""Every row of a user says whose it is."""

from __future__ import annotations

from webclient.store.tables import metadata


def test_every_table_but_those_of_nodes_and_users_has_a_user_id() -> None:
    assert [name for name, table in metadata.tables.items() if "user_id" not in table.columns] == ["nodes", "users"]
