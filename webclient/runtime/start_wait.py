"""The start waits for what cannot be used now, such as a database that is restarted, and a signal ends that at once."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import chain, repeat
from threading import Thread
from types import FrameType
from typing import TypeVar

from webclient.domain.errors import WebclientError

logger = logging.getLogger(__name__)

T = TypeVar("T")

PAUSES = (0.25, 0.5, 1, 2, 4, 8)
"""Seconds between two attempts; the last repeats."""


def until_usable(attempt: Callable[[], T], seconds: float) -> T:
    """Repeat `attempt` while its error is temporary, for some seconds, and return its result.

    Raises the last error, and at once one that is not temporary.
    """
    end = time.monotonic() + seconds
    said = None
    for pause in chain(PAUSES, repeat(PAUSES[-1])):
        try:
            return _interruptible(attempt)
        except WebclientError as error:
            left = end - time.monotonic()
            if not error.is_temporary or left <= 0:
                raise
            if said != (said := error.for_operator):
                logger.warning("%s This is tried again for %d seconds, until it works.", said, round(left))
        time.sleep(min(pause, left))
    raise AssertionError


@contextmanager
def ending_at_sigterm() -> Iterator[None]:
    """Exit with 0 at SIGTERM, until a server in the block handles signals itself.

    The first process of a container has no default action for signals: without a handler it would not end.
    """
    before = signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def _interruptible(work: Callable[[], T]) -> T:
    """Run `work` in a thread: the main thread handles signals meanwhile, also while a name is looked up."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001  (it belongs to the main thread)
            future.set_exception(error)

    Thread(target=run, name="start", daemon=True).start()
    return future.result()
