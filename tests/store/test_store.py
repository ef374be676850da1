"""The store keeps its rows, and has few entrances."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.conftest import TestDatabase
from webclient.domain.model import Call, CallKind, Server
from webclient.store import Store
from webclient.store.system import SystemStore

pytestmark = pytest.mark.anyio


async def test_servers_and_calls_survive_a_restart(store: Store, database: TestDatabase) -> None:
    server = Server(user_id="ada", label="travel", transport={"type": "http", "url": "http://127.0.0.1/mcp"})
    call = Call(user_id="ada", server_id=server.id, server_label="travel", kind=CallKind.TOOL, name="book")
    await store.of(server.user_id).servers.add(server)
    await store.of(call.user_id).calls.add(call)
    await store.close()
    again = database.store()
    await again.open()
    assert await again.of("ada").servers.all() == [server]
    assert await again.of("ada").calls.get(call.id) == call
    await again.close()


def test_the_store_has_exactly_these_entrances() -> None:
    store = Store(Path())
    rooms = {"audit", "browser_sessions", "embed_sessions", "of", "open_sessions", "program_tokens", "rules", "sealer"}
    rooms |= {"saved_identities", "node_connection", "placements", "system", "used_tokens", "users", "watched_sign_ins"}
    assert public(store) == rooms | {"close", "end_within", "health", "is_shared", "open", "open_beside"}
    assert public(store.system) == {
        "answer_webhooks",
        "asked_by",
        "busy_users",
        "counts",
        "decided",
        "due",
        "requests_of_revoked",
        "purge_entries",
        "purge_hosted_tasks",
        "purge_sign_ins",
        "end_leftovers",
        "erase_values",
        "generating",
        "grants",
        "leave_over",
        "notices",
        "pending_of",
        "resumable_calls",
        "scrub",
        "sign_ins",
    }


def public(thing: Store | SystemStore) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}
