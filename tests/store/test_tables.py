"""Every row of a user says whose it is."""

from __future__ import annotations

from webclient.store.database.tables import metadata


def test_every_other_table_has_a_user_id() -> None:
    of_no_user = {name for name, table in metadata.tables.items() if "user_id" not in table.columns}
    assert of_no_user == {"nodes", "users", "used_tokens"}
