"""Runs units of work on the database, in threads of its own: each is one transaction and one hop between threads.

A unit of work is a plain function that takes a `Connection` first. It runs whole, is committed when it returns and
rolled back when it raises. The task that waits for it may be cancelled; the unit is not.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass
from functools import partial, wraps
from queue import Empty, SimpleQueue
from typing import Any, Concatenate, ParamSpec, TypeVar

import anyio
from sqlalchemy import Connection, select

from webclient.domain.model import Reason, ReasonCode
from webclient.store.database.own_connection import SCRUB_PAUSE, Backend, OwnConnection
from webclient.store.database.storage_errors import StorageError, name_errors
from webclient.support.turns import ACCOUNT

P = ParamSpec("P")
T = TypeVar("T")

MOST_WAITING = 5000
"""Units of work that wait for a thread: more are refused, so that a disk that stands still fills no memory."""

PAUSE = 0.5
"""Seconds between two attempts to find out whether a unit of work was committed."""


class Database:
    """The threads that use a database, each with one connection.

    `on_fault` hears of each StorageError, and `touch` writes something of no consequence.
    """

    def __init__(self, backend: Backend, touch: Callable[[Connection], None]) -> None:
        self._touch = touch
        self.on_fault: Callable[[StorageError], None] = lambda _error: None
        self.engine = backend.engine
        name_errors(backend.engine, backend.fault)
        self._writers = _Threads(backend, backend.writers, to_write=True)
        self._readers = _Threads(backend, backend.readers, to_write=False) if backend.readers else self._writers

    async def read(self, unit: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a unit of work that changes nothing. Raises what it raises, and StorageError."""
        return await self._run(self._readers, lambda db: unit(db, *args, **kwargs))

    async def write(self, unit: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a unit of work. Raises what it raises, and StorageError; then nothing was changed."""
        return await self._run(self._writers, lambda db: unit(db, *args, **kwargs))

    async def probe(self) -> None:
        """Write something of no consequence; raises StorageError."""
        await self.write(self._touch)

    async def check(self) -> None:
        """Use the connection that writes, and so its lock, without a change; raises StorageError."""
        await self.write(lambda db: db.execute(select(1)))

    def renew(self) -> None:
        """Replace each connection before its next unit of work."""
        for threads in {self._writers, self._readers}:
            threads.renewals += 1

    def give_up(self) -> None:
        """Wait no more for a database that is down: this program ends."""
        self._writers.is_ending = True

    def end_within(self, seconds: float) -> None:
        """Let no unit of work take longer, and none start later: this program ends, and the database may hang."""
        for threads in {self._writers, self._readers}:
            threads.end_within(seconds)

    def fence(self, check: Callable[[Connection], None]) -> None:
        """Check each new connection that writes in its first transaction: `check` raises StorageError to end it."""
        self._writers.check = check

    async def close(self) -> None:
        """Finish what waits, then close the connections; later units of work raise StorageError."""
        for threads in (self._readers, self._writers):
            threads.close()
            await asyncio.to_thread(threads.join)

    async def _run(self, threads: _Threads, unit: Callable[[Connection], T]) -> T:
        try:
            # Shielded: a task that is cancelled meanwhile must still learn what was changed.
            with anyio.CancelScope(shield=True):
                result = await threads.start(unit)
        except StorageError as error:
            self.on_fault(error)
            raise
        return result


class _Threads:
    """Some threads, each with a connection, and the units of work that wait for one of them."""

    def __init__(self, backend: Backend, count: int, *, to_write: bool) -> None:
        self._backend = backend
        self._count = count
        self._to_write = to_write
        self._waiting: SimpleQueue[_Started | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._closed = False
        self._unfinished: set[asyncio.Future[Any]] = set()
        self._end: float | None = None
        self.check: Callable[[Connection], None] = lambda _connection: None
        self.renewals = 0
        self.is_ending = False
        self.in_doubt: StorageError | None = None

    def start(self, unit: Callable[[Connection], T]) -> asyncio.Future[T]:
        """Start a unit of work in the context of the caller, and return its future."""
        if self._closed:
            raise StorageError(Reason(ReasonCode.PROGRAM_ENDING))
        if self.in_doubt is not None:
            raise StorageError(self.in_doubt.reason, self.in_doubt.detail)
        if self._waiting.qsize() >= MOST_WAITING:
            raise StorageError(Reason.of(ReasonCode.DISK_TOO_SLOW, n=MOST_WAITING))
        while len(self._threads) < self._count:
            self._threads.append(threading.Thread(target=self._work, name="store", daemon=True))
            self._threads[-1].start()
        started = _Started(unit, copy_context(), asyncio.get_running_loop().create_future())
        self._unfinished.add(started.future)
        started.future.add_done_callback(self._unfinished.discard)
        self._waiting.put(started)
        return started.future

    def end_within(self, seconds: float) -> None:
        """Fail all units that are not finished after this many seconds."""
        if self._end is None:
            self._end = time.monotonic() + seconds
            asyncio.get_running_loop().call_later(seconds, self._abandon)

    def _abandon(self) -> None:
        self._closed = True
        for future in tuple(self._unfinished):
            if not future.done():
                future.set_exception(StorageError(Reason(ReasonCode.PROGRAM_ENDING)))

    def close(self) -> None:
        """Take no more units of work. Call it in the event loop, where they are started, so that none comes later."""
        self._closed = self.is_ending = True
        for _thread in self._threads:
            self._waiting.put(None)

    def join(self) -> None:
        """Wait until started units are finished, and the threads and their connections have ended.

        After `end_within`, a thread that hangs is left to the end of the process.
        """
        for thread in self._threads:
            thread.join(None if self._end is None else max(self._end - time.monotonic(), 0))

    def _work(self) -> None:
        own = OwnConnection(self._backend, self._was_committed, self._check, to_write=self._to_write)
        while True:
            try:
                started = self._waiting.get(timeout=SCRUB_PAUSE if own.is_unscrubbed else None)
            except Empty:
                own.scrub()
                continue
            if started is None:
                break
            started.run(partial(own.run, renewals=self.renewals))
        own.close()

    def _check(self, connection: Connection) -> None:
        self.check(connection)

    def _was_committed(self, mark: str, error: StorageError) -> bool:
        """Find out whether a transaction was committed whose COMMIT had no reply, but an `error`.

        This waits until the database can be asked; others are refused meanwhile. When this program ends before, it
        does not matter any more: the next one goes by what it finds.
        """
        self.in_doubt = error
        try:
            while True:
                with suppress(StorageError):
                    if (known := self._backend.was_committed(mark)) is not None:
                        return known
                if self.is_ending:
                    return False
                time.sleep(PAUSE)
        finally:
            self.in_doubt = None


@dataclass(frozen=True, slots=True)
class _Started:
    """A unit of work, the context that it runs in, and the future of its result."""

    unit: Callable[[Connection], Any]
    context: Context
    future: asyncio.Future[Any]

    def run(self, transaction: Callable[[Callable[[Connection], Any]], Any]) -> None:
        """Run the unit of work in a `transaction`; its result goes to the event loop."""
        began = time.thread_time()
        try:
            outcome = partial(self._end, self.context.run(transaction, self.unit), None)
        except StopIteration as error:
            outcome = partial(self._end, None, _no_stop_iteration(error))
        except BaseException as error:  # noqa: BLE001  (it belongs to the task that waits)
            outcome = partial(self._end, None, error)
        outcome = partial(outcome, time.thread_time() - began)
        # No task waits in a loop that is closed.
        with suppress(RuntimeError):
            self.future.get_loop().call_soon_threadsafe(outcome)

    def _end(self, result: Any, error: BaseException | None, seconds: float) -> None:
        if account := self.context.get(ACCOUNT):
            account.charge(seconds)
        if self.future.done():
            return
        if error is None:
            self.future.set_result(result)
        else:
            self.future.set_exception(error)


def _no_stop_iteration(error: StopIteration) -> RuntimeError:
    """Return the error that a coroutine raises instead (PEP 479); a future refuses StopIteration."""
    raised = RuntimeError("a unit of work raised StopIteration")
    raised.__cause__ = error
    return raised


class UsesDatabase:
    """Something whose methods are units of work of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _fence(self, db: Connection) -> None:
        """Raise an error if this process may not write; called first in each unit of work that writes."""

    def _fenced(self, unit: Callable[..., T], db: Connection, *args: Any, **kwargs: Any) -> T:
        self._fence(db)
        return unit(self, db, *args, **kwargs)


S = TypeVar("S", bound=UsesDatabase)


def reads(unit: Callable[Concatenate[S, Connection, P], T]) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Make a method a unit of work that changes nothing: called without a connection, to be awaited."""

    @wraps(unit)
    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._database.read(partial(unit, self), *args, **kwargs)

    return run


def writes(unit: Callable[Concatenate[S, Connection, P], T]) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Make a method a unit of work: called without a connection, to be awaited."""

    @wraps(unit)
    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._database.write(partial(self._fenced, unit), *args, **kwargs)

    return run
