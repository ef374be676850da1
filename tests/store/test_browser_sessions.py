"""A browser session is known by its id alone, which is not stored."""

from __future__ import annotations

import pytest

from tests.store.conftest import TestDatabase
from tests.store.test_upgrade import everything_in
from webclient.store import Store

pytestmark = pytest.mark.anyio


async def test_a_session_is_stored_as_a_hash_until_it_ends(store: Store, database: TestDatabase) -> None:
    session_id = await store.browser_sessions.create("ada")
    assert await store.browser_sessions.user_of(session_id) == "ada"
    assert await store.browser_sessions.user_of("another") is None
    assert session_id not in str(database.run("SELECT * FROM browser_sessions"))
    if database.url is None:
        assert session_id.encode() not in b"".join(everything_in(database.folder).values())
    await store.browser_sessions.remove(session_id)
    assert await store.browser_sessions.user_of(session_id) is None
