"""Changes of lists in both eras, and completed links: many notifications are handled together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime

import anyio
import pytest
from mcp.types import ToolListChangedNotification

from tests.house import ALL_SERVERS, PATIENCE, House
from webclient.protocol.session import notifications
from webclient.protocol.session.notifications import Completions, ListChanges
from webclient.store.live import Event

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("name", ALL_SERVERS)
async def test_a_changed_list_is_published(shared: House, name: str) -> None:
    """MCP 2025-11-25, List Changed Notification; MCP 2026-07-28, Subscriptions."""
    server = await shared.server(name)
    with shared.services.hub.subscribe("local") as events:
        async with asyncio.timeout(PATIENCE):
            # In 2026-07-28 the stream for notifications may not be open yet, and a notification is sent once.
            calling = asyncio.create_task(_call_again_and_again(shared, name))
            async for event in events:
                if isinstance(event, Event) and (event.kind, event.subject) == ("server", server.id):
                    break
            calling.cancel()


async def _call_again_and_again(shared: House, name: str) -> None:
    while True:
        await shared.ended(await shared.call(name, "notify_changes"))


async def test_many_changes_are_published_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifications, "LISTS_PAUSE", 0.01)
    published: asyncio.Queue[str] = asyncio.Queue()
    noted: list[str] = []
    changes = ListChanges(lambda: noted.append("changed"), lambda: published.put_nowait("changed"))
    for turn in (1, 2):
        for _ in range(1000):
            changes.received(ToolListChangedNotification())
        assert len(noted) == 1000 * turn
        await published.get()
        assert published.empty()


async def test_a_thousand_completions_are_looked_up_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webclient.protocol.session.notifications.COMPLETIONS_PAUSE", 0)
    looked: list[set[str]] = []

    async def look_up(completed_at: Mapping[str, datetime]) -> None:
        looked.append(set(completed_at))
        await anyio.sleep(0.01)

    completions = Completions(look_up)
    assert [completions.add(str(n)) for n in range(1000)].count(True) == 1
    async with anyio.create_task_group() as group:
        group.start_soon(completions.work)
        await anyio.lowlevel.checkpoint()
        assert not completions.add("late"), "it is looked up after the others"
    assert looked == [{str(n) for n in range(1000)}, {"late"}]
    assert completions.add("again"), "the work starts again for a later one"
