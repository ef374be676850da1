"""The steps that a server reports during a call."""

from __future__ import annotations

from time import monotonic

from webclient.calls.running import RunningCalls
from webclient.model import Call, Json

PROGRESS_PAUSE = 0.2
"""Seconds between two steps of progress that are told; a server may report thousands."""


class Progress:
    """The steps that a server reports during a call; an SDK progress callback. `latest` is the newest, told or not."""

    def __init__(self, call: Call, running_calls: RunningCalls) -> None:
        self.latest: Json | None = None
        self._call = call
        self._running_calls = running_calls
        self._told_at = 0.0

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        """Note a step, and tell it unless one was told a moment ago."""
        steps = {"progress": progress, "total": total, "message": message}
        self.latest = {key: value for key, value in steps.items() if value is not None}
        if monotonic() - self._told_at >= PROGRESS_PAUSE:
            self._told_at = monotonic()
            await self._running_calls.progressed(self._call, self.latest)
