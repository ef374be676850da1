"""Garbage collection: none among objects that stay until the end, and full ones while nothing else happens.

A full collection stops everything, half a second with 1,000 open calls. The interpreter's own come so rarely that they
only bound what a program without a quiet second may waste.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Suspend garbage collection while the block loads, and exclude the loaded objects for good.

    Without this, looking for garbage takes a tenth of the time of the start, and 90 ms now and then afterwards, in
    which nothing else happens. Garbage that exists at the end of the block is never freed, so the block must be rare.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


PAUSE = 2.0
"""Seconds between two looks."""

IDLE = 0.05
"""The share of processor time that an idle program takes at most."""

DUE = 10
"""Collections of younger objects after which a full one is due; the interpreter's own number."""

RARELY = 300
"""Collections of younger objects after which the interpreter makes a full one by itself."""


async def collect_when_idle() -> None:
    """Make a full collection whenever one is due and the program is idle."""
    usual = gc.get_threshold()
    gc.set_threshold(usual[0], usual[1], RARELY)
    try:
        while True:
            used = time.process_time()
            await asyncio.sleep(PAUSE)
            is_idle = time.process_time() - used < PAUSE * IDLE
            if is_idle and gc.get_count()[2] >= DUE:
                gc.collect()
    finally:
        gc.set_threshold(*usual)
