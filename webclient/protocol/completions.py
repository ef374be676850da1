"""Collects the completions that a server notifies: however many come, a few look-ups a second find them all.

A server may send thousands a second, of ids that nobody waits for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

from webclient.model import now

PAUSE = 0.1
"""Seconds between two look-ups."""

LookUp = Callable[[Mapping[str, datetime]], Awaitable[None]]
"""Completes the links that wait for these ids, each told at that time."""


class Completions:
    """The completions of one session."""

    def __init__(self, look_up: LookUp) -> None:
        self._look_up = look_up
        self._told: dict[str, datetime] = {}
        self._busy = False

    def tell(self, elicitation_id: str) -> bool:
        """Note a completion; True when `work` is to be begun for it."""
        # What is agreed to while this waits came after the notification, so its time counts.
        self._told[elicitation_id] = now()
        begin, self._busy = not self._busy, True
        return begin

    async def work(self) -> None:
        """Look up what was told, and what is told meanwhile."""
        try:
            while self._told:
                told, self._told = self._told, {}
                await self._look_up(told)
                await asyncio.sleep(PAUSE)
        finally:
            self._busy = False
