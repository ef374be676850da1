"""The calls that have not ended, and which of them wait for a person: in their rows, in the units of work that store a
request and its answer, and in memory.

A call that waits for several requests is counted for each. Units of work that are on their way at the same time may
leave a row behind the counts for a moment; the last `show_waiting` corrects it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import Any

import anyio

from webclient.domain.model import Call, CallState, Json
from webclient.inbox.endings import Ending
from webclient.store import CallChange, StorageError, Store
from webclient.store.live import Hub


class OpenCall:
    """A call that has not ended; every change of it is written to the store and published here.

    `resumable`: it has a checkpoint. `is_saving`: its server requires input, or made a task of it, so a checkpoint is
    about to be written. `returned`: it has ended, so no new request belongs to it. `handed_over`: it was stopped for
    the next process to resume. `ending` is how its open requests end, if it was stopped from our side.
    `task_id` is the task as which its server runs it. `changes` counts its changes of state, and
    `moved` is set with the next one.
    """

    def __init__(self, call: Call, store: Store, hub: Hub, *, resumable: bool = False) -> None:
        self.call = call
        self.resumable = resumable
        self.is_saving = False
        self.returned = False
        self.handed_over = False
        self.ending: Ending | None = None
        self.task_id = call.task.id if call.task else None
        # No client of this process has got the state in which an earlier process left the call.
        self.changes = 1 if resumable else 0
        self.moved = asyncio.Event()
        self._store = store
        self._hub = hub
        self._ended = False
        self._waiting = 0
        self._may_wait = 0
        # The state in its row; None if the result of the last write is unknown.
        self._shown: Json | None = {"state": call.state, "may_wait": call.may_wait}

    @property
    def asks(self) -> bool:
        """Whether it waits for a person, or may wait for one."""
        return self._waiting > 0 or self._may_wait > 0

    async def change(self, *, at_once: bool = False, **values: Any) -> bool:
        """Set columns of the call and publish it; False if it had ended before.

        A change that cannot be written now is written as soon as possible; `at_once` it raises StorageError instead.
        """
        with self.changing(**values) as change:
            write = partial(self._store.of(self.call.user_id).calls.change, self.call.id, **values)
            change.is_written = bool(await (write() if at_once else self._store.health.until_written(write)))
        return change.is_written

    @contextmanager
    def changing(self, *, required: bool = False, **values: Any) -> Iterator[CallChange]:
        """Publish a change of the call that the block writes with something else."""
        change = CallChange(self.call.id, values, required=required)
        try:
            yield change
        except StorageError:
            raise
        except BaseException:
            # The unit of work goes on without the task that waits for it.
            self._shown = None
            raise
        if change.is_written:
            self._changed(values)

    def _changed(self, values: Json) -> None:
        if "state" in values:
            self.changes += 1
            self.moved.set()
            self.moved = asyncio.Event()
            self.returned = values["state"] in (CallState.DONE, CallState.FAILED)
            self._ended = CallState(values["state"]).ended
            shown = {name: values[name] for name in ("state", "may_wait") if name in values}
            self._shown = (self._shown or {"may_wait": False}) | shown
        if values.get("task"):
            self.task_id = values["task"].id
        if "checkpoint" in values:
            self.resumable, self.is_saving = values["checkpoint"] is not None, False
        self.publish()

    def publish(self) -> None:
        """Publish that the call has changed."""
        self._hub.publish(self.call.user_id, "call", self.call.id)

    @asynccontextmanager
    async def waiting(self, *, round_number: int = 1) -> AsyncIterator[None]:
        """Mark the call as waiting for a person while the block runs; blocks may overlap."""
        try:
            self.count(1)
            await self.show_waiting(round=round_number)
            yield
        finally:
            self.count(-1)
            # Shielded: the block is cancelled when the server withdraws its request, and the call continues.
            with anyio.CancelScope(shield=True):
                await self.show_waiting()

    def count(self, waiting: int = 0, may_wait: int = 0) -> None:
        """Count what the call waits for, and what it may wait for; the row is left as it is."""
        self._waiting += waiting
        self._may_wait += may_wait

    def columns_to_show(self) -> Json:
        """Return the columns that differ from the row; none for a call that leaves."""
        if self._ended or self.handed_over:
            return {}
        waits, may_wait = self._waiting > 0, self._may_wait > 0
        state = CallState.INPUT_REQUIRED if waits or may_wait else CallState.RUNNING
        columns = {"state": state, "may_wait": may_wait and not waits}
        return {} if columns == self._shown else columns

    async def show_waiting(self, **values: Any) -> None:
        """Write whether the call waits, if its row says otherwise."""
        # Again afterwards: a request that came while it was written saw the row as it had been, and wrote nothing.
        while (columns := self.columns_to_show()) and await self.change(**columns, **values):
            pass


class WaitingCalls:
    """The calls to which a request may belong: one waits for it, or each of several may wait."""

    def __init__(self, calls: Sequence[OpenCall]) -> None:
        self._calls = calls
        self._each = "waiting" if len(calls) == 1 else "may_wait"
        self._counted = 0
        self._has_ended = False

    @contextmanager
    def begin(self) -> Iterator[Collection[CallChange]]:
        """Give the changes that the block writes together with the request."""
        self._count(1)
        with ExitStack() as stack:
            yield self._changes(stack, round=1)

    async def begin_again(self) -> None:
        """Mark the calls for a request that is in the store already."""
        self._count(1)
        await self._show()

    @contextmanager
    def end(self) -> Iterator[Collection[CallChange]]:
        """Give the changes that the block writes together with the answer."""
        # Counted at once: of several that are answered together, the last moves their call on.
        self._count(0)
        try:
            with ExitStack() as stack:
                yield self._changes(stack)
        except BaseException:
            if not self._has_ended:
                self._count(1)
            raise

    async def ended(self) -> None:
        """Mark what is not yet as it should be."""
        self._has_ended = True
        self._count(0)
        await self._show()

    def _count(self, times: int) -> None:
        for call in self._calls:
            call.count(**{self._each: times - self._counted})
        self._counted = times

    async def _show(self) -> None:
        for call in self._calls:
            await call.show_waiting()

    def _changes(self, stack: ExitStack, **also: Any) -> list[CallChange]:
        columns = [(call, call.columns_to_show()) for call in self._calls]
        return [stack.enter_context(call.changing(**shown, **also)) for call, shown in columns if shown]


@asynccontextmanager
async def waiting_calls(calls: Sequence[OpenCall]) -> AsyncIterator[WaitingCalls]:
    """Give what marks the calls; after the block they no longer wait for this request."""
    waiting = WaitingCalls(calls)
    try:
        yield waiting
    finally:
        # Shielded: the block is cancelled when the server withdraws its request, and the calls continue.
        with anyio.CancelScope(shield=True):
            await waiting.ended()
