"""Work in the background: each task is kept until it ends, and none fails in silence.

A failure is logged with the name of the task, and counted for `/metrics`.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from contextvars import Context
from typing import Any, ParamSpec, TypeVar

import anyio

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

PAUSES = (1.0, 5.0, 30.0)
"""Seconds before work that has failed is begun again: the first time, the second time, and from then on."""

FAILURES: Counter[str] = Counter()
"""How many background tasks have failed in this process, by the kind of their work."""

# asyncio keeps no task that nothing else refers to.
_running: set[asyncio.Task[Any]] = set()


def start(
    work: Coroutine[Any, Any, T], *, name: str, of: object = "", context: Context | None = None, awaited: bool = False
) -> asyncio.Task[T]:
    """Run `work` by itself, optionally in a `context`.

    `name` is its kind, such as "call", and `of` says which one it is. Who awaits an `awaited` task gets its error, so
    that is not reported.
    """
    task = asyncio.create_task(work, name=f"{name} {of}".rstrip(), context=context)
    _running.add(task)
    task.add_done_callback(_running.discard)
    task.add_done_callback(_take_error if awaited else lambda done: _report(done, name))
    return task


async def shared(work: asyncio.Future[T]) -> T:
    """Wait for work that goes on if this waiter is cancelled; raise its error.

    From Python 3.14 on, `asyncio.shield` logs an error of work that its waiter has left; here it is for those who wait.
    """
    if not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            work.add_done_callback(_take_error)
            raise
    return work.result()


class CancellableTask:
    """Runs `work` as `start` does, and can be cancelled without interrupting shielded work.

    `asyncio.Task.cancel` ignores shields: in the middle of a database statement it loses the statement and its
    connection. This task runs in a cancel scope of anyio, which waits for the end of shielded work.
    """

    def __init__(
        self, work: Coroutine[Any, Any, None], *, name: str, of: object = "", context: Context | None = None
    ) -> None:
        self._scope = anyio.CancelScope()
        self._task = start(self._run(work), name=name, of=of, context=context)

    def stop(self) -> None:
        """Cancel at the next unshielded await, even before the first one."""
        self._scope.cancel()

    def when_ended(self, then: Callable[[], object]) -> None:
        """Call `then` once the work has ended."""
        self._task.add_done_callback(lambda _task: then())

    async def ended(self, seconds: float | None = None) -> None:
        """Wait for the end of the work, at most `seconds`."""
        await asyncio.wait([self._task], timeout=seconds)

    async def _run(self, work: Coroutine[Any, Any, None]) -> None:
        with self._scope:
            await work


def keep(work: Callable[[], Coroutine[Any, Any, None]], *, name: str) -> CancellableTask:
    """Run `work` as `start` does, and begin it again whenever it has failed."""
    return CancellableTask(_again_and_again(work, name), name=name)


async def _again_and_again(work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
    pauses = iter(PAUSES)
    while True:
        try:
            await work()
        except Exception as error:  # noqa: BLE001
            _count(name, name, error)
            await asyncio.sleep(next(pauses, PAUSES[-1]))
        else:
            return


def call_all(listeners: Iterable[Callable[P, object]], *arguments: P.args, **options: P.kwargs) -> None:
    """Call all `listeners`. One that fails is reported as a task is, and stops neither the caller nor the others."""
    for listener in listeners:
        try:
            listener(*arguments, **options)
        except Exception as error:  # noqa: BLE001
            _count("listener", listener.__qualname__, error)


class Supervisor:
    """The background tasks of one owner, which cancels them or waits for them in the end."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any], *, name: str, context: Context | None = None) -> None:
        """Run `work` as the function `start` does."""
        task = start(work, name=name, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def cancel(self) -> None:
        """Cancel all tasks."""
        for task in self._tasks:
            task.cancel()

    async def ended(self, seconds: float | None = None) -> None:
        """Wait until all tasks have ended, at most `seconds`."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)


def _report(task: asyncio.Task[Any], name: str) -> None:
    if error := _take_error(task):
        _count(name, task.get_name(), error)


def _take_error(task: asyncio.Future[Any]) -> BaseException | None:
    # asyncio logs an error that was not looked at when the task is collected.
    return None if task.cancelled() else task.exception()


def _count(kind: str, name: str, error: BaseException) -> None:
    FAILURES[kind] += 1
    logger.error("The background task “%s” has failed", name, exc_info=error)
