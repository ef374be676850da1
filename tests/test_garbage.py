"""Garbage collection: none while objects are loaded, full ones while a program is idle."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest

from webclient.support import garbage
from webclient.support.background import CancellableTask
from webclient.support.garbage import RARELY, collect_when_idle, loading

pytestmark = pytest.mark.anyio


def test_loaded_objects_are_excluded_from_collection() -> None:
    class Loaded:
        pass

    try:
        with loading():
            assert not gc.isenabled()
            loaded = Loaded()
        assert gc.isenabled()
        assert all(each is not loaded for each in gc.get_objects())
    finally:
        gc.unfreeze()


def test_a_failure_resumes_the_collection() -> None:
    try:
        with pytest.raises(ImportError), loading():
            raise ImportError
        assert gc.isenabled()
    finally:
        gc.unfreeze()


class Cycle:
    """An object that only a garbage collection frees."""

    def __init__(self) -> None:
        self.own = self


def an_old_cycle() -> weakref.ref[Cycle]:
    cycle = Cycle()
    # It survives the collections of younger objects.
    gc.collect(0)
    gc.collect(1)
    return weakref.ref(cycle)


async def test_an_idle_program_frees_old_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = gc.get_threshold()
    monkeypatch.setattr(garbage, "PAUSE", 0.01)
    monkeypatch.setattr(garbage, "IDLE", 100)
    monkeypatch.setattr(garbage, "DUE", 0)
    found = an_old_cycle()
    collecting = CancellableTask(collect_when_idle(), name="garbage")
    while found() is not None:
        await asyncio.sleep(0.01)
        assert gc.get_threshold()[2] == RARELY
    collecting.stop()
    await collecting.ended()
    assert gc.get_threshold() == usual


async def test_a_busy_program_is_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "PAUSE", 0.01)
    monkeypatch.setattr(garbage, "IDLE", -1)
    monkeypatch.setattr(garbage, "DUE", 0)
    collections = gc.get_stats()[2]["collections"]
    collecting = CancellableTask(collect_when_idle(), name="garbage")
    await asyncio.sleep(0.1)
    collecting.stop()
    await collecting.ended()
    assert gc.get_stats()[2]["collections"] == collections
