"""The users who live on this node: how they come, are taken over from nodes that died, and leave."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

from webclient.domain.errors import WebclientError
from webclient.domain.i18n import N_
from webclient.domain.i18n import gettext as _
from webclient.settings import differing
from webclient.store import NodeState, Placements, StorageError
from webclient.support import background

logger = logging.getLogger(__name__)

RENEWAL = 2.0
"""Seconds between two renewals of this node, and between two looks for users whose node is dead."""

PATIENCE = 8.0
"""Seconds without a renewal after which this node ends its users' sessions: two before others may take them over."""

WAIT = 5.0
"""Seconds that a request waits while its user moves in or out."""

KNOWN = 5.0
"""Seconds for which the home of a user on another node is remembered; that node refuses what is not for it."""

VERSION = "version"
"""The name of the program's version among the settings that are compared."""

ADOPTED = 50
"""Users who are taken over in one look, so that several nodes share those of a dead one."""

Change = Callable[[str], Awaitable[None]]
"""Does something for the user with this id."""


class NoNodeError(WebclientError):
    """No node takes the user now, such as while all of them are leaving."""

    status = 503
    title = N_("Moving")
    retry_after = 1
    is_temporary = True

    def __init__(self) -> None:
        super().__init__(_("Your inbox is moving to another process. Try again in a moment."))


class Residents:
    """The users of this node. `settle` takes one over with what they left elsewhere; `let_go` ends their sessions."""

    def __init__(self, placements: Placements, settle: Change, let_go: Change) -> None:
        self._placements = placements
        self._settle = settle
        self._let_go = let_go
        self._here: set[str] = set()
        self._elsewhere: dict[str, tuple[float, str]] = {}
        self._changing: dict[str, asyncio.Task[None]] = {}
        self._deaths: dict[str, asyncio.Event] = {}
        self._renewed = monotonic()
        self._alive = frozenset[str]()
        self._offset = 0.0
        self._configuration: Mapping[str, str] = {}
        self._differing: Mapping[str, frozenset[str]] = {}
        self._leaving = asyncio.Event()
        self._has_news = asyncio.Event()

    @property
    def here(self) -> frozenset[str]:
        """The ids of the users who live here."""
        return frozenset(self._here)

    @property
    def is_leaving(self) -> bool:
        """Whether this node takes no more users, because it is about to end."""
        return self._leaving.is_set()

    @property
    def is_known(self) -> bool:
        """Whether this node is alive to the others: it was renewed in time, and has its lock."""
        return self._left > 0 and self._placements.has_lock

    async def until_leaving(self) -> None:
        """Wait until this node is about to end."""
        await self._leaving.wait()

    @property
    def is_first(self) -> bool:
        """Whether this is the node that does what one node does for all."""
        return self._placements.node_id == min(self._alive, default="")

    def time(self) -> float:
        """Return the time in seconds by the clock of the database."""
        return monotonic() + self._offset

    async def nodes(self) -> Sequence[NodeState]:
        """Return all nodes as operators see them."""
        return await self._placements.nodes()

    async def home(self, user_id: str) -> str | None:
        """Return the address of the other node that a user lives on; None if they live here, also from now on.

        Raises NoNodeError and StorageError.
        """
        if change := self._changing.get(user_id):
            await asyncio.wait([change], timeout=WAIT)
        if user_id in self._changing:
            raise NoNodeError
        if user_id in self._here:
            return None
        since, home = self._elsewhere.get(user_id, (0.0, ""))
        if not home or monotonic() - since > KNOWN:
            home = await self._placements.find(user_id) or await self._placements.place(user_id) or ""
        if not home:
            raise NoNodeError
        if home != self._placements.node_id:
            self._elsewhere[user_id] = monotonic(), home
            return home
        await self._change(user_id, self._move_in)
        return None

    def doubt(self, user_id: str) -> None:
        """Look again where a user lives: a node says that it is not there, or cannot be reached.

        A user of ours may have been taken over since that was asked, so the database says whether they live here.
        """
        self._elsewhere.pop(user_id, None)
        if user_id in self._here:
            self._has_news.set()

    async def seek(self, user_id: str) -> None:
        """Find out whether the node of a user, which could not be reached, has died."""
        self._elsewhere.pop(user_id, None)
        await self._placements.renew()

    async def until_dead(self, node_id: str) -> None:
        """Wait until another node has died or left; one that is frozen keeps its connections."""
        await self._deaths.setdefault(node_id, asyncio.Event()).wait()

    async def left(self, user_id: str) -> None:
        """Have a user live nowhere who has left this node."""
        if user_id in self._here:
            self._here.discard(user_id)
            await self._placements.release(user_id)

    async def begin(self, version: str, configuration: Mapping[str, str]) -> None:
        """Make this node known to the others, with digests of its settings.

        Raises StorageError if they cannot work together.
        """
        self._configuration = {VERSION: version, **configuration}
        await self._placements.join(version, self._configuration)
        await self._look()

    async def describe(self, configuration: Mapping[str, str]) -> None:
        """Show the others what the settings of this node are now. Raises StorageError."""
        self._configuration = {VERSION: self._configuration[VERSION], **configuration}
        await self._placements.describe(self._configuration)

    def differs(self, node: NodeState) -> Sequence[str]:
        """Return the names of the settings in which a node differs from this one; those of ended ones do not matter."""
        return sorted(differing(self._configuration, node.configuration)) if node.is_alive else ()

    async def run(self) -> None:
        """Renew this node, and take over users of nodes that died, until cancelled."""
        while True:
            # First: a node that was frozen for long must not act for users whom others have taken over meanwhile.
            if self._left <= 0:
                self._lose_all()
            # Before the look: what is heard of meanwhile is looked at again.
            self._has_news.clear()
            look = background.start(self._look(), name="look", awaited=True)
            # A database that hangs must not keep this node from ending the sessions in time.
            in_time, _late = await asyncio.wait([look], timeout=max(self._left, 0))
            # A timer may be early by a millisecond, so that a little time seems to be left.
            if not in_time or self._left <= 0:
                self._lose_all()
            try:
                await background.shared(look)
            except StorageError as error:
                logger.warning("This node cannot be renewed: %s", error.for_operator)
            self._elsewhere = {
                user_id: known for user_id, known in self._elsewhere.items() if monotonic() - known[0] < KNOWN
            }
            with suppress(TimeoutError):
                async with asyncio.timeout(RENEWAL):
                    await self._has_news.wait()

    async def look(self) -> None:
        """Have users taken over at once: another node has handed its own over."""
        self._has_news.set()

    @property
    def _left(self) -> float:
        """Seconds until the sessions of the users here must end unless this node is renewed."""
        return self._renewed + PATIENCE - monotonic()

    async def _look(self) -> None:
        # Both before: a user who comes meanwhile may be missing in what is read.
        begun, here = monotonic(), self.here
        renewal = await self._placements.renew()
        self._alive = frozenset(renewal.nodes)
        self._compare(renewal.nodes)
        self._renewed = begun
        self._offset = renewal.at.timestamp() - monotonic()
        for user_id in here - renewal.users:
            self._lose(user_id)
        for node_id in self._deaths.keys() - self._alive:
            self._deaths.pop(node_id).set()
        if not self.is_leaving:
            adopted = await self._placements.adopt(ADOPTED)
            # Also those whom another node has placed here, or who were just moving out.
            for user_id in {*adopted, *renewal.users} - self._here - self._changing.keys():
                background.start(self._adopt(user_id), name="takeover", of=user_id)

    def _compare(self, nodes: Mapping[str, Mapping[str, str]]) -> None:
        found = {node_id: differing(self._configuration, other) for node_id, other in nodes.items()}
        for node_id, names in found.items():
            if names and names != self._differing.get(node_id):
                logger.warning("The process at %s differs from this one in: %s", node_id, ", ".join(sorted(names)))
        self._differing = found

    async def _adopt(self, user_id: str) -> None:
        try:
            await self.home(user_id)
        except WebclientError as error:
            logger.warning("A user is taken over with their next request: %s", error.for_operator)

    async def begin_to_leave(self) -> None:
        """Take no more users: this node is about to end."""
        self._leaving.set()
        try:
            await self._placements.begin_to_leave()
        except StorageError as error:
            logger.warning("Other nodes learn late that this one ends: %s", error.for_operator)

    async def leave(self) -> None:
        """Hand all users over to the other nodes: everything here has ended."""
        try:
            await self._placements.leave()
        except StorageError as error:
            logger.warning("Other nodes take over when this one has been silent for long: %s", error.for_operator)

    def _lose_all(self) -> None:
        if not self._here:
            return
        logger.warning("This node was silent for too long, and ends the sessions of its users.")
        self._placements.give_up()
        for user_id in tuple(self._here):
            self._lose(user_id)

    def _lose(self, user_id: str) -> None:
        self._here.discard(user_id)
        background.start(self._change(user_id, self._move_out), name="loss", of=user_id)

    async def _change(self, user_id: str, change: Callable[[str], Coroutine[Any, Any, None]]) -> None:
        while before := self._changing.get(user_id):
            await asyncio.wait([before])
        task = self._changing[user_id] = background.start(change(user_id), name="move", of=user_id, awaited=True)
        task.add_done_callback(lambda _task: self._changing.pop(user_id, None))
        await background.shared(task)

    async def _move_in(self, user_id: str) -> None:
        if user_id not in self._here:
            await self._settle(user_id)
            self._here.add(user_id)

    async def _move_out(self, user_id: str) -> None:
        while user_id not in self._here:
            try:
                await self._let_go(user_id)
            except WebclientError as error:
                # Whole, or they could not come back: something of theirs would be left in memory.
                logger.warning("What a user who has moved left here is cleared again soon: %s", error.for_operator)
                await asyncio.sleep(RENEWAL)
            else:
                return
