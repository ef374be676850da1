"""Passes progress and log messages on to an agent, at its pace: it never slows the server down.

The newest step of progress counts. Log messages and other notifications come one by one, the newest ones if there are
too many.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

from webclient.calls import OnProgress
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json
from webclient.support import background

SIGN_OF_LIFE = 10.0
"""Seconds without a step after which an agent sees that a person is being asked."""

MOST_MESSAGES = 500
"""Notifications that wait for one agent; of more, the oldest are dropped."""

TINY = 1e-6
"""A step that is none."""

Step = tuple[float, float | None, str | None]


Send = Callable[[str, Json | None], Awaitable[None]]
"""Sends a notification to an agent."""


class Steps:
    """The steps of one call, which `report` takes to the agent while the block runs; `waits`: for a person.

    `send` takes other notifications to it, if it `wants` them.
    """

    def __init__(
        self,
        report: OnProgress,
        send: Send | None = None,
        wants: Callable[[str, Json], bool] = lambda _method, _params: True,
    ) -> None:
        self.waits: Callable[[], bool] = lambda: False
        self._report = report
        self._last: Step = (0, None, None)
        self._newest: Step | None = None
        self._send_message = send
        self._wants = wants
        self._messages: deque[tuple[str, Json]] = deque(maxlen=MOST_MESSAGES)
        self._over = False
        self._noted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def note(self, progress: float, total: float | None, message: str | None) -> None:
        """Take a step of progress."""
        self._newest = (progress, total, message)
        self._noted.set()

    @property
    def is_over(self) -> bool:
        """Whether the result is on its way: too late for notifications of this call."""
        return self._over

    def add(self, method: str, params: Json) -> None:
        """Take another notification."""
        if self._send_message and self._wants(method, params):
            self._messages.append((method, params))
            self._noted.set()

    async def __aenter__(self) -> Self:
        self._task = background.start(self._pass_on(), name="progress for an agent", awaited=True)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task:
            # The last step and all messages go out before the result.
            self._over = True
            self._noted.set()
            if kind is not None:
                self._task.cancel()
            try:
                await asyncio.wait([self._task])
            except asyncio.CancelledError:
                self._task.cancel()
                raise

    async def _pass_on(self) -> None:
        while not self._over or self._noted.is_set():
            try:
                async with asyncio.timeout(SIGN_OF_LIFE):
                    await self._noted.wait()
            except TimeoutError:
                if self.waits():
                    # Progress MUST increase, so a step in between is a tiny one.
                    await self._send((self._last[0] + TINY, self._last[1], _("Waiting for a person")))
                continue
            self._noted.clear()
            while self._messages and self._send_message:
                method, params = self._messages.popleft()
                await self._send_message(method, params or None)
            step, self._newest = self._newest, None
            if step:
                await self._send(step)

    async def _send(self, step: Step) -> None:
        self._last = (max(step[0], self._last[0]), step[1], step[2])
        await self._report(*step)
