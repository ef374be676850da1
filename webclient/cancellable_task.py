"""A task that can be cancelled without interrupting shielded work, such as a database statement.

`asyncio.Task.cancel` ignores shields: in the middle of a statement it loses the statement and its connection. This task
runs in a cancel scope of anyio, which waits for the end of shielded work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any

import anyio


class CancellableTask:
    """Runs `work` in a separate task called `name`, optionally in a `context`."""

    def __init__(self, work: Coroutine[Any, Any, None], *, name: str, context: Context | None = None) -> None:
        self._scope = anyio.CancelScope()
        self._task = asyncio.create_task(self._run(work), name=name, context=context)

    def stop(self) -> None:
        """Cancel at the next unshielded await, even before the first one."""
        self._scope.cancel()

    def when_ended(self, then: Callable[[], None]) -> None:
        """Call `then` once the work has ended."""
        self._task.add_done_callback(lambda _task: then())

    async def ended(self, seconds: float | None = None) -> None:
        """Wait for the end of the work, at most `seconds`."""
        await asyncio.wait([self._task], timeout=seconds)

    async def _run(self, work: Coroutine[Any, Any, None]) -> None:
        with self._scope:
            await work
