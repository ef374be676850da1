"""The log messages of calls, in a table of their own: lists of calls need not read them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from webclient.model import Call, CallLog, LogEntry
from webclient.store.tables import call_logs


class Logs:
    """Queries over `call_logs`, each within one user's rows."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def get(self, user_id: str, call_id: str) -> CallLog:
        """Return what a server logged during the user's call; nothing where it logged nothing."""
        row = select(call_logs).where(call_logs.c.user_id == user_id, call_logs.c.call_id == call_id)
        async with self._engine.connect() as db:
            found = (await db.execute(row)).one_or_none()
        if found is None:
            return CallLog()
        return CallLog(tuple(_entry(each) for each in found.entries), found.omitted)

    async def save(self, call: Call, log: CallLog) -> None:
        """Keep the whole log of a call in place of what was kept before."""
        entries = [asdict(entry) | {"at": entry.at.isoformat()} for entry in log.entries]
        row = {"call_id": call.id, "user_id": call.user_id, "entries": entries, "omitted": log.omitted}
        async with self._engine.begin() as db:
            await db.execute(delete(call_logs).where(call_logs.c.call_id == call.id))
            await db.execute(insert(call_logs).values(row))


def _entry(values: dict[str, Any]) -> LogEntry:
    return LogEntry(**{**values, "at": datetime.fromisoformat(values["at"])})
