"""Measures each unit of work of the store, with an empty history and with a long one.

`python -m bench.store` runs this alone.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import defaultdict
from collections.abc import Awaitable
from contextlib import closing
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Engine, create_engine

from bench import asking
from bench.measures import SERVER, Measure, alone, spread
from bench.settled_rows import fill
from tests.postgresql import PostgreSQL
from tests.program import program
from webclient.demo.every_field import EveryField
from webclient.domain.model import (
    LOCAL_USER,
    Call,
    CallKind,
    CallState,
    Delivery,
    InputRequest,
    Requester,
    RequestState,
    new_id,
    now,
)
from webclient.store import HistoryFilter, Store, UserStore
from webclient.store.database.sqlite import FILE

SIZES = (0, 10_000, 1_000_000)
"""Settled questions, each with its ended call."""

TIMES = 300
SECONDS = 10.0
"""After which no more of the readings are taken, if they take long."""

T = TypeVar("T")

CALL = Call(
    user_id=LOCAL_USER, server_id="s1", server_label="bench", kind=CallKind.TOOL, name="ask", arguments={"n": 1}
)
REQUEST = InputRequest(
    user_id=LOCAL_USER,
    server_id="s1",
    kind="form",
    params={"mode": "form", "message": "A question", "requestedSchema": EveryField.model_json_schema()},
    asked_by=Requester(label="bench", address="http://127.0.0.1"),
)
SMALL = {"mode": "form", "message": "Which?", "requestedSchema": {"type": "object", "properties": {}}}
"""The parameters of the settled questions, of which a million must fit on a disk."""


class Times:
    """How many milliseconds each unit of work took, by name."""

    def __init__(self) -> None:
        self.of: dict[str, list[float]] = defaultdict(list)

    async def take(self, name: str, unit: Awaitable[T]) -> T:
        """Do the unit of work and note how long it takes."""
        started = time.perf_counter()
        result = await unit
        self.of[name].append((time.perf_counter() - started) * 1000)
        return result


async def measure(folder: Path) -> list[Measure]:
    """Return the measures."""
    measures = []
    for size in SIZES:
        place = folder / f"sqlite{size}"
        place.mkdir()
        measures += await _with_rows(place, None, size, f"SQLite, {size:,} settled")
    with closing(PostgreSQL(durable=True)) as server:
        for size in SIZES:
            place = folder / f"postgresql{size}"
            place.mkdir()
            with server.database() as name:
                measures += await _with_rows(place, server.url(name), size, f"PostgreSQL, {size:,} settled")
    return [*measures, spread("a bare insert of a question (SQLite)", _bare(folder))]


async def _with_rows(place: Path, url: str | None, size: int, where: str) -> list[Measure]:
    data_dir = place / "data"
    await fill_history(Store(data_dir, url=url), engine_of(data_dir, url), size)
    times = Times()
    store = Store(data_dir, url=url)
    await store.open()
    try:
        for _each in range(TIMES):
            await _elicitation(store.of(LOCAL_USER), times)
        await _readings(store.of(LOCAL_USER), times)
    finally:
        await store.close()
    measures = [spread(f"{name} ({where})", values) for name, values in times.of.items()]
    options = ["--database-url", url] if url else []
    starting = program(place, servers={"bench": SERVER}, options=options, forked=False)
    async with starting as served, served.client() as api:
        rates = [(count, await asking.rate(api, count)) for count in asking.AT_ONCE]
    return measures + [
        Measure(f"elicitations per second, {count} at once ({where})", rate, None, "/s") for count, rate in rates
    ]


def engine_of(data_dir: Path, url: str | None) -> Engine:
    """Return an engine that adds nothing to a connection."""
    address = url.replace("postgresql:", "postgresql+psycopg:") if url else f"sqlite:///{data_dir / FILE}"
    return create_engine(address)


async def fill_history(store: Store, engine: Engine, size: int) -> None:
    await store.open()
    user = store.of(LOCAL_USER)
    await user.calls.add(replace(CALL, id="template"))
    await user.calls.change("template", state=CallState.DONE, result={"content": [{"type": "text", "text": "Done"}]})
    await user.requests.add(replace(REQUEST, id="template", call_id="template", params=SMALL))
    await user.requests.settle("template", to=RequestState.ACCEPTED, content={"which": "this"})
    await store.close()
    fill(engine, size)
    engine.dispose()


async def _elicitation(user: UserStore, times: Times) -> None:
    """Do what one elicitation does in the store, with one page open."""
    call = replace(CALL, id=new_id(), created_at=now(), updated_at=now())
    request = replace(REQUEST, id=new_id(), call_id=call.id, created_at=now())
    await times.take("call begun", user.calls.add(call))
    await times.take("what waits of a server", user.requests.pending_of(call.server_id))
    await times.take("question put", user.requests.add(request))
    await times.take("call waits", user.calls.change(call.id, state=CallState.INPUT_REQUIRED))
    await times.take("question read", user.requests.get(request.id))
    await times.take("draft saved", user.drafts.save(request.id, {"code": ["ABC"]}))
    await times.take("inbox, its questions", user.inbox.read(250, now() - timedelta(days=1), 10))
    settled = user.requests.settle(
        request.id, to=RequestState.ACCEPTED, content={"code": "ABC-1"}, delivery=Delivery.SENDING
    )
    await times.take("answer settled", settled)
    await times.take("answer delivered", user.requests.deliver([request.id], Delivery.DELIVERED))
    await times.take("call done", user.calls.change(call.id, state=CallState.DONE, result={"content": []}))


async def _readings(user: UserStore, times: Times) -> None:
    """Read the history as its pages do."""
    everything, nothing = HistoryFilter(), HistoryFilter(text="a word that stands nowhere")
    one_server = HistoryFilter(server_id="s1", state="declined")
    ends = time.monotonic() + SECONDS
    while len(times.of["history, a page"]) < 2 or (
        len(times.of["history, a page"]) < TIMES and time.monotonic() < ends
    ):
        await times.take("history, a page", user.history.page(everything, limit=50))
        await times.take("history, a search that finds nothing", user.history.page(nothing, limit=50))
        await times.take("history, a filter that fits nothing", user.history.page(one_server, limit=50))


def _bare(folder: Path) -> list[float]:
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
    return milliseconds


if __name__ == "__main__":
    alone(measure)
