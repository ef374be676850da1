"""A task that can be stopped without cutting off what it does whole, such as a statement of the database.

`asyncio.Task.cancel` knows no shields: in the middle of a statement it costs the statement and its connection. The
scope in which this task runs is anyio's, and waits for the end of what is shielded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextvars import Context
from typing import Any

import anyio


class CancellableTask:
    """Runs `work` in a task of its own, called `name`, if need be in a `context`."""

    def __init__(self, work: Coroutine[Any, Any, None], *, name: str, context: Context | None = None) -> None:
        self._scope = anyio.CancelScope()
        self._task = asyncio.create_task(self._run(work), name=name, context=context)

    def stop(self) -> None:
        """Let the work end at the next place where nothing is done whole; also work that has not begun yet does."""
        self._scope.cancel()

    async def ended(self, seconds: float | None = None) -> None:
        """Wait for the end of the work, so long at most."""
        await asyncio.wait([self._task], timeout=seconds)

    async def _run(self, work: Coroutine[Any, Any, None]) -> None:
        with self._scope:
            await work
