"""Placements: which of the nodes that share a database a user lives on, and which of these nodes are alive.

A node is alive while it holds its lock (`postgresql.dead_nodes`) and renews its row. All times are of the clock of the
database.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    exists,
    func,
    literal_column,
    select,
    union,
    update,
)
from sqlalchemy.dialects.postgresql import insert

from webclient.domain.model import Reason, ReasonCode, RequestState
from webclient.store.calls.calls import OPEN
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.node import AT, IS_ALIVE, Node, check_probes
from webclient.store.database.node_connection import Topic, announce
from webclient.store.database.notice_tables import notices
from webclient.store.database.program_tables import answer_webhooks
from webclient.store.database.sealing import Sealer
from webclient.store.database.storage_errors import StorageError
from webclient.store.database.tables import calls, nodes, pending_sign_ins, placements, requests

MORE = 1.25
"""A new user goes to the node with the fewest, if the asked one has so many times as many, and a few more."""

A_FEW = 5

_IS_THERE = and_(nodes.c.id == placements.c.node_id, nodes.c.generation == placements.c.generation)
# Named by text: within ON CONFLICT these are columns of the row that is there, and of no table that is read.
_HAS_HOME = exists().where(
    nodes.c.id == literal_column("placements.node_id"),
    nodes.c.generation == literal_column("placements.generation"),
    IS_ALIVE,
)
_FIND = select(nodes.c.id).join(placements, _IS_THERE).where(placements.c.user_id == bindparam("of_user"), IS_ALIVE)
_ALIVE = select(nodes.c.id, nodes.c.configuration).where(IS_ALIVE)
_NUMBERS = (
    select(nodes.c.id, nodes.c.generation, func.count(placements.c.user_id).label("users"))
    .outerjoin(placements, _IS_THERE)
    .where(IS_ALIVE, nodes.c.leaving_at.is_(None))
    .group_by(nodes.c.id, nodes.c.generation)
    .order_by("users", nodes.c.id)
)
_BUSY = union(
    select(calls.c.user_id).where(calls.c.state.in_(OPEN)),
    select(requests.c.user_id).where(requests.c.state.in_([RequestState.PENDING, RequestState.WAITING])),
    select(pending_sign_ins.c.user_id).where(pending_sign_ins.c.expires_at > AT),
    select(answer_webhooks.c.user_id).where(answer_webhooks.c.next_at.is_not(None)),
    select(notices.c.user_id),
).subquery()
_ORPHANS = select(_BUSY.c.user_id).outerjoin(placements, placements.c.user_id == _BUSY.c.user_id).where(~_HAS_HOME)


@dataclass(frozen=True, slots=True)
class Renewal:
    """The users who live on this node, the nodes that are alive, and the time by the clock of the database.

    Each node has digests of its settings, by their names.
    """

    users: frozenset[str]
    nodes: Mapping[str, Mapping[str, str]]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeState:
    """A node as an operator sees it: alive or not, and how many users live on it."""

    id: str
    version: str
    started_at: datetime
    is_alive: bool
    is_leaving: bool
    users: int
    configuration: Mapping[str, str]


class Placements(UsesDatabase):
    """The placements of all users, as the node of this process sees and changes them."""

    def __init__(self, database: Database, node: Node, sealer: Sealer, check_lock: Callable[[], None]) -> None:
        super().__init__(database)
        self._node = node
        self._sealer = sealer
        self._check_lock = check_lock

    @property
    def node_id(self) -> str:
        """The id of this node."""
        return self._node.id

    @property
    def has_lock(self) -> bool:
        """Whether this node has its lock, as far as it knows."""
        try:
            self._check_lock()
        except StorageError:
            return False
        return True

    @writes
    def join(self, db: Connection, version: str, configuration: Mapping[str, str]) -> None:
        """Make this node known to the others. Raises StorageError if they seal secrets with other keys."""
        check_probes(db, self._node.id, self._sealer)
        probe = self._sealer.seal({}, nodes.name)
        known = {"version": version, "probe": probe, "configuration": dict(configuration), "seen_at": AT}
        db.execute(update(nodes).where(*self._is_this).values({**known, "left_at": None, "leaving_at": None}))

    @writes
    def describe(self, db: Connection, configuration: Mapping[str, str]) -> None:
        """Change the digests of this node's settings."""
        db.execute(update(nodes).where(*self._is_this).values(configuration=dict(configuration)))

    def give_up(self) -> None:
        """Write no rows of users until the next renewal, which counts as a start.

        So what they have left open is taken over like that of another node, also if they come back to this one.
        """
        self._node.generation = 0

    async def renew(self) -> Renewal:
        """Note that this node is alive, and that others are dead. Raises StorageError, also without its lock."""
        self._check_lock()
        has_given_up = not self._node.generation
        try:
            return await self._renew()
        except StorageError:
            if has_given_up:
                self.give_up()
            raise

    @writes
    def _renew(self, db: Connection) -> Renewal:
        """Renew this node.

        Raises StorageError if the node was started again elsewhere.
        """
        from webclient.store.database.postgresql import dead_nodes  # noqa: PLC0415  (nodes share PostgreSQL only)

        if not self._node.generation:
            self._node.start(db)
        renewed = update(nodes).where(*self._is_this).values(seen_at=AT, left_at=None)
        if not db.execute(renewed).rowcount:
            raise StorageError(Reason(ReasonCode.DATABASE_TAKEN_OVER))
        others = nodes.c.id != self._node.id, nodes.c.probe.is_not(None), nodes.c.left_at.is_(None)
        db.execute(update(nodes).where(*others, dead_nodes(nodes.c.id)).values(left_at=AT))
        users = frozenset(db.execute(select(placements.c.user_id).where(self._is_here)).scalars())
        alive = {row.id: row.configuration or {} for row in db.execute(_ALIVE)}
        return Renewal(users, alive, db.execute(select(func.clock_timestamp())).scalar_one())

    @reads
    def find(self, db: Connection, user_id: str) -> str | None:
        """Return the id of the node on which a user lives, its address; None if it is dead, or they have none."""
        return db.execute(_FIND, {"of_user": user_id}).scalar_one_or_none()

    @writes
    def place(self, db: Connection, user_id: str) -> str | None:
        """Place a user who lives nowhere, here or on the node with the fewest; return the id of their node.

        None if no node takes users, because all are leaving.
        """
        numbers = {row.id: (row.users, row.generation) for row in db.execute(_NUMBERS)}
        if numbers:
            fewest = next(iter(numbers))
            users, _generation = numbers.get(self._node.id, (0, 0))
            stays = self._node.id in numbers and users <= MORE * numbers[fewest][0] + A_FEW
            chosen = self._node.id if stays else fewest
            values = {"node_id": chosen, "generation": numbers[chosen][1]}
            claim = insert(placements).values(user_id=user_id, **values)
            db.execute(claim.on_conflict_do_update(index_elements=["user_id"], set_=values, where=~_HAS_HOME))
        return db.execute(_FIND, {"of_user": user_id}).scalar_one_or_none()

    @writes
    def adopt(self, db: Connection, most: int) -> list[str]:
        """Have users live here who have something open, and whose node is dead; return at most so many."""
        orphans = list(db.execute(_ORPHANS.limit(most)).scalars())
        if not orphans:
            return []
        here = {"node_id": self._node.id, "generation": self._node.generation}
        claim = insert(placements).values([{"user_id": user_id, **here} for user_id in sorted(orphans)])
        claimed = claim.on_conflict_do_update(index_elements=["user_id"], set_=here, where=~_HAS_HOME)
        return list(db.execute(claimed.returning(placements.c.user_id)).scalars())

    @reads
    def placed(self, db: Connection, user_ids: Collection[str]) -> frozenset[str]:
        """Return those of the users who live on a node, whichever."""
        found = select(placements.c.user_id).join(nodes, _IS_THERE)
        return frozenset(db.execute(found.where(placements.c.user_id.in_(user_ids), IS_ALIVE)).scalars())

    @writes
    def release(self, db: Connection, user_id: str) -> None:
        """Have a user who has left live nowhere."""
        mine = placements.c.user_id == user_id, self._is_here
        db.execute(update(placements).where(*mine).values(node_id=None, generation=None))

    @writes
    def begin_to_leave(self, db: Connection) -> None:
        """Have no more users placed here; those who live here stay until `leave`."""
        db.execute(update(nodes).where(*self._is_this).values(leaving_at=AT))

    @writes
    def leave(self, db: Connection) -> None:
        """Let other nodes take the users over: this node has ended its work."""
        db.execute(update(nodes).where(*self._is_this).values(left_at=AT))
        announce(db, Topic.NODES, self._node.id)

    @reads
    def nodes(self, db: Connection) -> Sequence[NodeState]:
        """Return the nodes that have been alive within a day, by their id."""
        users = select(func.count()).select_from(placements).where(_IS_THERE).scalar_subquery()
        found = db.execute(
            select(
                nodes.c.id,
                nodes.c.version,
                nodes.c.started_at,
                nodes.c.leaving_at,
                nodes.c.configuration,
                IS_ALIVE.label("alive"),
                users.label("users"),
            )
            .where(nodes.c.seen_at > AT - timedelta(days=1))
            .order_by(nodes.c.id)
        )
        return [
            NodeState(
                id=row.id,
                version=row.version or "",
                started_at=row.started_at,
                is_alive=row.alive,
                is_leaving=row.leaving_at is not None,
                users=row.users,
                configuration=row.configuration or {},
            )
            for row in found
        ]

    @property
    def _is_this(self) -> tuple[ColumnElement[bool], ...]:
        return nodes.c.id == self._node.id, nodes.c.generation == self._node.generation

    @property
    def _is_here(self) -> ColumnElement[bool]:
        return and_(placements.c.node_id == self._node.id, placements.c.generation == self._node.generation)
