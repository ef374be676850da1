"""Whether a person looks at a page of ours: their open pages are asked when it matters, and only then."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from webclient.store.live import Hub

SECONDS = 3.0
"""Seconds in which a visible page must have answered."""


class Visibility:
    """Asks the open pages of users; a page that is visible answers, and one without scripts cannot."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._probes: dict[str, asyncio.Event] = {}

    async def is_visible(self, user_id: str) -> bool:
        """Return whether a page of the user is visible now."""
        if not self._hub.has_subscribers(user_id):
            return False
        seen = self._probes.setdefault(user_id, asyncio.Event())
        self._hub.signal(user_id, "visibility", "")
        with suppress(TimeoutError):
            async with asyncio.timeout(SECONDS):
                await seen.wait()
        self._probes.pop(user_id, None)
        return seen.is_set()

    def answer(self, user_id: str) -> None:
        """Note that a page of the user is visible."""
        if user_id in self._probes:
            self._probes[user_id].set()
