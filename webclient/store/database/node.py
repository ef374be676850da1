"""Which run of which process an open row belongs to: a node, and how often that node was started."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Table, and_, insert, select, update

from webclient.domain.model import Json, Reason, ReasonCode, now
from webclient.store.database.storage_errors import StorageError
from webclient.store.database.tables import nodes

LOCAL_NODE = "local"
"""The node of a database that one process uses: `lockfile` keeps others away, so a copy of the file has it as well."""


@dataclass
class Node:
    """This process: a restart keeps the `id` and adds one to the `generation`."""

    id: str = LOCAL_NODE
    generation: int = 0

    def start(self, db: Connection) -> None:
        """Count this start; a unit of work."""
        counted = update(nodes).where(nodes.c.id == self.id).returning(nodes.c.generation)
        values = {"generation": nodes.c.generation + 1, "started_at": now()}
        generation: int | None = db.execute(counted.values(values)).scalar_one_or_none()
        if generation is None:
            generation = 1
            db.execute(insert(nodes).values(id=self.id, generation=generation, started_at=now()))
        self.generation = generation

    def check(self, db: Connection) -> None:
        """Raise StorageError if this node was started again meanwhile; a unit of work."""
        counted = db.execute(select(nodes.c.generation).where(nodes.c.id == self.id)).scalar_one_or_none()
        if counted == self.generation:
            return
        raise StorageError(Reason(ReasonCode.DATABASE_TAKEN_OVER))

    @property
    def columns(self) -> Json:
        """Return what a row of this run has in its columns."""
        return {"owner": self.id, "generation": self.generation}

    def owns(self, table: Table) -> ColumnElement[bool]:
        """Return the condition that a row is of this run."""
        return and_(table.c.owner == self.id, table.c.generation == self.generation)

    def has_left(self, table: Table) -> ColumnElement[bool]:
        """Return the condition that a row is of an earlier run."""
        return and_(table.c.owner == self.id, table.c.generation < self.generation)
