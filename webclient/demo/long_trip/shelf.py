"""Where the tasks of the demo server are stored: a small SQLite file, or memory if no file is named.

What is settled once stays so: the first answer to a question counts, and a task is cancelled once.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from secrets import token_urlsafe
from weakref import finalize

from webclient.demo.long_trip.plan import Answer, Json

_TABLES = """
    CREATE TABLE IF NOT EXISTS task (
        id TEXT PRIMARY KEY, destination TEXT NOT NULL, begun REAL NOT NULL, cancelled REAL
    );
    CREATE TABLE IF NOT EXISTS answer (
        task TEXT NOT NULL, key TEXT NOT NULL, at REAL NOT NULL, response TEXT NOT NULL, PRIMARY KEY (task, key)
    );
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A task as it is stored; times are seconds since 1970."""

    id: str
    destination: str
    begun: float
    cancelled: float | None
    answers: Mapping[str, Answer]


class TaskShelf:
    """Tasks by ids that cannot be guessed, each for `seconds` at most."""

    def __init__(self, path: str = ":memory:", *, seconds: float) -> None:
        self.seconds = seconds
        # It is used in one thread, and may be collected in another.
        self._database = sqlite3.connect(path, check_same_thread=False)
        # The SDK has no end of a server at which this could be closed.
        finalize(self, self._database.close)
        with self._database as database:
            database.executescript(_TABLES)

    def begin(self, destination: str, now: float) -> Stored:
        """Store a new task, and forget those whose time is over."""
        task_id = token_urlsafe(24)
        with self._database as database:
            database.execute("DELETE FROM task WHERE begun < ?", (now - self.seconds,))
            database.execute("DELETE FROM answer WHERE task NOT IN (SELECT id FROM task)")
            database.execute("INSERT INTO task VALUES (?, ?, ?, NULL)", (task_id, destination, now))
        return Stored(id=task_id, destination=destination, begun=now, cancelled=None, answers={})

    def get(self, task_id: str, now: float) -> Stored | None:
        """Return the task, or None if there is none or its time is over."""
        row = self._database.execute("SELECT * FROM task WHERE id = ?", (task_id,)).fetchone()
        if row is None or row[2] + self.seconds < now:
            return None
        found = self._database.execute("SELECT key, at, response FROM answer WHERE task = ?", (task_id,)).fetchall()
        answers = {key: Answer(at=at, response=json.loads(response)) for key, at, response in found}
        return Stored(id=row[0], destination=row[1], begun=row[2], cancelled=row[3], answers=answers)

    def answer(self, task_id: str, key: str, response: Json, now: float) -> None:
        """Store the answer to a question, unless it has one."""
        with self._database as database:
            values = task_id, key, now, json.dumps(response)
            database.execute("INSERT OR IGNORE INTO answer VALUES (?, ?, ?, ?)", values)

    def cancel(self, task_id: str, now: float) -> None:
        """Store that the task was cancelled, unless it was before."""
        with self._database as database:
            database.execute("UPDATE task SET cancelled = ? WHERE id = ? AND cancelled IS NULL", (now, task_id))
