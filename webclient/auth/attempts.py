"""Counts wrong tokens by address, so that guessing is slow and costs little."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from hashlib import sha256

WINDOW = 60.0
"""Seconds for which a wrong attempt counts."""

MOST_REMEMBERED = 10_000
"""Attempts of all addresses that are remembered; beyond that the oldest are forgotten early."""


class Attempts:
    """The wrong tokens of the last minute, by address, each counted once.

    A page that tries the same token again and again, such as an old bookmark, uses up one attempt.
    """

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._wrong: deque[tuple[float, str, bytes]] = deque(maxlen=MOST_REMEMBERED)

    @property
    def remembered(self) -> int:
        """The number of remembered wrong tokens."""
        return len(self._wrong)

    def add_wrong(self, address: str, token: str) -> bool:
        """Count a wrong token; whether the address is still within its attempts."""
        self._forget()
        tried = {digest for _when, who, digest in self._wrong if who == address}
        digest = sha256(token.encode("utf-8", "surrogatepass")).digest()
        if digest in tried:
            return True
        if len(tried) >= self._limit:
            return False
        self._wrong.append((self._clock(), address, digest))
        return True

    def _forget(self) -> None:
        while self._wrong and self._wrong[0][0] <= self._clock() - WINDOW:
            self._wrong.popleft()
