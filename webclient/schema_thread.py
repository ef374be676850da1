"""Long schemas are read and judged in a thread, one after the other, so that everybody else is answered meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import anyio
from anyio import CapacityLimiter
from anyio.lowlevel import RunVar

LONG = 10_000
"""Characters of a schema from which a thread is worth its price."""

T = TypeVar("T")

_LIMITER: RunVar[CapacityLimiter] = RunVar("schema_thread")


def is_long(schema: Any) -> bool:
    """Whether a schema is so long that it is judged in a thread; one that nests too deep is."""
    try:
        return len(json.dumps(schema)) > LONG
    except RecursionError:
        return True


async def run_schema_work(work: Callable[..., T], *args: Any, long: bool, **options: Any) -> T:
    """Return what `work` returns, in a thread if it has to do with a `long` schema."""
    if not long:
        return work(*args, **options)
    limiter = _LIMITER.get(None) or CapacityLimiter(1)
    _LIMITER.set(limiter)
    # One thread: of several, each would wait for the interpreter as long, and so would everybody else.
    return await anyio.to_thread.run_sync(partial(work, *args, **options), limiter=limiter)
