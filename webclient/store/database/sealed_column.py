"""A column of JSON that is sealed in the database and plain in the program: secret values that are kept for a while.

The engine's dialect has the `sealer`, because only it is at hand where a value goes in or comes out. Values are sealed
for their column, and not for their row: a program that writes to the database could exchange those of two rows.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Connection, Dialect, Engine, Table, select, update
from sqlalchemy.types import TypeDecorator

from webclient.domain.model import Json
from webclient.store.database.sealing import LostKeyError, Sealer


class SealedJson(TypeDecorator[Json]):
    """JSON that the sealer of the engine seals for a table; what no key opens is None."""

    impl = JSON
    cache_ok = True

    def __init__(self, table: str) -> None:
        super().__init__(none_as_null=True)
        self.table = table

    def process_bind_param(self, value: Json | None, dialect: Dialect) -> Any:
        return None if value is None else _sealer(dialect).seal(value, self.table, "secrets")

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Json | None:
        if value is None:
            return None
        try:
            return _sealer(dialect).open(value, self.table, "secrets")
        except LostKeyError:
            return None


def use_sealer(engine: Engine, sealer: Sealer) -> None:
    """Seal and open the columns of this engine with `sealer`."""
    engine.dialect.sealer = sealer  # type: ignore[attr-defined]


def reseal_values(db: Connection, *tables: Table) -> tuple[int, int]:
    """Seal all values with the newest key, within a unit of work; return how many, and how many no key opens."""
    sealed = lost = 0
    for table in tables:
        for row in db.execute(select(table.c.id, table.c.secrets).where(table.c.secrets.is_not(None))).all():
            if row.secrets is None:
                lost += 1
            else:
                db.execute(update(table).where(table.c.id == row.id).values(secrets=row.secrets))
                sealed += 1
    return sealed, lost


def _sealer(dialect: Dialect) -> Sealer:
    found: Sealer = dialect.sealer  # type: ignore[attr-defined]
    return found
