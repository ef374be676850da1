"""Asks /readyz through the proxy all the time, as monitoring outside would."""

from __future__ import annotations

import asyncio
import time

import httpx2

from tests.drill.company import Company

OFTEN = 0.1
"""Seconds between two looks."""

PATIENCE = 2.0
"""Seconds in which it must answer."""


class Readiness:
    """For how long it was not 200 in the current step, and how soon after the repair it was 200 again."""

    def __init__(self) -> None:
        self._failed: float | None = None
        self._back = 0.0
        self._repaired = 0.0

    def begin(self) -> None:
        """Begin another step."""
        self._failed, self._back, self._repaired = None, 0.0, 0.0

    def repaired(self) -> None:
        """Note that the part that failed runs again: from now on the program has to come back by itself."""
        self._repaired = time.monotonic()

    def said(self) -> tuple[str, str]:
        """Return how long it was not 200, and how much of that after the repair."""
        if self._failed is None:
            return "0", ""
        back = self._back or time.monotonic()
        since = max(self._failed, self._repaired) if self._repaired else self._failed
        return f"{back - self._failed:.1f} s", f"{max(0.0, back - since):.1f} s"

    async def watch(self, company: Company) -> None:
        """Ask for ever."""
        async with httpx2.AsyncClient(verify=company.tls, timeout=PATIENCE) as client:
            while True:
                began = time.monotonic()
                try:
                    is_ready = (await client.get(f"{company.url}/readyz")).status_code == 200
                except httpx2.TransportError:
                    is_ready = False
                if not is_ready:
                    self._failed, self._back = self._failed or began, 0.0
                elif not self._back:
                    self._back = time.monotonic()
                await asyncio.sleep(max(0.0, began + OFTEN - time.monotonic()))
