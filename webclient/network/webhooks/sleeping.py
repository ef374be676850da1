"""Sleeps until a moment of the wall clock, or until something has changed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta

from webclient.domain.model import now

LONGEST_SLEEP = timedelta(minutes=1)
"""The clock is read again after this time: it may have been set, and timers stop while a laptop sleeps."""


async def until(moment: datetime | None, changed: asyncio.Event) -> None:
    """Wait for `changed`, or until a moment, a minute at most; without a moment, for ever."""
    pause = None if moment is None else max(min(moment - now(), LONGEST_SLEEP).total_seconds(), 0)
    with suppress(TimeoutError):
        async with asyncio.timeout(pause):
            await changed.wait()
