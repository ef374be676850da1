"""Which run of which process an open row belongs to: a node, and how often that node was started.

Several nodes share a PostgreSQL database. A user then lives on one of them, and rows of theirs are written by no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    and_,
    bindparam,
    func,
    insert,
    not_,
    or_,
    select,
    update,
)

from webclient.domain.errors import WebclientError
from webclient.domain.i18n import N_
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json, Reason, ReasonCode, now
from webclient.store.database.sealing import LostKeyError, Sealer
from webclient.store.database.storage_errors import StorageError
from webclient.store.database.tables import nodes, placements

LOCAL_NODE = "local"
"""The node of a database that one process uses: `lockfile` keeps others away, so a copy of the file has it as well."""

TIME_TO_LIVE = timedelta(seconds=10)
"""After this time without a renewal a node that shares the database is taken to be dead, although it holds its lock."""

AT = func.timezone("UTC", func.clock_timestamp())
"""The moment, by the clock of the PostgreSQL that nodes share."""

IS_ALIVE = and_(nodes.c.left_at.is_(None), nodes.c.seen_at > AT - TIME_TO_LIVE)

# Locked until the unit of work has ended: the user moves before it, or after it, and not meanwhile.
_HOME = (
    select(placements.c.user_id)
    .where(
        placements.c.user_id == bindparam("of_user"),
        placements.c.node_id == bindparam("of_node"),
        placements.c.generation == bindparam("of_generation"),
    )
    .with_for_update(read=True)
)


class MovedError(WebclientError):
    """The user does not live on this node; nothing was changed."""

    status = 503
    title = N_("Moving")
    retry_after = 1
    is_temporary = True

    def __init__(self, user_id: str) -> None:
        super().__init__(_("Your inbox is moving to another process. Try again in a moment."))
        self.user_id = user_id

    @property
    def headers(self) -> Mapping[str, str]:
        """What tells the node in front where to turn."""
        return {"X-Webclient-Moved": self.user_id}


@dataclass
class Node:
    """This process: a restart keeps the `id` and adds one to the `generation`.

    One that `shares` the database writes rows of the users who live on it, and of no others.
    """

    id: str = LOCAL_NODE
    generation: int = 0
    shares: bool = False

    def start(self, db: Connection) -> None:
        """Count this start; a unit of work."""
        counted = update(nodes).where(nodes.c.id == self.id).returning(nodes.c.generation)
        values = {"generation": nodes.c.generation + 1, "started_at": now()}
        generation: int | None = db.execute(counted.values(values)).scalar_one_or_none()
        if generation is None:
            generation = 1
            db.execute(insert(nodes).values(id=self.id, generation=generation, started_at=now()))
        self.generation = generation

    def touch(self, db: Connection) -> None:
        """Write something of no consequence, and nothing that another node writes; a unit of work."""
        db.execute(update(nodes).where(nodes.c.id == self.id).values(started_at=nodes.c.started_at))

    def check(self, db: Connection) -> None:
        """Raise StorageError if this node was started again meanwhile; a unit of work."""
        if self.shares and not self.generation:
            # It counts its next start as soon as it can, and writes nothing of users before that.
            return
        counted = db.execute(select(nodes.c.generation).where(nodes.c.id == self.id)).scalar_one_or_none()
        if counted == self.generation:
            return
        raise StorageError(Reason(ReasonCode.DATABASE_TAKEN_OVER))

    def fence(self, db: Connection, user_id: str) -> None:
        """Raise MovedError if a user lives on another node; otherwise they stay here until the unit of work ends.

        So a node that was frozen while others took its users over changes nothing when it wakes.
        """
        if not self.shares:
            return
        home = {"of_user": user_id, "of_node": self.id, "of_generation": self.generation}
        if db.execute(_HOME, home).first() is None:
            raise MovedError(user_id)

    @property
    def columns(self) -> Json:
        """Return what a row of this run has in its columns."""
        return {"owner": self.id, "generation": self.generation}

    def owns(self, table: Table) -> ColumnElement[bool]:
        """Return the condition that a row is of this run."""
        return and_(table.c.owner == self.id, table.c.generation == self.generation)

    def housing(self, query: Select[Any], user_id: ColumnElement[str]) -> Select[Any]:
        """Return a query as it is; on a node that shares the database, for rows of the users who live here."""
        if not self.shares:
            return query
        here = placements.c.node_id == self.id, placements.c.generation == self.generation
        return query.where(user_id.in_(select(placements.c.user_id).where(*here)))

    def has_left(self, table: Table, user_id: str | None = None) -> ColumnElement[bool]:
        """Return the condition that a row is of an earlier run; one of the user, who lives here now, of any node."""
        if user_id is not None:
            return and_(table.c.user_id == user_id, not_(self.owns(table)))
        earlier = and_(table.c.owner == self.id, table.c.generation < self.generation)
        # Nodes that shared the database have ended: their locks would keep out one that does not share it.
        return or_(earlier, table.c.owner.in_(select(nodes.c.id).where(nodes.c.probe.is_not(None))))


def check_probes(db: Connection, node_id: str, sealer: Sealer) -> None:
    """Raise StorageError if other nodes seal secrets with keys that this one lacks; within a unit of work."""
    others = select(nodes.c.probe).where(nodes.c.id != node_id, IS_ALIVE)
    for probe in db.execute(others).scalars():
        try:
            sealer.open(probe, nodes.name)
        except LostKeyError:
            raise StorageError(Reason(ReasonCode.NODES_DIFFER)) from None
