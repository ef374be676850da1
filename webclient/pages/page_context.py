"""What stands around the content of every page: the user's servers, and how many questions wait.

A page is read in two steps, the cursor first: whatever changes while the page is being read comes after the cursor,
and the page's stream tells it then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webclient.errors import NotFoundError
from webclient.model import Server, ServerStatus, now
from webclient.servers.learned_eras import also_speaks
from webclient.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRow:
    """A server, how its connection stands, and how many of its questions wait."""

    server: Server
    status: ServerStatus
    waiting: int

    @property
    def also_speaks(self) -> str | None:
        """The era that the server is known to speak besides the one in which it is connected."""
        return also_speaks(self.server.learned, self.status.protocol_version)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContext:
    """The servers and counts around one page, as they were read.

    `cursor` is the newest event that it has seen, `waiting` how many questions are pending, `trouble` why nothing can
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
    """Return the row of one server, of whose questions so many wait."""
    return ServerRow(server=server, status=services.connections.status(server.id), waiting=waiting)


async def find_server(services: Services, user_id: str, server_id: str) -> Server | None:
    """Return the server, or None if it was removed since."""
    try:
        return await services.store.of(user_id).servers.get(server_id)
    except NotFoundError:
        return None
