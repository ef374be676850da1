"""Whether this program can serve: the database can be read and written, and the event loop is not blocked.

One of several on a database must also be known to the others as alive, or they take its users over.
"""

from __future__ import annotations

import asyncio
from time import perf_counter

from webclient.services import Services
from webclient.store import StorageError
from webclient.support.shared_work import SharedWork

PATIENCE = 2.0
"""Seconds in which the database must answer."""

LAG = 1.0
"""Seconds for which the event loop may be blocked."""


class Readiness:
    """Checks at most once a second, however many ask: anybody may."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._checks: SharedWork[dict[str, str]] = SharedWork()

    async def check(self) -> dict[str, str]:
        """Return "ok" or "failed" for each part."""
        return await self._checks.get("checks", self._check)

    async def _check(self) -> dict[str, str]:
        checks = {"database": _word(await self._can_use_database()), "loop": _word(await lag() < LAG)}
        residents = self._services.residents
        return checks if residents is None else {**checks, "node": _word(residents.is_known)}

    async def _can_use_database(self) -> bool:
        store = self._services.store
        try:
            async with asyncio.timeout(PATIENCE):
                # Reading alone would go well after another process has taken the lock.
                await asyncio.gather(store.health.check_now(), store.system.counts())
        except (StorageError, TimeoutError):
            return False
        return True


async def lag() -> float:
    """Return how long the event loop takes to come back, in seconds."""
    began = perf_counter()
    await asyncio.sleep(0)
    return perf_counter() - began


def _word(is_ok: bool) -> str:
    return "ok" if is_ok else "failed"
