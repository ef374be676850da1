"""The store keeps its rows, and has few entrances."""

from __future__ import annotations

from pathlib import Path

import pytest

from webclient.model import Call, CallKind, Server
from webclient.store import Store
from webclient.store.system import SystemStore

pytestmark = pytest.mark.anyio


async def test_servers_and_calls_survive_a_restart(store: Store, tmp_path: Path) -> None:
    server = Server(user_id="ada", label="travel", transport={"type": "http", "url": "http://127.0.0.1/mcp"})
    call = Call(user_id="ada", server_id=server.id, server_label="travel", kind=CallKind.TOOL, name="book")
    await store.of(server.user_id).servers.add(server)
    await store.of(call.user_id).calls.add(call)
    await store.close()
    again = Store(tmp_path)
    await again.open()
    assert await again.of("ada").servers.all() == [server]
    assert await again.of("ada").calls.get(call.id) == call
    await again.close()


def test_the_store_has_exactly_these_entrances() -> None:
    store = Store(Path())
    assert public(store) == {"browser_sessions", "close", "health", "of", "open", "system"}
    assert public(store.system) == {
        "deadlines_until",
        "drop_entries",
        "end_leftovers",
        "erase_values",
        "expired_requests",
        "next_deadline",
        "resumable_calls",
        "scrub",
    }


def public(thing: Store | SystemStore) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}
