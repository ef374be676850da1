"""A thread for long schemas: reads and validates them one after the other, while other requests are answered.

Of the users who wait for it, the one with the least use of the processor is next (`turns.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

import anyio
from anyio.lowlevel import RunVar

from webclient.support.turns import ACCOUNT, FairLock

LONG = 10_000
"""Characters; for a longer schema a thread is worth its cost."""

T = TypeVar("T")

_LOCK: RunVar[FairLock] = RunVar("schema_thread")


def is_long(schema: Any) -> bool:
    """Return whether a schema is long enough for the thread; one that nests too deeply is."""
    try:
        return len(json.dumps(schema)) > LONG
    except RecursionError:
        return True


async def run_schema_work(work: Callable[..., T], *args: Any, long: bool, **options: Any) -> T:
    """Return the result of `work`, which runs in the thread if its schema is `long`."""
    if not long:
        return work(*args, **options)
    lock = _LOCK.get(None) or FairLock()
    _LOCK.set(lock)
    # One thread: several would wait for the interpreter lock as long, and so would all other requests.
    async with lock.locked():
        began = perf_counter()
        try:
            return await anyio.to_thread.run_sync(partial(work, *args, **options))
        finally:
            if account := ACCOUNT.get():
                account.charge(perf_counter() - began)
