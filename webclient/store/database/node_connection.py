"""The connection that a node has of its own: it holds the locks of the node, and hears what changed for everybody.

A unit of work that changes what every process must know, such as a token that is revoked, announces that; PostgreSQL
passes it on when the unit is committed. An announcement only names what to read again, and after a gap, when the
connection was lost, all of it is read.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from enum import StrEnum
from typing import Any

import anyio
from sqlalchemy import Connection, bindparam, func, select

from webclient.domain.model import Reason, ReasonCode
from webclient.store.database.storage_errors import StorageError

logger = logging.getLogger(__name__)

CHANNEL = "mcp_webclient"

PAUSE = 1.0
"""Seconds between two attempts to connect again; everything is read as often meanwhile."""

_NOTIFY = select(func.pg_notify(CHANNEL, bindparam("note")))


class Topic(StrEnum):
    """A kind of change, after which something is to be read again."""

    USERS = "users"
    """Users were disabled or enabled, or are to be deleted."""
    SIGN_INS = "sign_ins"
    """Sign-ins have ended, or tokens were revoked."""
    IDENTITIES = "identities"
    """A user has signed in at the provider again."""
    ERASED = "erased"
    """Users were deleted."""
    CONFIGURATION = "configuration"
    """The files of the configuration were read again."""
    RULES = "rules"
    """Rules on calls of agents were changed."""
    NODES = "nodes"
    """A node has handed its users over."""


AFTER_A_GAP = frozenset(Topic) - {Topic.CONFIGURATION}
"""Topics that are read again after a gap; files only when a person wants it, since they may be half written."""

Read = Callable[[], Awaitable[object]]
"""Reads something again. Raises StorageError, and is then called again soon."""


def announce(db: Connection, topic: Topic, by: str = "") -> None:
    """Have other processes than `by` read again what this unit of work changes."""
    if db.dialect.name == "postgresql":
        db.execute(_NOTIFY, {"note": f"{topic} {by}"})


class NodeConnection:
    """The own connection of the node `node_id`: `hold` opens it, and `notes` returns what came.

    `reads` has what reads the things of a topic again.
    """

    def __init__(self, node_id: str, hold: Callable[[], Connection], notes: Callable[[Connection], list[str]]) -> None:
        self._node_id = node_id
        self._hold = hold
        self._notes = notes
        self._connection: Connection | None = None
        self.reads: dict[Topic, Read] = {}

    def check(self) -> None:
        """Raise StorageError while this node has no lock: others take it to be dead."""
        if self._connection is None:
            raise StorageError(Reason(ReasonCode.DATABASE_UNREACHABLE), "the connection with the lock of this node")

    async def open(self) -> None:
        """Connect, and take the locks. Raises StorageError."""
        self._connection = await asyncio.to_thread(self._hold)

    def close(self) -> None:
        """Let go of the locks."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()

    async def run(self) -> None:
        """Read again what is announced, for ever; connect again whenever the connection is lost."""
        is_failing = False
        while True:
            try:
                if self._connection is None:
                    await self._reopen()
                is_failing = False
                await self._read(AFTER_A_GAP)
                if self._connection is not None:
                    await self._listen(self._connection)
            except StorageError as error:
                if is_failing:
                    await asyncio.sleep(PAUSE)
                else:
                    logger.warning("This node hears late what changes elsewhere: %s", error.for_operator)
                is_failing = True

    async def _reopen(self) -> None:
        try:
            await self.open()
        except StorageError:
            # Nothing can be heard, so it is looked for.
            await self._read(AFTER_A_GAP)
            raise

    async def _listen(self, connection: Connection) -> None:
        socket: Any = connection.connection.driver_connection
        while True:
            await anyio.wait_readable(socket)
            try:
                notes = await asyncio.to_thread(self._notes, connection)
            except StorageError:
                self.close()
                raise
            await self._read(self._topics(notes))

    async def _read(self, topics: Collection[Topic]) -> None:
        for topic, read in self.reads.items():
            if topic in topics:
                await read()

    def _topics(self, notes: Collection[str]) -> frozenset[Topic]:
        known = {topic.value: topic for topic in Topic}
        said = [note.partition(" ") for note in notes]
        # Another version may know of more.
        return frozenset(known[topic] for topic, _space, by in said if topic in known and by != self._node_id)
