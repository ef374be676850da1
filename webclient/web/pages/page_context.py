"""The context of every page: the user's servers and the number of pending requests and sign-ins.

The cursor is read first: changes while the rest is being read come after the cursor, and the page's stream sends them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Auth, ReasonCode, Server, ServerState, ServerStatus, now
from webclient.servers.connections import also_speaks
from webclient.services import Services
from webclient.store import Changes
from webclient.web.pages.inbox.sign_in_cards import SignInCard, card_of

_WANTS_TOKEN = frozenset({ReasonCode.HTTP_UNAUTHORIZED, ReasonCode.HTTP_TOKEN_REJECTED, ReasonCode.SIGN_IN_NO_SERVER})
"""Reasons after which only a token of the user's own opens the server: it refuses, and no sign-in can be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRow:
    """A server, the status of its connection, and what of it waits for the user.

    `waiting` is the number of its pending requests, plus one if it wants a sign-in; `auth` is where that stands.
    `unused` are the keys of its entry in the config file that have no effect. `token_error` is what is wrong with a
    posted token, `ends_work` that saving one ends open calls and questions.
    """

    server: Server
    status: ServerStatus
    waiting: int
    auth: Auth = field(default_factory=Auth)
    unused: Sequence[str] = ()
    token_error: str = ""
    ends_work: bool = False

    @property
    def also_speaks(self) -> str | None:
        """Another era that the server is known to support."""
        return also_speaks(self.server.learned, self.status.protocol_version)

    @property
    def fails(self) -> bool:
        """Whether its connection, or its sign-in, has failed for a reason that its page says."""
        is_up = self.status.state in (ServerState.CONNECTED, ServerState.CONNECTING)
        return self.auth.error is not None or (self.status.error is not None and not is_up)

    @property
    def wants_token(self) -> bool:
        """Whether it refuses without a token, or the one it got, and no sign-in helps."""
        reason = self.auth.error or (self.status.error.reason if self.status.error else None)
        return self.fails and reason is not None and reason.code in _WANTS_TOKEN

    @property
    def takes_token(self) -> bool:
        """Whether a token can be entered for it here: that of a server of the config file is in the file."""
        return self.server.name is None and "url" in self.server.transport

    @property
    def sign_in(self) -> SignInCard | None:
        """The card of the sign-in that it wants, or None."""
        return card_of(self.server, self.auth)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContext:
    """The servers and counts around one page, as they were read.

    `cursor` is the newest event included, `waiting` the number of all that waits, `trouble` why nothing can be stored
    now, or "". `address` is that of the page, if it answers a request to another. `runs_demo` says that a button
    can run the demo.
    """

    cursor: str
    opened: float
    servers: Sequence[ServerRow]
    waiting: int
    trouble: str = ""
    address: str = ""
    runs_demo: bool = False

    @property
    def failing(self) -> Sequence[ServerRow]:
        """The servers that cannot connect or sign in."""
        return [row for row in self.servers if row.fails]

    def row(self, server: Server) -> ServerRow:
        """Return the row of one of the user's servers. Raises NotFoundError if it was removed meanwhile."""
        found = next((row for row in self.servers if row.server.id == server.id), None)
        if found is None:
            raise NotFoundError(_("This server was removed."))
        return found


async def read_page_context(services: Services, user_id: str) -> PageContext:
    """Read the context of a page of the user, its cursor before anything else."""
    cursor = services.hub.cursor
    changes = await services.store.of(user_id).changes.read_listed()
    return page_context_of(services, cursor, changes)


def page_context_of(services: Services, cursor: str, changes: Changes) -> PageContext:
    """Return the context of a page; `changes` were read with the servers, after the `cursor`."""
    pending = changes.pending
    rows = [server_row(services, server, pending.get(server.id, 0)) for server in changes.servers.values()]
    return PageContext(
        cursor=cursor,
        opened=now().timestamp(),
        servers=rows,
        # Also requests of servers that were removed.
        waiting=sum(pending.values()) + sum(row.auth.wanted is not None for row in rows),
        trouble=str(services.store.health.trouble or ""),
        runs_demo=services.settings.runs_demo,
    )


def server_row(services: Services, server: Server, pending: int) -> ServerRow:
    """Return the row of a server with so many pending requests."""
    auth = services.sign_ins.auth_of(server.key)
    waiting = pending + (auth.wanted is not None)
    connections = services.connections
    return ServerRow(
        server=server,
        status=connections.status(server.key),
        waiting=waiting,
        auth=auth,
        unused=connections.unused(server.key),
    )


async def find_server(services: Services, user_id: str, server_id: str) -> Server | None:
    """Return the server, or None if it was removed."""
    try:
        return await services.store.of(user_id).servers.get(server_id)
    except NotFoundError:
        return None
