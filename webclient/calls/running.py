"""The calls that run in this process, and the one place where their rows change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Any

import anyio

from webclient.calls.checkpoint import Checkpoint, to_json
from webclient.cancellable_task import CancellableTask
from webclient.errors import ConflictError
from webclient.inbox import Ending
from webclient.live import Hub
from webclient.model import Call, CallError, CallState, Json, Reason, ReasonCode
from webclient.store import StorageError, Store

STOP_TIMEOUT = 2
"""Seconds that a stopped call has to notify its server."""


class RunningCall:
    """One call that runs in this process; every change of it is written to the store and published.

    `resumable`: it has a checkpoint. `unsent`: the server has certainly run nothing of it yet. `returned`: it has
    ended, so no new request belongs to it. `handed_over`: it was stopped for the next process to resume. `ending` is
    how its open requests end, if it was stopped from our side.
    """

    def __init__(self, call: Call, store: Store, hub: Hub, *, resumable: bool = False) -> None:
        self.call = call
        self.resumable = resumable
        self.unsent = False
        self.returned = False
        self.handed_over = False
        self.ending: Ending | None = None
        self._store = store
        self._hub = hub
        self._task: CancellableTask | None = None
        self._waiting = 0
        self._may_wait = 0
        self._changes = 0
        self._seen = 0
        self._ended = False

    @property
    def survives_session(self) -> bool:
        """Whether the call continues in the next session if this one is lost."""
        return self.resumable or self.unsent

    async def save_checkpoint(self, checkpoint: Checkpoint | None) -> None:
        """Save the checkpoint from which the call can resume; None clears it.

        Raises ConflictError when that is not written, because the call has ended or this program ends. The earlier
        checkpoint is still there then, so nothing may be sent that the next process would send again.
        """
        if checkpoint is None and not self.resumable:
            return
        if not await self.change(checkpoint=checkpoint and to_json(checkpoint)):
            raise ConflictError(Reason(ReasonCode.CALL_OVER))
        self.resumable = checkpoint is not None

    async def change(self, *, at_once: bool = False, **values: Any) -> bool:
        """Set columns of the call and publish it; False if it had ended before.

        A change that cannot be written now is written as soon as possible; `at_once` it raises StorageError instead.
        """
        write = partial(self._store.of(self.call.user_id).calls.change, self.call.id, **values)
        changed = bool(await (write() if at_once else self._store.health.until_written(write)))
        if changed and "state" in values:
            self._changes += 1
            self.returned = values["state"] in (CallState.DONE, CallState.FAILED)
            self._ended = CallState(values["state"]).ended
        if changed:
            self._publish()
        return changed

    async def progressed(self, progress: Json) -> None:
        """Write a step of progress and publish it; one that cannot be written now is dropped."""
        with suppress(StorageError):
            if await self._store.of(self.call.user_id).calls.change(self.call.id, progress=progress):
                self._publish()

    async def next_change(self, seconds: float) -> None:
        """Wait for the next change of state, `seconds` at most.

        Changes are counted from the last one that any client got: states that are compared would miss a change between
        two polls, and a second round that follows at once. Clients that wait at the same time get the same change.
        """
        known = self._seen
        with self._hub.subscribe(self.call.user_id) as events, suppress(TimeoutError, StopAsyncIteration):
            async with asyncio.timeout(seconds):
                while not self._ended and self._changes == known:
                    await anext(events)
        self._seen = self._changes

    @asynccontextmanager
    async def waiting(self, *, round_number: int = 1) -> AsyncIterator[None]:
        """Mark the call as waiting for a person while the block runs; blocks may overlap."""
        async with self._marked(waiting=1, round=round_number):
            yield

    @asynccontextmanager
    async def possibly_waiting(self) -> AsyncIterator[None]:
        """Mark the call, while the block runs, as one that may wait for a person."""
        async with self._marked(may_wait=1):
            yield

    def run(self, task: CancellableTask) -> None:
        """Remember the task that runs the call, so that it can be stopped."""
        self._task = task

    async def stop(self, state: CallState, ending: Ending, *, at_once: bool = False) -> None:
        """End the call from our side: its row, its requests, its task. One that has ended stays as it is.

        If it cannot be written `at_once`, raises StorageError, and the call continues.
        """
        if await self.change(at_once=at_once, state=state, error=CallError(reason=ending[1])):
            self.ending = ending
            await self.stop_task()

    async def hand_over(self) -> None:
        """Stop the call without ending it, for the next process to resume."""
        self.handed_over = True
        await self.stop_task()

    async def stop_task(self) -> None:
        """Stop the task, and wait until it has ended, `STOP_TIMEOUT` at most."""
        if self._task is not None:
            self._task.stop()
            await self._task.ended(STOP_TIMEOUT)

    @asynccontextmanager
    async def _marked(self, *, waiting: int = 0, may_wait: int = 0, **values: Any) -> AsyncIterator[None]:
        try:
            await self._mark(waiting, may_wait, **values)
            yield
        finally:
            # Shielded: the block is cancelled when the server withdraws its request, and the call continues.
            with anyio.CancelScope(shield=True):
                await self._mark(-waiting, -may_wait)

    async def _mark(self, waiting: int, may_wait: int, **values: Any) -> None:
        before = self._columns
        self._waiting += waiting
        self._may_wait += may_wait
        ends = waiting + may_wait < 0
        if self._columns != before and not (ends and self.handed_over):
            await self.change(**self._columns, **values)

    @property
    def _columns(self) -> Json:
        waits = bool(self._waiting or self._may_wait)
        state = CallState.INPUT_REQUIRED if waits else CallState.RUNNING
        return {"state": state, "may_wait": waits and not self._waiting}

    def _publish(self) -> None:
        self._hub.publish(self.call.user_id, "call", self.call.id)


class RunningCalls:
    """Finds the calls that run in this process."""

    def __init__(self, store: Store, hub: Hub) -> None:
        self._store = store
        self._hub = hub
        self._running: dict[str, RunningCall] = {}
        self._handed_over: set[str] = set()

    async def add(self, call: Call) -> RunningCall:
        """Store a new call and register it."""
        await self._store.of(call.user_id).calls.add(call)
        running = self._running[call.id] = RunningCall(call, self._store, self._hub)
        self._hub.publish(call.user_id, "call", call.id)
        return running

    def add_resumed(self, call: Call) -> RunningCall:
        """Register a call that an earlier process left with a checkpoint."""
        self._running[call.id] = RunningCall(call, self._store, self._hub, resumable=True)
        return self._running[call.id]

    def get(self, call_id: str | None) -> RunningCall | None:
        """Return the call if it runs in this process."""
        return self._running.get(call_id or "")

    def remove(self, running: RunningCall) -> None:
        """Remove a call that has ended, or was handed over."""
        if running.handed_over:
            self._handed_over.add(running.call.id)
        self._running.pop(running.call.id, None)

    def is_handed_over(self, call_id: str | None) -> bool:
        """Whether the call was handed over to the next process; its requests stay open."""
        running = self.get(call_id)
        return running.handed_over if running else call_id in self._handed_over

    def of_server(self, server_id: str) -> list[RunningCall]:
        """Return the running calls of the server."""
        return [running for running in self._running.values() if running.call.server_id == server_id]

    def possible_calls(self, server_id: str, call_id: str | None) -> list[RunningCall]:
        """Return the calls to which a pushed request of the server may belong.

        `call_id` is its call if the transport tells it; otherwise it may be any that runs on the connection.
        """
        if call_id is not None:
            running = self.get(call_id)
            return [running] if running else []
        # The server knows nothing of a call that waits between two rounds, and is done with one that has returned.
        return [running for running in self.of_server(server_id) if not running.resumable and not running.returned]

    async def hand_over_resumable(self) -> None:
        """Hand over all calls that the next process can resume."""
        await asyncio.gather(*(running.hand_over() for running in self._running.values() if running.resumable))

    async def end_all(self, ending: Ending) -> None:
        """End every call that was not handed over; afterwards none of them writes anything."""
        all_running = list(self._running.values())
        ours = [running for running in all_running if not running.handed_over]
        await asyncio.gather(*(running.stop(CallState.INTERRUPTED, ending) for running in ours))
        # Also those whose end could not be written: nothing reads for them any more, so they would wait forever.
        await asyncio.gather(*(running.stop_task() for running in all_running))


@asynccontextmanager
async def one_waits(calls: Sequence[RunningCall]) -> AsyncIterator[None]:
    """Mark the calls, while the block runs: one as waiting, several as possibly waiting."""
    async with AsyncExitStack() as stack:
        for running in calls:
            await stack.enter_async_context(running.waiting() if len(calls) == 1 else running.possibly_waiting())
        yield
