"""A removed server leaves nothing in memory."""

from __future__ import annotations

import asyncio
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from tests.house import PATIENCE, House, house
from webclient.domain.model import LOCAL_USER, InputRequest, Requester, Server
from webclient.inbox import RefusedError

pytestmark = pytest.mark.anyio

MANY = 100
"""Enough servers to show what one leaves behind; a thousand show no more and take a minute."""


def entries_below(thing: Any, seen: set[int]) -> int:
    """Count the entries of all containers below `thing`, except those of a bounded length."""
    if id(thing) in seen:
        return 0
    seen.add(id(thing))
    if isinstance(thing, dict):
        return len(thing) + sum(entries_below(each, seen) for each in thing.values())
    if isinstance(thing, list | set | deque):
        is_bounded = isinstance(thing, deque) and thing.maxlen is not None
        return 0 if is_bounded else len(thing) + sum(entries_below(each, seen) for each in thing)
    if not type(thing).__module__.startswith("webclient."):
        return 0
    names = [*getattr(thing, "__dict__", ()), *getattr(type(thing), "__slots__", ())]
    return sum(entries_below(getattr(thing, name, None), seen) for name in names)


async def ask(rooms: House, server: Server, kind: str) -> None:
    """Have the server send a request, which is refused if its kind is unknown."""
    request = InputRequest(
        user_id=LOCAL_USER,
        server_id=server.id,
        kind=kind,
        params={"message": "Name?", "requestedSchema": {"type": "object", "properties": {}}},
        asked_by=Requester(label=server.label, address=server.address),
    )
    services = rooms.services
    await services.admission.admit(server, [request])
    await services.inbox.put([request])
    services.admission.release(request)
    await services.inbox.decline_all(LOCAL_USER, server.id)


@pytest.mark.slow
async def test_removed_servers_leave_nothing_in_memory(tmp_path: Path) -> None:
    async with house(tmp_path) as rooms:
        before: int | None = None
        # After the first one only the entries remain that do not depend on the number of servers.
        for _number in range(MANY + 1):
            server = await rooms.services.servers.add(
                LOCAL_USER, label="it", transport={"type": "http", "url": "http://127.0.0.1:9/mcp"}
            )
            rooms.services.connections.connect(server)
            await ask(rooms, server, "form")
            with pytest.raises(RefusedError):
                await ask(rooms, server, "roots")
            await rooms.services.servers.remove(server)
            before = before or entries_below(rooms.services, set())
        async with asyncio.timeout(PATIENCE):
            # A task that has been cancelled is there until its next turn.
            while entries_below(rooms.services, set()) != before:  # noqa: ASYNC110  (nothing reports its end)
                await asyncio.sleep(0.05)
