"""Rows in every table, and calls and requests in every state, made by the store's own methods.

`python -m tests.store.every_table` saves both databases of this version with them, for the tests of later ones.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.postgresql import PostgreSQL
from tests.store.ada_rows import CALL, SERVER
from tests.store.rows import SECRET_KEYS, a_request
from tests.store.test_stolen import GUARDED
from tests.store.test_user_store import fill
from webclient.calls.checkpoint import (
    Checkpoint,
    LinksCheckpoint,
    RoundCheckpoint,
    TaskCheckpoint,
    UnsentCheckpoint,
    to_json,
)
from webclient.domain.model import (
    ACTING,
    Actor,
    AuditAction,
    CallError,
    CallState,
    Delivery,
    Era,
    Person,
    Reason,
    ReasonCode,
    RequestState,
    Role,
    Rule,
    Sampling,
    SavedIdentity,
    Stage,
    Task,
    Then,
    Usage,
    Via,
    now,
)
from webclient.store import Store
from webclient.store.database.migrate import revisions
from webclient.store.database.sqlite import FILE
from webclient.store.users.embed_sessions import NewEmbedSession

DATA = Path(__file__).parent / "data"
"""Databases of earlier versions, as statements."""

LONG = timedelta(days=36500)
LIMIT = Reason.of(ReasonCode.SERVER_TIME_LIMIT, label="Zoë's kettle", duration=90)
CHECKPOINTS: dict[str, Checkpoint] = {
    "round": RoundCheckpoint(round=1, requests={"k": "asked"}, state="s"),
    "links": LinksCheckpoint(round=2, requests={"e1": "link"}, error={"code": -32042}, answers={"k": {}}),
    "unsent": UnsentCheckpoint(as_task=True),
    "task": TaskCheckpoint(generation="2025-11-25", task_id="t-9", progress_token=7),
}


async def fill_every_table(store: Store) -> None:
    """Add the rows to an open, empty store."""
    # The audit trail records acts of users alone.
    acting = ACTING.set(Actor(way="oidc", address="192.0.2.7"))
    await fill(store)
    await store.of("ada").servers.add(GUARDED)
    await store.rules.change("ada", lambda _before: [Rule(id="rule", then=Then.ASK, tool="pay")])
    await _add_calls(store)
    await _add_requests(store)
    await _add_people(store)
    ACTING.reset(acting)


async def _add_calls(store: Store) -> None:
    calls = store.of("ada").calls
    for kind, checkpoint in CHECKPOINTS.items():
        await calls.add(replace(CALL, id=f"waits-{kind}", state=CallState.RUNNING))
        waits = {"state": CallState.INPUT_REQUIRED, "checkpoint": to_json(checkpoint), "round": 2}
        await calls.change(f"waits-{kind}", **waits)
    error = CallError(reason=LIMIT, code=-32603, message="disk on fire", data=[1, None], reconnect_with=Era.PUSH)
    ends: dict[CallState, dict[str, Any]] = {
        CallState.DONE: {"result": {"content": [{"type": "text", "text": "booked"}], "isError": True}},
        CallState.FAILED: {"error": error},
        CallState.CANCELLED: {"error": CallError(reason=Reason(ReasonCode.CALL_CANCELLED))},
        CallState.INTERRUPTED: {"error": CallError(reason=Reason(ReasonCode.CONNECTION_LOST))},
    }
    for state, values in ends.items():
        await calls.add(replace(CALL, id=f"is-{state}", state=CallState.RUNNING))
        await calls.change(f"is-{state}", task=Task(id="t-8"), state=state, **values)


async def _add_requests(store: Store) -> None:
    requests = store.of("ada").requests
    for state in RequestState:
        request = a_request(id=f"is-{state}", server_id=SERVER.id, params={"message": f"Is it {state}?"})
        await requests.add(request)
        if state is RequestState.COMPLETED:
            await requests.settle(request.id, to=RequestState.WAITING, opened_at=now())
            await requests.settle(request.id, to=state, from_=(RequestState.WAITING,), ended_via=Via.API)
        elif state is RequestState.ACCEPTED:
            await requests.settle(request.id, to=state, content={"name": "Ada"}, delivery=Delivery.DELIVERED)
        elif state is not RequestState.PENDING:
            await requests.settle(request.id, to=state, reason=LIMIT)
    turn = Sampling(stage=Stage.REVIEWING, model="m", result={"role": "assistant"}, usage=Usage(output_tokens=3))
    proposal = {"tool": {"name": "pay"}, "arguments": {"to": "DE12", "pin": "4711"}}
    await requests.add(a_request(id="proposed", kind="approval", params=proposal, withheld=("pin",)))
    params = {"messages": [{"role": "user", "content": {"type": "text", "text": "Sum up."}}], "maxTokens": 9}
    await requests.add(a_request(id="sampled", kind="sampling", server_id=SERVER.id, params=params, sampling=turn))


async def _add_people(store: Store) -> None:
    grace = await store.users.recognise(Person(issuer="https://idp", subject="g", name="Grace", role=Role.ADMIN))
    alan = await store.users.recognise(Person(issuer="https://idp", subject="a", email="alan@corp.example"))
    await store.users.disable(alan.id)
    await store.browser_sessions.create(
        grace.id, "oidc", ends_at=now() + LONG, idle=timedelta(days=1), provider_session="p-1"
    )
    await store.audit.add(AuditAction.SIGNED_IN)
    await store.audit.add_refusal(user_id="", way="oidc", address="192.0.2.7", code="refused", count=3)
    for number in (1, 2):
        session = NewEmbedSession(
            user_id=grace.id,
            embedder="chat",
            subject="g",
            host_session=f"h-{number}",
            origin="https://chat.example",
            scopes=["read", "answer"],
            ends_at=now() + LONG,
        )
        await store.embed_sessions.exchange(session, f"jti-{number}", now() + LONG)
    await store.embed_sessions.end("chat", host_session="h-2")
    await store.used_tokens.use("https://idp", "used", now() + LONG)
    await store.saved_identities.save(
        SavedIdentity(
            user_id=grace.id,
            issuer="https://idp",
            subject="g",
            id_token="an ID token",
            refresh_token="a refresh token",
            ends_at=now() + LONG,
            provider_session="p-1",
        )
    )


async def _make(folder: Path, url: str | None = None) -> None:
    store = Store(folder, url=url, secret_keys=SECRET_KEYS)
    await store.open()
    await fill_every_table(store)
    await store.close()


def save() -> None:
    """Save both databases of this version in `DATA`, by the number of its newest migration."""
    newest = DATA / revisions()[-1]
    with TemporaryDirectory() as folder:
        asyncio.run(_make(Path(folder)))
        with closing(sqlite3.connect(Path(folder) / FILE)) as db:
            statements = "\n".join([*db.iterdump(), ""])
        newest.with_suffix(".sqlite.sql").write_text(re.sub(r", +\n", ",\n", statements), "utf-8")
    with closing(PostgreSQL()) as server, server.database(empty=True) as name, TemporaryDirectory() as folder:
        asyncio.run(_make(Path(folder), server.url(name)))
        dump = [server.command("pg_dump"), "--no-owner", "--no-privileges", "--inserts", server.url(name)]
        dumped = subprocess.run(dump, check=True, capture_output=True, encoding="utf-8").stdout
    # Commands of psql, comments, and settings of a session.
    dumped = re.sub(r"^(\\.*|--.*|SET .*|SELECT pg_catalog.set_config.*|)\n", "", dumped, flags=re.MULTILINE)
    newest.with_suffix(".postgresql.sql").write_text(dumped, "utf-8")


if __name__ == "__main__":
    save()
