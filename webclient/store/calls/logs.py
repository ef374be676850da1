"""The log messages of calls, in a table of their own: lists of calls need not read them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select

from webclient.domain.model import CallLog, LogEntry
from webclient.store.database.database import reads, writes
from webclient.store.database.tables import call_logs, calls
from webclient.store.database.user_rows import UserRows

_GET = select(call_logs).where(call_logs.c.user_id == bindparam("of_user"), call_logs.c.call_id == bindparam("of_call"))
_CALL = select(calls.c.id).where(calls.c.user_id == bindparam("of_user"), calls.c.id == bindparam("of_call"))
_REMOVE = delete(call_logs).where(call_logs.c.call_id == bindparam("of_call"))
_ADD = insert(call_logs)


class UserLogs(UserRows):
    """The logs of one user's calls."""

    @reads
    def get(self, db: Connection, call_id: str) -> CallLog:
        """Return what the server logged during a call; empty when it logged nothing."""
        found = db.execute(_GET, self._own(of_call=call_id)).one_or_none()
        if found is None:
            return CallLog()
        return CallLog(tuple(_entry(each) for each in found.entries), found.omitted)

    @writes
    def save(self, db: Connection, call_id: str, log: CallLog) -> None:
        """Replace the log of a call with `log`; a call that is not here gets none."""
        entries = [asdict(entry) | {"at": entry.at.isoformat()} for entry in log.entries]
        row = {"call_id": call_id, "user_id": self._user_id, "entries": entries, "omitted": log.omitted}
        if db.execute(_CALL, self._own(of_call=call_id)).one_or_none() is not None:
            db.execute(_REMOVE, self._own(of_call=call_id))
            db.execute(_ADD, row)


def _entry(values: dict[str, Any]) -> LogEntry:
    return LogEntry(**{**values, "at": datetime.fromisoformat(values["at"])})
