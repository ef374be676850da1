"""Counts wrong tokens, so that nobody can try many."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

WINDOW = 60.0
"""Seconds for which a wrong attempt counts."""


class Attempts:
    """The wrong attempts of the last minute, by address.

    By address, so that a stranger who guesses does not lock out the person.
    """

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._wrong: deque[tuple[float, str]] = deque()

    def exhausted(self, address: str) -> bool:
        """Whether the address has used up its attempts for now."""
        while self._wrong and self._wrong[0][0] <= self._clock() - WINDOW:
            self._wrong.popleft()
        return sum(who == address for _when, who in self._wrong) >= self._limit

    def add_wrong(self, address: str) -> None:
        """Count a wrong attempt."""
        self._wrong.append((self._clock(), address))
