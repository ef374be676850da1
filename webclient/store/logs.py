"""The log messages of calls, in a table of their own: lists of calls need not read them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select

from webclient.model import CallLog, LogEntry
from webclient.store.tables import call_logs, calls
from webclient.store.user_rows import UserRows


class UserLogs(UserRows):
    """The logs of one user's calls."""

    async def get(self, call_id: str) -> CallLog:
        """Return what the server logged during a call; empty when it logged nothing."""
        row = select(call_logs).where(call_logs.c.user_id == self._user_id, call_logs.c.call_id == call_id)
        async with self._engine.connect() as db:
            found = (await db.execute(row)).one_or_none()
        if found is None:
            return CallLog()
        return CallLog(tuple(_entry(each) for each in found.entries), found.omitted)

    async def save(self, call_id: str, log: CallLog) -> None:
        """Replace the log of a call with `log`; a call that is not here gets none."""
        entries = [asdict(entry) | {"at": entry.at.isoformat()} for entry in log.entries]
        row = {"call_id": call_id, "user_id": self._user_id, "entries": entries, "omitted": log.omitted}
        call = select(calls.c.id).where(calls.c.user_id == self._user_id, calls.c.id == call_id)
        async with self._engine.begin() as db:
            if (await db.execute(call)).one_or_none() is not None:
                await db.execute(delete(call_logs).where(call_logs.c.call_id == call_id))
                await db.execute(insert(call_logs).values(row))


def _entry(values: dict[str, Any]) -> LogEntry:
    return LogEntry(**{**values, "at": datetime.fromisoformat(values["at"])})
