"""Waits for a field of a server's status."""

from __future__ import annotations

from tests.house import House
from webclient.domain.model import ServerStatus


async def status_with(rooms: House, name: str, field: str) -> ServerStatus:
    """Return the status of the server once it has a value in this field."""
    server = await rooms.server(name)

    async def look() -> ServerStatus | None:
        status = rooms.services.connections.status(server.key)
        return status if getattr(status, field) else None

    return await rooms.until(look)
