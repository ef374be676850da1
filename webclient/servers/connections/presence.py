"""The users who are here: the config's servers are connected when a user comes, and let go some time after they left.

A user who is not here has no connection, task or cache in memory; an open call or a pending question keeps them here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from time import monotonic

from webclient.domain.model import Reason, acting, now
from webclient.servers.config_file import ServerConfig
from webclient.servers.connections.registry import Servers
from webclient.servers.sign_in import ENTERPRISE
from webclient.store import StorageError, Store
from webclient.store.live import Hub
from webclient.support import background
from webclient.support.turns import current

logger = logging.getLogger(__name__)

LOOK = 60.0
"""The most seconds between two looks at who has left."""

AT_ONCE = 10
"""Users whose servers follow a changed config file at the same time: more would delay everyone who is here."""


@dataclass(slots=True)
class _Visit:
    """One user's time here: the task that connects their servers, if it has begun, and when they were last seen.

    Before they have `come` themselves, something waits for them here.
    """

    welcome: asyncio.Task[None] | None
    has_come: bool = False
    seen: float = field(default_factory=monotonic)
    changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Taken while their servers change with the config file, and while they are let go."""


class Presence:
    """Connects the servers of users who come, and lets go of those of users who left; who is `always_here` stays."""

    def __init__(
        self, store: Store, hub: Hub, servers: Servers, *, idle_seconds: float, always_here: Collection[str]
    ) -> None:
        self._store = store
        self._hub = hub
        self._servers = servers
        self._idle_seconds = idle_seconds
        self._always_here = always_here
        self._configured: Sequence[ServerConfig] = ()
        self._visits: dict[str, _Visit] = {}
        self._leaving: dict[str, asyncio.Task[None]] = {}
        self.on_left: Callable[[str], Awaitable[None]] | None = None
        """Gets the id of a user who was let go, before they can come again."""

    @property
    def here(self) -> Collection[str]:
        """The ids of the users who are here, or whose calls go on without them."""
        return [user_id for user_id, visit in self._visits.items() if visit.welcome is not None]

    def opens_with_sign_in(self) -> bool:
        """Return whether the users' own sign-in opens a server of the config file."""
        return any(each.oauth.get("grant") == ENTERPRISE for each in self._configured)

    def begin(self, configured: Sequence[ServerConfig]) -> None:
        """Use these servers of the config file."""
        self._configured = configured

    async def open(self, configured: Sequence[ServerConfig]) -> None:
        """Use these servers of the config file; begin to connect those of users who never leave or have open work."""
        self.begin(configured)
        for user_id in {*self._always_here, *await self._store.system.busy_users()}:
            await self.arrived(user_id)

    async def use(self, configured: Sequence[ServerConfig]) -> None:
        """Use these servers of the config file, also for the users who are here.

        A user whose servers cannot be changed now gets them with their next request.
        """
        self._configured = configured
        places = asyncio.Semaphore(AT_ONCE)
        await asyncio.gather(*(self._follow(user_id, places) for user_id in tuple(self._visits)))

    async def _follow(self, user_id: str, places: asyncio.Semaphore) -> None:
        async with places:
            visit = self._visits.get(user_id)
            if visit is None:
                return
            if visit.welcome is None:
                return
            # Whom it has failed for is welcomed again, with the new servers.
            await asyncio.wait([visit.welcome])
            async with visit.changing:
                if user_id not in self._visits or user_id in self._leaving:
                    return
                changing = background.start(self._change(user_id), name="changed servers", awaited=True)
                await asyncio.wait([changing])
                if _has_failed(changing):
                    logger.warning("A user gets the changed servers with their next request: %r", _error(changing))
                    self._visits[user_id].welcome = changing

    async def _change(self, user_id: str) -> None:
        with acting(None):
            await self._servers.reconfigure(user_id, await self._theirs(user_id))

    async def arrived(self, user_id: str) -> None:
        """Note that a user is here. The first time, give them their servers of the config file.

        Raises StorageError.
        """
        await self.connect(user_id)
        visit = self._visits.get(user_id)
        if visit and not visit.has_come:
            await self._store.users.seen(user_id, now())
            visit.has_come = True

    def expect(self, user_id: str) -> None:
        """Note that something waits here for a user who may come; until then, no server of theirs is connected."""
        self._visits.setdefault(user_id, _Visit(None))

    async def connect(self, user_id: str) -> None:
        """Give a user their servers of the config file, who may not have come themselves.

        Raises StorageError.
        """
        while leaving := self._leaving.get(user_id):
            await background.shared(leaving)
        if self._store.users.is_disabled(user_id):
            # Their last request waited until they were let go: it must not connect their servers again.
            return
        visit = self._visits.get(user_id)
        welcome = visit.welcome if visit else None
        if welcome is None or _has_failed(welcome):
            welcome = background.start(self._welcome(user_id), name="welcome", awaited=True)
            visit = self._visits[user_id] = _Visit(welcome)
        if visit:
            visit.seen = monotonic()
        if not welcome.done():
            # Shielded: the other requests of the same page wait for it as well.
            await background.shared(welcome)
        else:
            welcome.result()

    async def _welcome(self, user_id: str) -> None:
        theirs = await self._theirs(user_id)
        # The file changes them, and not the user whose request is the first.
        with acting(None):
            await self._servers.configure(user_id, theirs)

    async def _theirs(self, user_id: str) -> Sequence[ServerConfig]:
        user = await self._store.users.get(user_id)
        names = user.names if user else frozenset[str]()
        return [each for each in self._configured if each.users is None or not names.isdisjoint(each.users)]

    async def run(self) -> None:
        """Let go of users who left, for ever."""
        while True:
            await asyncio.sleep(max(1, min(LOOK, self._idle_seconds / 2)))
            try:
                await self.look()
            except StorageError as error:
                logger.warning("Idle connections stay open for now: %s", error)

    async def look(self) -> None:
        """Let go of the users who have had nothing open for long enough."""
        self._visits |= {
            id_: replace(visit, seen=monotonic()) for id_, visit in self._visits.items() if self._watches(id_)
        }
        # Something may have happened to one who left, such as a deadline.
        self._hub.forget_absent(self._visits)
        current().forget_idle()
        if not self._idle():
            return
        busy = await self._store.system.busy_users()
        # One after the other: the connections of many users that close at once would delay everyone who is here.
        for user_id in self._idle():
            # A user may have come back meanwhile.
            if user_id not in busy and user_id in self._idle():
                await self._leave(user_id)

    def _watches(self, user_id: str) -> bool:
        return self._hub.has_subscribers(user_id)

    def _idle(self) -> list[str]:
        since = monotonic() - self._idle_seconds
        return [
            user_id
            for user_id, visit in self._visits.items()
            if visit.seen < since and user_id not in self._always_here and not self._watches(user_id)
        ]

    async def leave(self, user_id: str, reason: Reason | None = None) -> None:
        """Let go of a user at once, with everything in memory about their servers; open work ends for that `reason`."""
        if user_id not in self._leaving:
            self._leaving[user_id] = background.start(self._let_go(user_id, reason), name="let go", awaited=True)
        await background.shared(self._leaving[user_id])

    async def _leave(self, user_id: str) -> None:
        visit = self._visits[user_id]
        if visit.has_come:
            await self._store.users.seen(user_id, now() - timedelta(seconds=monotonic() - visit.seen))
        await self.leave(user_id)

    async def _let_go(self, user_id: str, reason: Reason | None) -> None:
        try:
            visit = self._visits.get(user_id)
            async with visit.changing if visit else nullcontext():
                await self._servers.let_go(user_id, reason)
            self._hub.forget(user_id)
            if self.on_left is not None:
                await self.on_left(user_id)
        finally:
            self._visits.pop(user_id, None)
            del self._leaving[user_id]


def _error(task: asyncio.Task[None]) -> BaseException | None:
    return asyncio.CancelledError() if task.cancelled() else task.exception()


def _has_failed(task: asyncio.Task[None]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
