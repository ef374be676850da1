"""Passes steps of progress on to an agent, at its pace: it never slows the server down, and gets the newest step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self

from webclient.calls import OnProgress
from webclient.domain.i18n import gettext as _
from webclient.support import background

SIGN_OF_LIFE = 10.0
"""Seconds without a step after which an agent sees that a person is being asked."""

TINY = 1e-6
"""A step that is none."""

Step = tuple[float, float | None, str | None]


class Steps:
    """The steps of one call, which `report` takes to the agent while the block runs; `waits`: for a person."""

    def __init__(self, report: OnProgress) -> None:
        self.waits: Callable[[], bool] = lambda: False
        self._report = report
        self._last: Step = (0, None, None)
        self._newest: Step | None = None
        self._noted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def note(self, progress: float, total: float | None, message: str | None) -> None:
        """Take a step of progress, and return at once."""
        self._newest = (progress, total, message)
        self._noted.set()

    async def __aenter__(self) -> Self:
        self._task = background.start(self._pass_on(), name="progress for an agent", awaited=True)
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
            try:
                async with asyncio.timeout(SIGN_OF_LIFE):
                    await self._noted.wait()
            except TimeoutError:
                if self.waits():
                    # Progress MUST increase, so a step in between is a tiny one.
                    await self._send((self._last[0] + TINY, self._last[1], _("Waiting for a person")))
                continue
            self._noted.clear()
            step, self._newest = self._newest, None
            if step:
                await self._send(step)

    async def _send(self, step: Step) -> None:
        self._last = (max(step[0], self._last[0]), step[1], step[2])
        await self._report(*step)
