"""Background tasks: a stopped one finishes what it does as a whole, and a failed one is logged and counted."""

from __future__ import annotations

import asyncio
import gc
import logging
from pathlib import Path

import pytest

from webclient.domain.model import Call, CallKind
from webclient.store import Store
from webclient.support import background
from webclient.support.background import FAILURES, CancellableTask, call_all, keep

pytestmark = pytest.mark.anyio

TURNS = 40
"""More than a unit of work takes of the event loop."""


async def test_a_unit_of_work_is_not_cut_off(tmp_path: Path) -> None:
    store = Store(tmp_path)
    await store.open()
    added: set[str] = set()

    async def add(call: Call) -> None:
        await store.of("ada").calls.add(call)
        added.add(call.id)

    for turns in range(TURNS):
        call = Call(user_id="ada", server_id="s1", server_label="it", kind=CallKind.TOOL, name="ask")
        adding = CancellableTask(add(call), name="adding")
        for _turn in range(turns):
            await asyncio.sleep(0)
        adding.stop()
        await adding.ended()
    assert added
    assert set(await store.of("ada").calls.open_ids()) == added
    await store.close()


async def test_work_stopped_before_it_begins_ends_normally() -> None:
    done = []

    async def work() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            done.append("goodbye")

    stopped = CancellableTask(work(), name="stopped")
    stopped.stop()
    await stopped.ended()
    assert done == ["goodbye"]


async def test_work_that_fails_after_its_waiters_left_is_quiet() -> None:
    """As Python 3.14 does it, `asyncio.shield` would hand the error to the event loop."""
    reported: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: reported.append(context))
    failing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    leaving, staying = (asyncio.create_task(background.shared(failing)) for _waiter in range(2))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.wait([leaving])
    assert not failing.done()
    failing.set_exception(ConnectionError())
    with pytest.raises(ConnectionError):
        await staying
    with pytest.raises(ConnectionError):
        await background.shared(failing)
    del failing, leaving, staying
    gc.collect()
    assert reported == []


async def test_waiting_for_the_end_of_a_task_times_out() -> None:
    work = CancellableTask(asyncio.sleep(60), name="asleep")
    await work.ended(0)
    work.stop()
    await work.ended()


async def fail() -> None:
    raise LookupError


async def test_a_failure_is_logged_with_its_name_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    before = FAILURES["call"]
    await CancellableTask(fail(), name="call", of="c1").ended()
    await asyncio.sleep(0)
    [line] = caplog.records
    assert (line.levelno, line.args, line.exc_info and line.exc_info[0]) == (logging.ERROR, ("call c1",), LookupError)
    assert FAILURES["call"] == before + 1


async def test_the_error_of_an_awaited_task_is_not_reported(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(LookupError):
        await background.start(fail(), name="reload", awaited=True)
    assert caplog.records == []


async def test_kept_work_begins_again_after_each_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "PAUSES", (0.0,))
    runs: list[int] = []

    async def run() -> None:
        runs.append(len(runs))
        if len(runs) < TURNS:
            raise LookupError

    await keep(run, name="deadlines").ended()
    assert len(runs) == TURNS


async def test_kept_work_can_be_stopped_during_a_pause() -> None:
    work = keep(fail, name="deadlines")
    await asyncio.sleep(0.01)
    work.stop()
    await work.ended()


def test_a_listener_that_fails_stops_no_other(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[int] = []

    def broken(_number: int) -> None:
        raise LookupError

    call_all([broken, heard.append], 1)
    assert heard == [1]
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
