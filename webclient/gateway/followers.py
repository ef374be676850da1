"""The agents that follow changes of their servers: in a session of 2025-11-25, or on a stream of 2026-07-28.

The program has one subscription at each server for all of them. Each gets what it follows and no more, at its own pace:
of equal notices that wait for it, the newest counts.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager

from webclient.domain.model import Json, Server, ServerKey
from webclient.gateway.passed_links import COMPLETED
from webclient.gateway.steps import Send
from webclient.gateway.visit import JointVisit, Visit
from webclient.protocol import Endpoint, NoticeEvents, is_same_or_below

LISTS = {name: f"notifications/{name}/list_changed" for name in ("tools", "prompts", "resources")}
"""The notice that each list has changed."""

UPDATED = "notifications/resources/updated"

MOST_RESOURCES = 200
"""Resources that one agent can follow, in all its sessions and streams."""

MOST_WAITING = 1000
"""Notices that wait for one agent; of more, the oldest are dropped."""

PAUSE = 0.1
"""Seconds between two looks at what has changed; a server may report thousands of changes a second."""


class Follower:
    """The notices `lists` and the `resources` that an agent follows, in one session or on one stream.

    `resources` has, by the URI that the agent uses, the server and its own URI. `log_level` is that of the session.
    `has_gone`: no agent listens any more.
    """

    def __init__(self, visit: Visit | JointVisit, lists: Set[str], connected: Set[str] = frozenset()) -> None:
        self.visit = visit
        self.lists = lists
        self.resources: dict[str, tuple[Server, str]] = {}
        self.has_gone = False
        self.log_level = ""
        self._connected = set(connected)
        self._waiting: dict[tuple[str, str], Json] = {}
        self._noted = asyncio.Event()

    def covers(self, server_id: str) -> bool:
        """Return whether the agent came to this server, or to all that it may use."""
        if isinstance(self.visit, Visit):
            return self.visit.server.id == server_id
        return not self.visit.permitted or server_id in self.visit.permitted

    def lists_changed(self) -> None:
        """Note that each list may have changed."""
        for method in self.lists:
            self.note(method, {})

    def server_changed(self, server_id: str, *, is_connected: bool) -> None:
        """Note that a server joins the lists of all, or leaves them."""
        if isinstance(self.visit, JointVisit) and is_connected != (server_id in self._connected):
            self._connected ^= {server_id}
            self.lists_changed()

    def updated(self, server_id: str, params: Json) -> None:
        """Note the change of a resource, if it is followed or below one that is."""
        uri = str(params.get("uri"))
        for given, (server, own) in self.resources.items():
            if server.id == server_id and is_same_or_below(uri, own):
                # At the address of all servers, the server may stand before.
                shown = given.removesuffix(own) + uri
                self.note(UPDATED, params | {"uri": shown}, shown)
                return

    def note(self, method: str, params: Json, about: str = "") -> None:
        """Send a notice soon."""
        self._waiting.pop((method, about), None)
        self._waiting[method, about] = params
        if len(self._waiting) > MOST_WAITING:
            del self._waiting[next(iter(self._waiting))]
        self._noted.set()

    async def pass_on(self, send: Send) -> None:
        """Send all notices, until this is cancelled."""
        while True:
            await self._noted.wait()
            self._noted.clear()
            while self._waiting:
                (method, _about), params = next(iter(self._waiting.items()))
                del self._waiting[method, _about]
                await send(method, params or None)
            await asyncio.sleep(PAUSE)


_OWN = (
    "notifications/cancelled",
    "notifications/progress",
    "notifications/elicitation/",
    "notifications/tasks",
    "notifications/subscriptions/",
    "notifications/roots/",
)
"""Beginnings of notifications between a server and this program."""

OnNotified = Callable[[ServerKey, str | None, str, Json], None]
"""Takes a notification of a server during a call."""


class Followers(NoticeEvents):
    """All agents that follow changes, by their user; `during_call` takes what belongs to a call.

    `on_completed` takes notifications that a link is completed.
    """

    def __init__(self) -> None:
        self.during_call: OnNotified = lambda *_notification: None
        self.on_completed: Callable[[ServerKey, Json], None] = lambda *_notification: None
        self._by_user: defaultdict[str, list[Follower]] = defaultdict(list)

    @contextmanager
    def following(self, follower: Follower) -> Iterator[None]:
        """Note for `follower` what changes while the block runs."""
        theirs = self._by_user[follower.visit.user_id]
        theirs.append(follower)
        try:
            yield
        finally:
            theirs.remove(follower)
            if not theirs:
                self._by_user.pop(follower.visit.user_id, None)

    def of_agent(self, visit: Visit | JointVisit) -> list[Follower]:
        """Return all that this agent follows in its sessions and on its streams."""
        return [each for each in self._by_user.get(visit.user_id, ()) if each.visit.token_id == visit.token_id]

    def noticed(self, endpoint: Endpoint, call_id: str | None, method: str, params: Json) -> None:
        """Note a change for those who follow it; another notification belongs to a call."""
        server = endpoint.server
        if method not in LISTS.values() and method != UPDATED:
            if method == COMPLETED:
                self.on_completed(server.key, params)
            elif not method.startswith(_OWN):
                self.during_call(server.key, call_id, method, params)
            return
        for follower in self._of(server.user_id, server.id):
            if method in follower.lists:
                follower.note(method, params)
            elif method == UPDATED:
                follower.updated(server.id, params)

    def reopened(self, endpoint: Endpoint) -> None:
        """Note that the lists of a server may be others in its new session."""
        for follower in self._of(endpoint.server.user_id, endpoint.server.id):
            follower.lists_changed()

    def subscribed_again(self, endpoint: Endpoint, uri: str) -> None:
        """Note that a resource may have changed while the server was not connected."""
        for follower in self._of(endpoint.server.user_id, endpoint.server.id):
            follower.updated(endpoint.server.id, {"uri": uri})

    def server_changed(self, user_id: str, server_id: str, *, is_connected: bool) -> None:
        """Note that a server is connected, or is not any more."""
        for follower in self._of(user_id, server_id):
            follower.server_changed(server_id, is_connected=is_connected)

    def _of(self, user_id: str, server_id: str) -> list[Follower]:
        return [each for each in self._by_user.get(user_id, ()) if each.covers(server_id)]
