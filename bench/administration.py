"""Measures what an administrator waits for: a copy into PostgreSQL, and the lists and looks with many users.

`python -m bench.administration` runs this alone.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import closing
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from bench.measures import Measure, alone, spread
from bench.store import engine_of, fill_history
from tests.postgresql import PostgreSQL
from webclient.domain.model import AuditAction, Person, User, new_id, now
from webclient.store import Store, UserFilter
from webclient.store.database.user_tables import audit, users

COUNT = 100_000
"""Users, entries of the audit trail, and settled questions that are copied with their calls."""

DISABLED = 1000
"""Users who are disabled: each look reads them."""

TIMES = 20


async def measure(folder: Path) -> list[Measure]:
    """Return the measures."""
    measures = []
    with closing(PostgreSQL(durable=True)) as server, server.database() as name, server.database(empty=True) as empty:
        measures += await _copied(folder / "copied", server.url(empty))
        measures += await _with_users(folder / "sqlite", None, "SQLite")
        measures += await _with_users(folder / "postgresql", server.url(name), "PostgreSQL")
    return measures


async def _copied(data_dir: Path, url: str) -> list[Measure]:
    await fill_history(Store(data_dir), engine_of(data_dir, None), COUNT)
    line = [sys.executable, "-m", "webclient"]
    copying, most = await asyncio.to_thread(_run, [*line, "copy", "--data-dir", str(data_dir), "--to", url])
    _starting, least = await asyncio.to_thread(_run, [*line, "copy", "--help"])
    rows = f"{COUNT:,} questions and their calls"
    return [
        Measure(f"copy into PostgreSQL, {rows}", copying, None, "s"),
        Measure("the same: the most memory, against `copy --help`", most, least, "MB"),
    ]


_RUN = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""Runs a command as a small process: what a child has of its parent before it begins counts as its own."""


def _run(line: list[str]) -> tuple[float, float]:
    """Return the seconds that a command takes, and its largest memory in megabytes (Linux)."""
    started = time.perf_counter()
    ended = subprocess.run([sys.executable, "-c", _RUN, *line], check=True, capture_output=True)
    return time.perf_counter() - started, int(ended.stdout) / 1024


async def _with_users(data_dir: Path, url: str | None, where: str) -> list[Measure]:
    store = Store(data_dir, url=url)
    await store.open()
    await store.close()
    _fill(data_dir, url)
    store = Store(data_dir, url=url)
    started = time.perf_counter()
    await store.open()
    measures = [
        Measure(f"the store opens, {COUNT:,} users ({where})", (time.perf_counter() - started) * 1000, None, "ms")
    ]
    known = Person(issuer="proxy", subject="s77777", name="Person 77777", email="p77777@corp.example")
    units: dict[str, Callable[[], Coroutine[Any, Any, object]]] = {
        "a look for changes by commands": store.users.look,
        "a page of users": lambda: store.users.page(UserFilter(), limit=100),
        "a search that finds one user": lambda: store.users.page(UserFilter(query="p77777@corp"), limit=100),
        "a search that finds no user": lambda: store.users.page(UserFilter(query="nobody"), limit=100),
        "a user found by e-mail address": lambda: store.users.find_by_email("proxy", "P77777@corp.example"),
        "a known user signs in": lambda: store.users.recognise(known),
        "a new user signs in": lambda: store.users.recognise(Person(issuer="proxy", subject=new_id(), email="a@b.c")),
        "a page of the audit trail": store.audit.newest,
    }
    try:
        for name, unit in units.items():
            milliseconds = []
            for _each in range(TIMES):
                started = time.perf_counter()
                await unit()
                milliseconds.append((time.perf_counter() - started) * 1000)
            measures.append(spread(f"{name} ({where})", milliseconds))
    finally:
        await store.close()
    return measures


def _fill(data_dir: Path, url: str | None) -> None:
    engine = engine_of(data_dir, url)
    begin = now() - timedelta(days=300)
    rows, entries = [], []
    for number in range(COUNT):
        at = begin + timedelta(minutes=number)
        user = User(
            issuer="proxy",
            subject=f"s{number}",
            name=f"Person {number}",
            email=f"p{number}@corp.example",
            created_at=at,
            disabled_at=at if number % (COUNT // DISABLED) == 0 else None,
        )
        rows.append(asdict(user))
        entries.append(
            {"at": at, "user_id": user.id, "way": "proxy", "address": "10.1.2.3", "object": user.id, "outcome": ""}
            | {"action": AuditAction.FIRST_SEEN}
        )
    with engine.begin() as db:
        db.execute(insert(users), rows)
        db.execute(insert(audit), entries)
    if url:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
            db.exec_driver_sql("ANALYZE")
    engine.dispose()


if __name__ == "__main__":
    alone(measure)
