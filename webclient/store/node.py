"""Which run of which process an open row belongs to: a node, and how often that node was started."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Table, and_, insert, or_, update
from sqlalchemy.ext.asyncio import AsyncEngine

from webclient.model import Json, now
from webclient.store.tables import nodes

LOCAL_NODE = "local"
"""The node of a database that one process uses: `lockfile` keeps others away, so a copy of the file has it as well."""


@dataclass
class Node:
    """This process: a restart keeps the `id` and adds one to the `generation`."""

    id: str = LOCAL_NODE
    generation: int = 0

    async def start(self, engine: AsyncEngine) -> None:
        """Count this start."""
        counted = update(nodes).where(nodes.c.id == self.id).returning(nodes.c.generation)
        values = {"generation": nodes.c.generation + 1, "started_at": now()}
        async with engine.begin() as db:
            generation: int | None = (await db.execute(counted.values(values))).scalar_one_or_none()
            if generation is None:
                generation = 1
                await db.execute(insert(nodes).values(id=self.id, generation=generation, started_at=now()))
        self.generation = generation

    @property
    def columns(self) -> Json:
        """Return what a row of this run has in its columns."""
        return {"owner": self.id, "generation": self.generation}

    def has_left(self, table: Table) -> ColumnElement[bool]:
        """Return the condition that a row is of an earlier run, or has no owner."""
        earlier = and_(table.c.owner == self.id, table.c.generation < self.generation)
        return or_(table.c.owner.is_(None), earlier)
