"""When a post that failed is tried again, and when its receiver is given up."""

from __future__ import annotations

from datetime import timedelta
from random import uniform

PAUSES = tuple(timedelta(seconds=seconds) for seconds in (5, 60, 300, 1800, 7200, 18_000, 36_000))
"""The pauses after each failure (Standard Webhooks 1.0, Deliverability and reliability); all together 18 hours."""

SPREAD = 0.2
"""The part by which a pause is longer or shorter by chance, so that many do not come back at once."""

GIVE_UP = timedelta(days=3)
"""A receiver that has taken nothing for so long gets nothing more until a person turns it on again."""


def pause_after(failures: int, retry_after: float | None = None) -> timedelta | None:
    """Return how long to wait after so many failures; None when the message is given up.

    `retry_after` are the seconds that the receiver asks for; they make a pause longer, and never shorter.
    """
    if failures > len(PAUSES):
        return None
    # Not a secret: only the pauses of several messages must differ.
    pause = PAUSES[failures - 1] * uniform(1 - SPREAD, 1 + SPREAD)  # noqa: S311
    return max(pause, timedelta(seconds=retry_after or 0))
