"""What it costs to keep one question, against a bare insert of the same row with the same safety."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median

from bench.measures import Measure
from webclient.demo.every_field import EveryField
from webclient.model import LOCAL_USER, AskedBy, InputRequest, new_id
from webclient.store import Store

TIMES = 300

REQUEST = InputRequest(
    user_id=LOCAL_USER,
    server_id="bench",
    kind="form",
    params={"mode": "form", "message": "A question", "requestedSchema": EveryField.model_json_schema()},
    asked_by=AskedBy(label="bench", address="http://127.0.0.1"),
)


async def measure(folder: Path) -> list[Measure]:
    """Return the measure."""
    return [Measure("keeping one question, against a bare insert", await _ours(folder), _bare(folder), "ms")]


async def _ours(folder: Path) -> float:
    store = Store(folder / "storing")
    await store.open()
    milliseconds = []
    for _each in range(TIMES):
        request = replace(REQUEST, id=new_id())
        started = time.perf_counter()
        await store.of(request.user_id).requests.add(request)
        milliseconds.append((time.perf_counter() - started) * 1000)
    await store.close()
    return median(milliseconds)


def _bare(folder: Path) -> float:
    row = json.dumps(asdict(REQUEST), default=str)
    milliseconds = []
    with closing(sqlite3.connect(folder / "bare.sqlite3")) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("CREATE TABLE requests (id TEXT PRIMARY KEY, row TEXT)")
        for _each in range(TIMES):
            started = time.perf_counter()
            with db:
                db.execute("INSERT INTO requests VALUES (?, ?)", (new_id(), row))
            milliseconds.append((time.perf_counter() - started) * 1000)
    return median(milliseconds)
