"""Values that must not be stored are nowhere in the data folder, old ones are erased, and entries say so."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.mcp_servers import STATE_KEY, asker_entries
from tests.pages.person import Person
from tests.program import PATIENCE, Api, program
from webclient.domain.model import FETCH_TIME, Json, Reason, ReasonCode, now
from webclient.inbox import retention
from webclient.inbox.retention import GRACE, SHARE, Retention, RetentionPolicy
from webclient.store import StorageError, Store

pytestmark = pytest.mark.anyio

SECRET = "correct-horse-battery-staple"
SCHEMA: Json = {
    "type": "object",
    "properties": {"user": {"type": "string"}, "password": {"type": "string"}},
    "required": ["user", "password"],
}
CONTENT = {"user": "ada", "password": SECRET}


SERVERS = asker_entries("--state-key", STATE_KEY)


def _gone(folder: Path, text: str) -> None:
    """Wait until no file has the text: an entry is published a moment before the database log is emptied."""
    deadline = time.monotonic() + PATIENCE
    while any(text.encode() in path.read_bytes() for path in (folder / "data").iterdir()):
        assert time.monotonic() < deadline, f"{text} is still there"
        time.sleep(0.02)


def _age(folder: Path, days: int) -> None:
    """Make all rows of the database so many days older."""
    with closing(sqlite3.connect(folder / "data" / "webclient.sqlite3")) as db, db:
        for table, column in (("requests", "settled_at"), ("calls", "updated_at")):
            db.execute(f"UPDATE {table} SET {column} = strftime('%Y-%m-%d %H:%M:%f000', {column}, '-{days} days')")  # noqa: S608


async def _erased(api: Api, path: str) -> Json:
    """Wait until the entry is erased; the program does so at its start, while it serves."""
    async with asyncio.timeout(PATIENCE):
        entry: Json = {}
        while "erased_at" not in entry:
            entry = await api.json("GET", path)
    return entry


async def test_a_sweep_of_a_long_history_rests_between_its_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = []

    async def erase(_before: object) -> int:
        started = time.monotonic()
        await asyncio.sleep(0.01)
        busy.append(time.monotonic() - started)
        return 1 if len(busy) < 4 else 0

    store = Store(tmp_path)
    await store.open()
    try:
        monkeypatch.setattr(type(store.system), "erase_values", staticmethod(erase))
        started = time.monotonic()
        await Retention(store, RetentionPolicy()).purge()
    finally:
        await store.close()
    assert sum(busy[:-1]) <= SHARE * (time.monotonic() - started)


@pytest.mark.parametrize("label", SERVERS)
async def test_a_secret_in_an_answer_is_sent_and_not_stored(tmp_path: Path, label: str) -> None:
    """The server says nothing of what it was answered: what it says is kept."""
    async with program(tmp_path, servers=SERVERS) as served, served.client() as api:
        call = await api.call(label, "ask_length", {"schema": SCHEMA})
        [request] = await api.pending_requests(call)
        await api.answer(request, action="accept", content=CONTENT)
        done = await api.in_state(call, "done")
        settled = await api.json("GET", f"/requests/{request['id']}")
        assert done["result"]["content"][0]["text"] == str(len(SECRET))
        assert (settled["content"], settled["withheld"]) == ({"user": "ada", "password": None}, ["password"])
        _gone(tmp_path, SECRET)
        async with Person(served) as person:
            page = await person.page(f"/requests/{request['id']}")
            assert "Not stored because they may be secret:" in page
    _gone(tmp_path, SECRET)


@pytest.mark.parametrize("ending", [signal.SIGKILL, None])
async def test_a_secret_of_half_a_round_is_deleted_once_sent(tmp_path: Path, ending: signal.Signals | None) -> None:
    async with program(tmp_path, servers=SERVERS) as served, served.client() as api:
        call = await api.call("rounds", "ask_lengths", {"schema": SCHEMA, "n": 2})
        first, second = await api.pending_requests(call)
        await api.answer(first, action="accept", content=CONTENT)
        if ending:
            os.kill(served.pid, ending)
        else:
            await api.answer(second, action="accept", content=CONTENT)
            assert _lengths(await api.in_state(call, "done")) == [len(SECRET)] * 2
            _gone(tmp_path, SECRET)
    if ending:
        async with program(tmp_path, servers=SERVERS) as served, served.client() as api:
            [waiting] = await api.pending_requests(call)
            await api.answer(waiting, action="accept", content=CONTENT)
            assert _lengths(await api.in_state(call, "done")) == [len(SECRET)] * 2
            _gone(tmp_path, SECRET)


async def test_a_secret_of_half_a_round_is_deleted_when_its_call_ends(tmp_path: Path) -> None:
    async with program(tmp_path, servers=SERVERS) as served, served.client() as api:
        call = await api.call("rounds", "ask_lengths", {"schema": SCHEMA, "n": 2})
        first, _ = await api.pending_requests(call)
        await api.answer(first, action="accept", content=CONTENT)
        await api.json("POST", f"/calls/{call['id']}/cancel")
        _gone(tmp_path, SECRET)
        assert (await api.json("GET", f"/requests/{first['id']}"))["withheld"] == ["password"]


async def test_a_secret_argument_is_deleted_when_the_call_ends(tmp_path: Path) -> None:
    async with program(tmp_path, servers=SERVERS) as served, served.client() as api:
        server = await api.server("push")
        async with Person(served) as person:
            await person.page(f"/servers/{server}")
            call_id = await person.run(server, "tool", "log_in", f0="ada", f1=SECRET)
            call = await api.in_state(await api.json("GET", f"/calls/{call_id}"), "done")
            assert call["result"]["content"][0]["text"] == str(len(SECRET))
            assert (call["arguments"], call["withheld"]) == ({"user": "ada", "password": None}, ["password"])
            _gone(tmp_path, SECRET)
            refused = await api.json("POST", f"/calls/{call_id}/retry", 409)
            assert "Fill in “password” again" in refused["detail"]
            again = await person.submit(f"/calls/{call_id}/retry")
            form = await person.page(again.headers["location"])
            assert 'value="ada"' in form
            assert "This was not stored. Fill it in again." in form


async def test_old_values_are_deleted_and_the_entry_says_so(tmp_path: Path) -> None:
    async with program(tmp_path, servers=SERVERS) as served, served.client() as api:
        call, request = await _answered(api)
    _age(tmp_path, 29)
    async with program(tmp_path, servers=SERVERS) as served, served.client() as api:
        assert (await api.json("GET", f"/calls/{call['id']}"))["result"]
    _age(tmp_path, 1)
    async with program(tmp_path, servers=SERVERS) as served, served.client() as api:
        erased = await _erased(api, f"/calls/{call['id']}")
        assert "result" not in erased
        assert erased["arguments"] == {"message": None}
        request = await _erased(api, f"/requests/{request['id']}")
        assert (request["content"], request["withheld"]) == ({"name": None}, ["name"])
        assert request["params"]["message"] == "Who are you?"
        assert request["during"]["arguments"] is None
        async with Person(served) as person:
            for path in ("/history", f"/calls/{call['id']}", f"/requests/{request['id']}"):
                assert "The values were erased after 30 days." in await person.page(path)
    _gone(tmp_path, "Grace Hopper")


async def test_whole_entries_are_dropped_when_that_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with program(tmp_path, servers=SERVERS) as served, served.client() as api:
        await _answered(api)
    _age(tmp_path, 8)
    monkeypatch.setenv("WEBCLIENT_KEEP_HISTORY_DAYS", "7")
    async with program(tmp_path, servers=SERVERS) as served, served.client() as api:
        async with asyncio.timeout(PATIENCE):
            while (await api.json("GET", "/history"))["entries"]:
                pass


async def test_no_typed_value_is_kept_when_none_is_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBCLIENT_KEEP_VALUES_DAYS", "0")
    async with program(tmp_path, servers=SERVERS) as served, served.client() as api:
        call, request = await _answered(api)
        assert request["content"] == {"name": None}
        assert call["arguments"] == {"message": None}
        assert call["result"]["structuredContent"]["content"] == {"name": "Grace Hopper"}
    _age(tmp_path, 1)
    async with program(tmp_path, servers=SERVERS) as served, served.client() as api:
        assert "result" not in await _erased(api, f"/calls/{call['id']}")
    _gone(tmp_path, "Grace Hopper")


async def _answered(api: Api) -> tuple[Json, Json]:
    call = await api.call("push", "ask_form", {"message": "Who are you?"})
    [request] = await api.pending_requests(call)
    request = await api.answer(request, action="accept", content={"name": "Grace Hopper"})
    return await api.in_state(call, "done"), request


def _lengths(call: Json) -> Sequence[int]:
    lengths: Sequence[int] = call["result"]["structuredContent"]["result"]
    return lengths


async def test_a_sweep_deletes_all_that_is_old_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What each deletes is tested beside it: here that each is called, with its age."""
    called: dict[str, object] = {}
    store = Store(tmp_path)
    await store.open()

    def spy(rows: object, name: str, erased: int) -> None:
        async def act(*given: datetime) -> int:
            # One batch, and then nothing is left.
            again = name in called
            called[name] = round((now() - given[0]) / timedelta(minutes=1)) if given else None
            return 0 if again else erased

        monkeypatch.setattr(type(rows), name, staticmethod(act))

    for name, erased in (("erase_values", 1), ("purge_entries", 1), ("purge_sign_ins", 0), ("purge_hosted_tasks", 0)):
        spy(store.system, name, erased)
    spy(store.system, "scrub", 0)
    spy(store.audit, "purge", 0)
    sign_ins = {"purge_sign_ins": None, "purge_hosted_tasks": FETCH_TIME / timedelta(minutes=1), "purge": None}
    try:
        await Retention(store, RetentionPolicy(values=timedelta())).purge()
        assert called == {"erase_values": GRACE / timedelta(minutes=1), "scrub": None} | sign_ins
        called.clear()
        monkeypatch.setattr(type(store.system), "erase_values", staticmethod(_nothing))
        await Retention(store, RetentionPolicy()).purge()
        assert called == sign_ins
        await Retention(store, RetentionPolicy(entries=timedelta(days=1))).purge()
        assert called == {"purge_entries": 24 * 60, "scrub": None} | sign_ins
    finally:
        await store.close()


async def _nothing(_before: datetime) -> int:
    return 0


async def test_a_sweep_that_fails_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "PAUSE", timedelta())
    swept = 0
    enough = asyncio.Event()

    async def sweep(_self: Retention) -> None:
        nonlocal swept
        swept += 1
        if swept == 3:
            enough.set()
        raise StorageError(Reason(ReasonCode.DATABASE_FULL))

    monkeypatch.setattr(Retention, "purge", sweep)
    sweeping = asyncio.create_task(Retention(Store(tmp_path), RetentionPolicy()).run())
    done, _pending = await asyncio.wait([sweeping, asyncio.create_task(enough.wait())], return_when="FIRST_COMPLETED")
    assert sweeping not in done
    sweeping.cancel()
    await asyncio.wait([sweeping])


def test_an_argument_without_a_value_is_not_withheld() -> None:
    arguments = {"token": None, "note": "x"}
    assert RetentionPolicy(values=timedelta()).withheld_from_call({}, arguments) == ("note",)
    schema = {"type": "object", "properties": {"token": {"type": "string", "title": "API token"}}}
    assert RetentionPolicy().withheld_from_call(schema, arguments) == ()


def test_an_argument_of_a_choice_is_withheld_by_its_title() -> None:
    titled = {"oneOf": [{"properties": {"it": {"type": "string", "title": "API key"}}}, {"properties": {"note": {}}}]}
    assert RetentionPolicy().withheld_from_call(titled, {"it": "abc"}) == ("it",)
