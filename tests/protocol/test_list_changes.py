"""A list of a server that changes is noticed in both eras, and told once for many changes."""

from __future__ import annotations

import asyncio

import pytest
from mcp.types import ToolListChangedNotification

from tests.house import ALL_SERVERS, PATIENCE, House
from webclient.live import Event
from webclient.protocol import list_changes
from webclient.protocol.list_changes import ListChanges

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("name", ALL_SERVERS)
async def test_a_changed_list_is_told_to_open_pages(shared: House, name: str) -> None:
    """MCP 2025-11-25, List Changed Notification; MCP 2026-07-28, Subscriptions."""
    server = await shared.server(name)
    with shared.services.hub.subscribe("local") as events:
        async with asyncio.timeout(PATIENCE):
            # In 2026-07-28 the stream on which it is told may not be open yet, and nothing is told twice.
            calling = asyncio.create_task(_call_again_and_again(shared, name))
            async for event in events:
                if isinstance(event, Event) and (event.kind, event.subject) == ("server", server.id):
                    break
            calling.cancel()


async def _call_again_and_again(shared: House, name: str) -> None:
    while True:
        await shared.ended(await shared.call(name, "notify_changes"))


async def test_many_changes_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_changes, "PAUSE", 0.01)
    told: asyncio.Queue[str] = asyncio.Queue()
    noted: list[str] = []
    changes = ListChanges(lambda: noted.append("changed"), lambda: told.put_nowait("changed"))
    for turn in (1, 2):
        for _ in range(1000):
            changes.notified(ToolListChangedNotification())
        assert len(noted) == 1000 * turn
        await told.get()
        assert told.empty()
