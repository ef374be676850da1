"""Backoff: how often a connection is tried again, and after which pauses."""

from __future__ import annotations

from random import uniform
from time import monotonic

PAUSES = (0.5, 1, 2, 5, 10, 30)
"""Seconds between attempts to reconnect; the last repeats."""

TRIES = 3
"""How often a server is started that does not answer in time; a second start finds its files in the cache."""

STEADY = 30
"""Seconds after which a lost session counts as the first loss again."""


class Reconnects:
    """Counts the attempts of one connection, each from `begins` to `failed`."""

    def __init__(self) -> None:
        self._since = 0.0
        self._failed = 0
        self._losses = 0

    def begins(self) -> None:
        """Note that an attempt begins."""
        self._since = monotonic()

    def failed(self, *, timed_out: bool) -> bool:
        """Note that the attempt failed, or its session was lost; return whether to try again for that alone."""
        self._failed += 1
        self._losses = 1 if monotonic() - self._since > STEADY else self._losses + 1
        return timed_out and self._failed < TRIES

    @property
    def pause(self) -> float:
        """The seconds to wait before the next attempt."""
        # Jitter, so that not all servers are tried at the same moment.
        return PAUSES[min(self._losses, len(PAUSES)) - 1] * uniform(0.8, 1.2)  # noqa: S311
