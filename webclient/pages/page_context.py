"""The context of every page: the user's servers and the number of pending requests.

The cursor is read first: changes while the rest is being read come after the cursor, and the page's stream sends them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webclient.errors import NotFoundError
from webclient.model import Server, ServerStatus, now
from webclient.servers import also_speaks
from webclient.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRow:
    """A server, the status of its connection and the number of its pending requests."""

    server: Server
    status: ServerStatus
    waiting: int

    @property
    def also_speaks(self) -> str | None:
        """Another era that the server is known to support."""
        return also_speaks(self.server.learned, self.status.protocol_version)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContext:
    """The servers and counts around one page, as they were read.

    `cursor` is the newest event included, `waiting` the number of pending requests, `trouble` why nothing can
    be stored now, or "".
    """

    cursor: str
    opened: float
    servers: Sequence[ServerRow]
    waiting: int
    trouble: str = ""


async def read_page_context(services: Services, user_id: str) -> PageContext:
    """Read the context of a page of the user, its cursor before anything else."""
    cursor = services.hub.cursor
    waiting = await services.store.of(user_id).requests.count_pending()
    servers = await services.store.of(user_id).servers.all()
    return PageContext(
        cursor=cursor,
        opened=now().timestamp(),
        servers=[server_row(services, server, waiting.get(server.id, 0)) for server in servers],
        waiting=sum(waiting.values()),
        trouble=services.store.health.trouble.why if services.store.health.trouble else "",
    )


def server_row(services: Services, server: Server, waiting: int) -> ServerRow:
    """Return the row of a server with `waiting` pending requests."""
    return ServerRow(server=server, status=services.connections.status(server.id), waiting=waiting)


async def find_server(services: Services, user_id: str, server_id: str) -> Server | None:
    """Return the server, or None if it was removed."""
    try:
        return await services.store.of(user_id).servers.get(server_id)
    except NotFoundError:
        return None
