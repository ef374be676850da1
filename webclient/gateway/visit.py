"""One HTTP request of an agent: for which user it acts, at which server, and whether it still waits for the response.

The address of a server is `/mcp/ID`, or its label in lower case with hyphens.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field

import anyio

from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Server

_OTHERS = re.compile(r"[\W_]+")


@dataclass(slots=True, kw_only=True, eq=False)
class Visit:
    """A request of the agent with this token to a server of the user.

    `label` is the user's own name for the agent. `leave` gives back the place among the requests of the user that are
    handled: a call may wait for days. `gone` is set when nothing waits for the response any more; to cancel `ending`
    ends the response.
    """

    token_id: str
    label: str
    server: Server
    leave: Callable[[], None]
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    ending: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    @property
    def user_id(self) -> str:
        """The user for whom the agent acts."""
        return self.server.user_id


def slug(label: str) -> str:
    """Return a label as it stands in an address: in lower case, with a hyphen for all but letters and digits."""
    return _OTHERS.sub("-", label.casefold()).strip("-")


def server_at(given: str, servers: Sequence[Server], permitted: Set[str] = frozenset()) -> Server:
    """Return the server at the address `given`: its id, its name in the config file or its label.

    `permitted` are the ids of the servers that the agent may use, all if there are none. Raises NotFoundError, and
    ConflictError if several have this label.
    """
    theirs = [server for server in servers if not permitted or server.id in permitted]
    for found in (
        [server for server in theirs if server.id == given],
        [server for server in theirs if server.name is not None and server.name == given],
        [server for server in theirs if slug(server.label) == slug(given)],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            raise ConflictError(_("Several servers are called “{label}”. Use the ID of one.").format(label=given))
    raise NotFoundError(_("There is no server “{id}”, or this token may not use it.").format(id=given))
