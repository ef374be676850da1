"""A thread for long schemas: reads and validates them one after the other, while other requests are answered."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import anyio
from anyio import CapacityLimiter
from anyio.lowlevel import RunVar

LONG = 10_000
"""Characters; for a longer schema a thread is worth its cost."""

T = TypeVar("T")

_LIMITER: RunVar[CapacityLimiter] = RunVar("schema_thread")


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
    limiter = _LIMITER.get(None) or CapacityLimiter(1)
    _LIMITER.set(limiter)
    # One thread: several would wait for the interpreter lock as long, and so would all other requests.
    return await anyio.to_thread.run_sync(partial(work, *args, **options), limiter=limiter)
