"""A browser session is known by its id alone, which is not stored."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.store.conftest import TestDatabase
from tests.store.test_upgrade import everything_in
from webclient.domain.model import LOCAL_USER, Person, Role, now
from webclient.store import Store

pytestmark = pytest.mark.anyio


async def test_a_session_is_stored_as_a_hash_until_it_ends(store: Store, database: TestDatabase) -> None:
    session_id = await store.browser_sessions.create(LOCAL_USER)
    session = await store.browser_sessions.find(session_id)
    assert session is not None
    assert (session.user.id, session.user.role, session.way) == (LOCAL_USER, Role.ADMIN, "local")
    assert await store.browser_sessions.find("another") is None
    assert session_id not in str(database.run("SELECT * FROM browser_sessions"))
    if database.url is None:
        assert session_id.encode() not in b"".join(everything_in(database.folder).values())
    await store.browser_sessions.remove(session_id)
    assert await store.browser_sessions.find(session_id) is None


async def test_a_session_ends_with_the_token_that_signed_it_in(store: Store, database: TestDatabase) -> None:
    local = await store.browser_sessions.create(LOCAL_USER)
    ada = await store.users.recognise(Person(issuer="proxy", subject="ada"))
    other = await store.browser_sessions.create(ada.id, "oidc", ends_at=now() + timedelta(hours=1))
    ended = await store.browser_sessions.create(ada.id, "oidc", ends_at=now())
    await store.close()
    later = database.store(token="another")
    await later.open()
    found = [await later.browser_sessions.find(each) for each in (local, other, ended)]
    assert [each and each.user.id for each in found] == [None, ada.id, None]
    await later.close()
