"""The calls that run in this process, and the one place where their rows change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio

from webclient.calls.checkpoint import Checkpoint, to_json
from webclient.cancellable_task import CancellableTask
from webclient.errors import ConflictError
from webclient.inbox.withdrawal import Ending
from webclient.live import Hub
from webclient.model import Call, CallError, CallState, Json, Reason, ReasonCode
from webclient.store import StorageError, Store

STOP_TIMEOUT = 2
"""Seconds that a stopped call has to notify its server."""


@dataclass(slots=True)
class _Running:
    call: Call
    task: CancellableTask | None = None
    waiting: int = 0
    may_wait: int = 0
    ending: Ending | None = None
    changes: int = 0
    seen: int = 0
    resumable: bool = False
    unsent: bool = False
    returned: bool = False
    ended: bool = False

    @property
    def columns(self) -> Json:
        """The columns of its row that say whether it waits for a person."""
        waits = bool(self.waiting or self.may_wait)
        state = CallState.INPUT_REQUIRED if waits else CallState.RUNNING
        return {"state": state, "may_wait": waits and not self.waiting}


class RunningCalls:
    """Knows which calls run and which of them wait for a person; writes every change to the store and publishes it."""

    def __init__(self, store: Store, hub: Hub) -> None:
        self._store = store
        self._hub = hub
        self._running: dict[str, _Running] = {}
        self._handed_over: set[str] = set()

    async def add(self, call: Call) -> None:
        """Store a new call and register it."""
        await self._store.of(call.user_id).calls.add(call)
        self._running[call.id] = _Running(call)
        self._hub.publish(call.user_id, "call", call.id)

    def add_resumed(self, call: Call) -> None:
        """Register a call that an earlier process left with a checkpoint."""
        self._running[call.id] = _Running(call, resumable=call.checkpoint is not None)

    async def save_checkpoint(self, call: Call, checkpoint: Checkpoint | None) -> None:
        """Save the checkpoint from which the call can resume; None clears it.

        Raises ConflictError when that is not written, because the call has ended or this program ends. The earlier
        checkpoint is still there then, so nothing may be sent that the next process would send again.
        """
        found = self._running[call.id]
        if checkpoint is None and not found.resumable:
            return
        if not await self.change(call, checkpoint=checkpoint and to_json(checkpoint)):
            raise ConflictError(Reason(ReasonCode.CALL_OVER))
        found.resumable = checkpoint is not None

    def is_resumable(self, call: Call) -> bool:
        """Whether the call can resume without its session or this process."""
        found = self._running.get(call.id)
        return found is not None and found.resumable

    def note_unsent(self, call: Call, *, unsent: bool) -> None:
        """Note whether the server has certainly run nothing of the call yet."""
        if found := self._running.get(call.id):
            found.unsent = unsent

    def survives_session(self, call: Call) -> bool:
        """Whether the call continues in the next session if this one is lost: it is resumable, or unsent."""
        found = self._running.get(call.id)
        return found is not None and (found.resumable or found.unsent)

    async def hand_over(self, call: Call) -> None:
        """Stop a call without ending it, for the next process to resume. One that has ended stays as it is."""
        found = self._running.get(call.id)
        if found is not None:
            self._handed_over.add(call.id)
            await _stopped(found)

    async def hand_over_resumable(self) -> None:
        """Hand over all calls that the next process can resume."""
        resumable = [each.call for each in self._running.values() if self.is_resumable(each.call)]
        await asyncio.gather(*(self.hand_over(call) for call in resumable))

    def is_handed_over(self, call_id: str | None) -> bool:
        """Whether the call was handed over to the next process."""
        return call_id in self._handed_over

    def set_task(self, call: Call, task: CancellableTask) -> None:
        """Remember the task that runs the call, so that it can be stopped."""
        self._running[call.id].task = task

    def is_running(self, call_id: str) -> bool:
        """Whether the call runs in this process."""
        return call_id in self._running

    def mark_returned(self, call: Call) -> None:
        """Take no more requests for a call that has ended; its open ones are about to be settled."""
        self._running[call.id].returned = True

    def remove(self, call: Call) -> None:
        """Remove a call that has ended."""
        self._running.pop(call.id, None)

    async def change(self, call: Call, *, at_once: bool = False, **values: Any) -> bool:
        """Set columns of the call and publish it; False if it had ended before.

        A change that cannot be written now is written as soon as possible; `at_once` it raises StorageError instead.
        """
        write = partial(self._store.of(call.user_id).calls.change, call.id, **values)
        changed = bool(await (write() if at_once else self._store.health.until_written(write)))
        found = self._running.get(call.id)
        if changed and found and "state" in values:
            found.changes += 1
            found.returned = values["state"] in (CallState.DONE, CallState.FAILED)
            found.ended = CallState(values["state"]).ended
        if changed:
            self._hub.publish(call.user_id, "call", call.id)
        return changed

    async def progressed(self, call: Call, progress: Json) -> None:
        """Write a step of progress and publish it; one that cannot be written now is dropped."""
        with suppress(StorageError):
            if await self._store.of(call.user_id).calls.change(call.id, progress=progress):
                self._hub.publish(call.user_id, "call", call.id)

    async def next_change(self, call: Call, seconds: float) -> Call:
        """Wait for the call's next change of state, `seconds` at most; return the call.

        Changes are counted from the last one that any client got: states that are compared would miss a change between
        two polls, and a second round that follows at once. Clients that wait at the same time get the same change.
        """
        found = self._running.get(call.id)
        known = found.seen if found else 0
        with self._hub.subscribe(call.user_id) as events, suppress(TimeoutError, StopAsyncIteration):
            async with asyncio.timeout(seconds):
                while found and not found.ended and found.changes == known:
                    await anext(events)
        if found:
            found.seen = found.changes
        return await self._store.of(call.user_id).calls.get(call.id)

    async def stop(self, call_id: str, state: CallState, ending: Ending, *, at_once: bool = False) -> None:
        """End a call from our side: its row, its requests, its task. One that has ended stays as it is.

        If it cannot be written `at_once`, raises StorageError, and the call continues.
        """
        found = self._running.get(call_id)
        error = CallError(reason=ending[1])
        if found is None or not await self.change(found.call, at_once=at_once, state=state, error=error):
            return
        found.ending = ending
        await _stopped(found)

    async def end_all(self, ending: Ending) -> None:
        """End every call that was not handed over; afterwards none of them writes anything."""
        tasks = [each.task for each in self._running.values() if each.task is not None]
        here = [call_id for call_id in self._running if not self.is_handed_over(call_id)]
        await asyncio.gather(*(self.stop(call_id, CallState.INTERRUPTED, ending) for call_id in here))
        await asyncio.gather(*(task.ended(STOP_TIMEOUT) for task in tasks))

    def of_server(self, server_id: str) -> list[Call]:
        """Return the running calls of the server."""
        return [each.call for each in self._at(server_id)]

    def ending_of(self, call_id: str | None) -> Ending | None:
        """Return how the call's requests end if it was stopped from our side."""
        found = self._running.get(call_id or "")
        return found.ending if found else None

    def possible_calls(self, server_id: str, call_id: str | None) -> list[Call]:
        """Return the calls to which a pushed request of the server may belong.

        `call_id` is its call if the transport tells it; otherwise it may be any that runs on the connection.
        """
        if call_id is not None:
            found = self._running.get(call_id)
            return [found.call] if found else []
        # The server knows nothing of a call that waits between two rounds, and is done with one that has returned.
        return [each.call for each in self._at(server_id) if not each.resumable and not each.returned]

    @asynccontextmanager
    async def waiting(self, call: Call | None, *, round_number: int = 1) -> AsyncIterator[None]:
        """Mark the call as waiting for a person while the block runs; blocks of one call may overlap."""
        async with self._counted(call, "waiting", round=round_number):
            yield

    @asynccontextmanager
    async def waiting_one_of(self, calls: Sequence[Call]) -> AsyncIterator[None]:
        """Mark the calls as waiting while the block runs; several are marked as possibly waiting."""
        if len(calls) == 1:
            async with self.waiting(calls[0]):
                yield
            return
        async with AsyncExitStack() as all_:
            for call in calls:
                await all_.enter_async_context(self._counted(call, "may_wait"))
            yield

    @asynccontextmanager
    async def _counted(self, call: Call | None, counter: str, **values: Any) -> AsyncIterator[None]:
        found = self._running.get(call.id) if call else None
        if found is None:
            yield
            return
        try:
            await self._count(found, counter, 1, **values)
            yield
        finally:
            # Shielded: the block is cancelled when the server withdraws its request, and the call continues.
            with anyio.CancelScope(shield=True):
                await self._count(found, counter, -1)

    async def _count(self, found: _Running, counter: str, step: int, **values: Any) -> None:
        before = found.columns
        setattr(found, counter, getattr(found, counter) + step)
        if found.columns != before and not (step < 0 and self.is_handed_over(found.call.id)):
            await self.change(found.call, **found.columns, **values)

    def _at(self, server_id: str) -> list[_Running]:
        return [each for each in self._running.values() if each.call.server_id == server_id]


async def _stopped(found: _Running) -> None:
    if found.task is not None:
        found.task.stop()
        await found.task.ended(STOP_TIMEOUT)
