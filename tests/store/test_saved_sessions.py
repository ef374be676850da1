"""Saved sessions: one for each server, sealed, and gone with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.store.ada_rows import SERVER
from tests.store.ada_rows import SESSION as SAVED
from tests.store.conftest import TestDatabase
from webclient.domain.errors import NotFoundError
from webclient.store import Store

pytestmark = pytest.mark.anyio


async def test_a_saved_session_is_sealed_and_goes_with_its_server(store: Store, database: TestDatabase) -> None:
    ada = store.of("ada")
    with pytest.raises(NotFoundError):
        await ada.saved_sessions.save(SAVED)
    await ada.servers.add(SERVER)
    await ada.saved_sessions.save(SAVED)
    await ada.saved_sessions.save(replace(SAVED, resumed=1))
    assert await ada.saved_sessions.get(SERVER.id) == replace(SAVED, resumed=1)
    assert await store.of("bob").saved_sessions.get(SERVER.id) is None
    assert "secret" not in repr(SAVED)
    [[sealed]] = database.run("SELECT secrets FROM saved_sessions")
    assert SAVED.session_id not in sealed
    await ada.servers.remove([SERVER.id])
    assert await ada.saved_sessions.get(SERVER.id) is None


async def test_a_saved_session_is_forgotten(store: Store) -> None:
    ada = store.of("ada")
    await ada.servers.add(SERVER)
    await ada.saved_sessions.save(SAVED)
    await ada.saved_sessions.remove(SERVER.id)
    assert await ada.saved_sessions.get(SERVER.id) is None
