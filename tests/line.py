"""A server at the end of a line that can be cut, stalled and refused, or as a child, and words for how it is seen."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest

from tests.house import House, config, house
from tests.mcp_servers import STATE_KEY, running
from tests.mcp_servers.proxy import Proxy, proxied
from webclient.domain.model import CallState, Delivery, Era, InputRequest, ServerState, ServerStatus

BEAT = 1.0
"""Seconds between two beats here; the limits are parts of it."""

both_eras = pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])


@asynccontextmanager
async def at_the_end_of_a_line(
    folder: Path, era: Era, *options: str, transport: Literal["http", "sse"] = "http"
) -> AsyncIterator[tuple[House, Proxy]]:
    """Connect the asking server through a proxy."""
    async with (
        running(transport=transport, arguments=["--state-key", STATE_KEY, *options]) as server,
        proxied(server.address) as (proxy, address),
        house(folder, [config("it", {"type": transport, "url": address}, era)], beat_seconds=BEAT) as rooms,
    ):
        await rooms.connected("it")
        yield rooms, proxy


async def silent(rooms: House) -> ServerStatus:
    """Wait until the server is shown as not answering."""
    server = await rooms.server("it")

    async def look() -> ServerStatus | None:
        status = rooms.services.connections.status(server.key)
        return status if status.quiet_since else None

    return await rooms.until(look)


async def delivered(rooms: House, request: InputRequest, *wanted: Delivery) -> InputRequest:
    """Wait until the answer is so far on its way."""

    async def look() -> InputRequest | None:
        newest = await rooms.services.store.of("local").requests.get(request.id)
        return newest if newest.delivery in wanted else None

    return await rooms.until(look)


async def works(rooms: House) -> None:
    """See that a call goes through."""
    assert (await rooms.ended(await rooms.call("it", "structured"))).state is CallState.DONE


async def until_it_works(rooms: House) -> None:
    """Wait until the server is connected, and see that a call goes through."""
    await rooms.status("it", ServerState.CONNECTED)
    await works(rooms)


def newest_child() -> int:
    """Return the process that this one started last."""
    return int(Path(f"/proc/self/task/{os.getpid()}/children").read_text("utf-8").split()[-1])
