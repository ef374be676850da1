"""Passes steps of progress on to an agent, at its pace: it never slows the server down, and gets the newest step."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from webclient.calls import OnProgress

Step = tuple[float, float | None, str | None]


class Steps:
    """The steps of one call, which `report` takes to the agent while the block runs."""

    def __init__(self, report: OnProgress) -> None:
        self._report = report
        self._newest: Step | None = None
        self._noted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def note(self, progress: float, total: float | None, message: str | None) -> None:
        """Take a step of progress, and return at once."""
        self._newest = (progress, total, message)
        self._noted.set()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._pass_on())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task:
            # The last step goes out before the result.
            await asyncio.sleep(0)
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _pass_on(self) -> None:
        while True:
            await self._noted.wait()
            self._noted.clear()
            step, self._newest = self._newest, None
            if step:
                await self._report(*step)
