"""One HTTP request of an agent: for which user it acts, at which server, and how long it waits for the response.

The address of a server is `/mcp/ID`, or its label in lower case with hyphens; that of all together is `/mcp`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, fields
from datetime import datetime

import anyio

from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Server, SignInKey, now
from webclient.store import MovedError

_OTHERS = re.compile(r"[\W_]+")

UNKNOWN = 4.0
"""Seconds that every known client waits; the least patient ones give up after 5."""

SHARE = 0.8
"""The part of the time after which an agent has gone that it is let wait from then on."""

SHORTEST = 1.0
"""An agent that goes away earlier has been ended; that says nothing about its patience."""

BEFORE_END = 2.0
"""Seconds before the end of its credential at which an agent gets a result."""

MOST = 10_000
"""Agents whose patience is remembered."""


@dataclass(slots=True, kw_only=True, eq=False)
class AgentVisit:
    """A request of the agent with this token, or with this id of its own if it has no token here.

    `label` is the user's own name for the agent, and `patience` are the seconds that the user has set for it. `learned`
    are those after which it went away in an earlier process, and `guessed` those of clients that look like it.
    `passes_on`: what servers ask during its calls is passed on to it. `leave` gives back the place among the requests
    of the user that are handled: a call may wait for days. `gone` is set when nothing waits for the response any more;
    to cancel `ending` ends the response, as happens at `ends_at`. What the agent follows ends with `sign_in`, if that
    can end before. `on_response` get whether the response reached an agent that was still there. `begun` is set once a
    call runs for it; `moved` says that nothing was done, because the user lives on another node.
    """

    user_id: str
    token_id: str
    label: str
    patience: float | None = None
    learned: float | None = None
    guessed: float | None = None
    ends_at: datetime | None = None
    sign_in: SignInKey | None = None
    passes_on: bool = False
    leave: Callable[[], None]
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    ending: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    on_response: list[Callable[[bool], None]] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    moved: MovedError | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class Visit(AgentVisit):
    """A request to one server of the user; `joint`: it came to the address of all servers."""

    server: Server
    joint: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class JointVisit(AgentVisit):
    """A request to all servers of the agent together: those with the `permitted` ids, all if there are none."""

    servers: Sequence[Server]
    permitted: Set[str] = frozenset()

    def at(self, server: Server, *, joint: bool) -> Visit:
        """Return the same request to one of them; `joint`: it came to the address of all."""
        shared = {each.name: getattr(self, each.name) for each in fields(AgentVisit)}
        return Visit(**shared, server=server, joint=joint)


class Patience:
    """The seconds for which agents wait."""

    def __init__(self) -> None:
        self._learned: dict[tuple[str, str], float] = {}

    def of(self, visit: AgentVisit) -> float:
        """Return the seconds for which this agent may wait."""
        seconds = visit.patience or self._learned.get(_key(visit)) or visit.learned or visit.guessed or UNKNOWN
        if visit.ends_at is None:
            return seconds
        # Earlier than the response is ended, so that the agent learns how to go on.
        return min(seconds, max(SHORTEST, (visit.ends_at - now()).total_seconds() - BEFORE_END))

    def learn(self, visit: AgentVisit, seconds: float) -> float | None:
        """Note that an agent has gone after so many seconds, unless it was sent away; return what it is let wait."""
        if visit.ending.cancel_called or seconds < SHORTEST:
            return None
        learned = round(SHARE * seconds, 1)
        if _key(visit) in self._learned or len(self._learned) < MOST:
            self._learned[_key(visit)] = learned
        return learned


def _key(visit: AgentVisit) -> tuple[str, str]:
    # One token may act for several users.
    return visit.user_id, visit.token_id


def slug(label: str) -> str:
    """Return a label as it stands in an address: in lower case, with a hyphen for all but letters and digits."""
    return _OTHERS.sub("-", label.casefold()).strip("-")


def permitted_of(servers: Sequence[Server], permitted: Set[str]) -> Sequence[Server]:
    """Return those of the servers that the agent may use: all if no ids are `permitted`."""
    return [server for server in servers if not permitted or server.id in permitted]


def server_at(given: str, servers: Sequence[Server], permitted: Set[str] = frozenset()) -> Server:
    """Return the server at the address `given`: its id, its name in the config file or its label.

    `permitted` are the ids of the servers that the agent may use, all if there are none. Raises NotFoundError, and
    ConflictError if several have this label.
    """
    theirs = permitted_of(servers, permitted)
    for found in (
        [server for server in theirs if server.id == given],
        [server for server in theirs if server.name is not None and server.name == given],
        [server for server in theirs if slug(server.label) == slug(given)],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            raise ConflictError(_("Several servers are called “{label}”. Use the ID of one.").format(label=given))
    raise NotFoundError(_("No server is called “{id}”, or this token may not use it.").format(id=given))
