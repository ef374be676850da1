"""Loading of modules and other objects that stay until the end, without looking for garbage among them."""

from __future__ import annotations

import gc
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
