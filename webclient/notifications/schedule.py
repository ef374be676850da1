"""When the next notice of a user is due: pure rules over the settings and what waits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from webclient.domain.model import NoticeSettings, WaitingRequest

PAUSE = timedelta(minutes=1)
"""The shortest time between two notices of a user."""

LONGEST_PAUSE = timedelta(hours=1)
"""The time between two notices while none is heeded: it doubles up to this."""


def is_heeded(settings: NoticeSettings, waiting: Sequence[WaitingRequest]) -> bool:
    """Return whether the question that the last notice was about waits no longer."""
    return all(each.id != settings.last_id for each in waiting)


def due_at(
    settings: NoticeSettings, waiting: Sequence[WaitingRequest], at: datetime, seen_at: datetime | None = None
) -> datetime | None:
    """Return when the next notice is due, `at` this moment or later; None if everything was noticed.

    Questions that were due when a page was last visible, `seen_at`, are due again a minute after that.
    """
    ready = [each.created_at + settings.wait for each in waiting if not each.is_noticed]
    if not ready:
        return None
    due = max(at, min(seen_at + PAUSE if seen_at and each <= seen_at else each for each in ready))
    if settings.last_at:
        doublings = 0 if is_heeded(settings, waiting) else min(settings.unheeded, 30)
        due = max(due, settings.last_at + min(PAUSE * 2**doublings, LONGEST_PAUSE))
    return (settings.quiet and settings.quiet.end_of(due)) or due
