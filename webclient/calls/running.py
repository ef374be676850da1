"""The calls in flight in this process, and the one place where their rows change."""

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
from webclient.i18n import gettext as _
from webclient.inbox.withdrawal import Ending
from webclient.live import Hub
from webclient.model import Call, CallState, Json
from webclient.reasons import sentence
from webclient.store import StorageError, Store

STOP_TIMEOUT = 2
"""Seconds that a stopped call has to say goodbye to its server."""


@dataclass(slots=True)
class _Open:
    call: Call
    work: CancellableTask | None = None
    waiting: int = 0
    may_wait: int = 0
    ending: Ending | None = None
    moves: int = 0
    told: int = 0
    resumable: bool = False
    unsent: bool = False
    returned: bool = False
    ended: bool = False

    @property
    def stands(self) -> Json:
        """Whether it waits for a person, as columns of its row."""
        waits = bool(self.waiting or self.may_wait)
        state = CallState.INPUT_REQUIRED if waits else CallState.RUNNING
        return {"state": state, "may_wait": waits and not self.waiting}


class RunningCalls:
    """Knows which calls run, which of them wait for a person, and tells the store and the pages."""

    def __init__(self, store: Store, hub: Hub) -> None:
        self._store = store
        self._hub = hub
        self._open: dict[str, _Open] = {}
        self._left: set[str] = set()

    async def open(self, call: Call) -> None:
        """Begin to follow a new call."""
        await self._store.of(call.user_id).calls.add(call)
        self._open[call.id] = _Open(call)
        self._hub.publish(call.user_id, "call", call.id)

    def reopen(self, call: Call) -> None:
        """Follow a call again that an earlier process left waiting."""
        self._open[call.id] = _Open(call, resumable=call.checkpoint is not None)

    async def save_checkpoint(self, call: Call, checkpoint: Checkpoint | None) -> None:
        """Save the checkpoint from which the call can resume; None clears it.

        Raises ConflictError when that is not written, because the call has ended or this program ends. The earlier
        checkpoint is still there then, so nothing may be sent that the next process would send again.
        """
        found = self._open[call.id]
        if checkpoint is None and not found.resumable:
            return
        if not await self.change(call, checkpoint=checkpoint and to_json(checkpoint)):
            raise ConflictError(_("The call was ended here."))
        found.resumable = checkpoint is not None

    def is_resumable(self, call: Call) -> bool:
        """Whether the call can resume without its session or this process."""
        found = self._open.get(call.id)
        return found is not None and found.resumable

    def note_unsent(self, call: Call, *, unsent: bool) -> None:
        """Note whether the server has run nothing of the call, so that the loss of a session is not its end."""
        if found := self._open.get(call.id):
            found.unsent = unsent

    def needs_no_session(self, call: Call) -> bool:
        """Whether the call goes on in the next session when this one is lost: it is resumable, or has not been sent."""
        found = self._open.get(call.id)
        return found is not None and (found.resumable or found.unsent)

    async def leave(self, call: Call) -> None:
        """Let go of a call without ending it: the next process goes on with it. One that has ended stays as it is."""
        found = self._open.get(call.id)
        if found is not None:
            self._left.add(call.id)
            await _stopped(found)

    async def leave_resumable(self) -> None:
        """Let go of all calls that the next process can resume."""
        resumable = [each.call for each in self._open.values() if self.is_resumable(each.call)]
        await asyncio.gather(*(self.leave(call) for call in resumable))

    def is_left(self, call_id: str | None) -> bool:
        """Whether this process has let go of the call."""
        return call_id in self._left

    def follow(self, call: Call, work: CancellableTask) -> None:
        """Remember the work that carries the call out, so that it can be stopped."""
        self._open[call.id].work = work

    def is_open(self, call_id: str) -> bool:
        """Whether the call is in flight in this process."""
        return call_id in self._open

    def close(self, call: Call) -> None:
        """Take no more questions for a call that has ended: what it leaves open is about to be ended."""
        self._open[call.id].returned = True

    def forget(self, call: Call) -> None:
        """Stop following a call that has ended."""
        self._open.pop(call.id, None)

    async def change(self, call: Call, *, at_once: bool = False, **values: Any) -> bool:
        """Set columns of the call and tell; False when the call had ended before.

        What cannot be written now is written as soon as it can, or if it must be `at_once` raises StorageError.
        """
        write = partial(self._store.of(call.user_id).calls.change, call.id, **values)
        changed = bool(await (write() if at_once else self._store.health.lasting(write)))
        found = self._open.get(call.id)
        if changed and found and "state" in values:
            found.moves += 1
            found.returned = values["state"] in (CallState.DONE, CallState.FAILED)
            found.ended = CallState(values["state"]).ended
        if changed:
            self._hub.publish(call.user_id, "call", call.id)
        return changed

    async def progressed(self, call: Call, progress: Json) -> None:
        """Note a step of progress and tell; one that cannot be written now is left out."""
        with suppress(StorageError):
            if await self._store.of(call.user_id).calls.change(call.id, progress=progress):
                self._hub.publish(call.user_id, "call", call.id)

    async def next_change(self, call: Call, seconds: float) -> Call:
        """Return the call at its next change of state, or as it is after so many seconds.

        Changes are counted from the last one that any client got: states that are compared would miss a change between
        two polls, and a second round that follows at once. Clients that wait at the same time get the same change.
        """
        found = self._open.get(call.id)
        known = found.told if found else 0
        with self._hub.subscribe(call.user_id) as events, suppress(TimeoutError, StopAsyncIteration):
            async with asyncio.timeout(seconds):
                while found and not found.ended and found.moves == known:
                    await anext(events)
        if found:
            found.told = found.moves
        return await self._store.of(call.user_id).calls.get(call.id)

    async def stop(self, call_id: str, state: CallState, ending: Ending, *, at_once: bool = False) -> None:
        """End a call from our side: its row, its questions, its task. One that has ended stays as it is.

        If it must be `at_once` and cannot be written, raises StorageError, and the call goes on.
        """
        found = self._open.get(call_id)
        error = {"message": sentence(ending[1])}
        if found is None or not await self.change(found.call, at_once=at_once, state=state, error=error):
            return
        found.ending = ending
        await _stopped(found)

    async def end_all(self, ending: Ending) -> None:
        """End every call that is not left to the next process; afterwards none of them writes anything."""
        works = [each.work for each in self._open.values() if each.work is not None]
        here = [call_id for call_id in self._open if not self.is_left(call_id)]
        await asyncio.gather(*(self.stop(call_id, CallState.INTERRUPTED, ending) for call_id in here))
        await asyncio.gather(*(work.ended(STOP_TIMEOUT) for work in works))

    def on(self, server_id: str) -> list[Call]:
        """Return the calls in flight on the server's connection."""
        return [each.call for each in self._at(server_id)]

    def ending(self, call_id: str | None) -> Ending | None:
        """Return how the call's questions end, when the call was stopped from our side."""
        found = self._open.get(call_id or "")
        return found.ending if found else None

    def asking(self, server_id: str, call_id: str | None) -> list[Call]:
        """Return the calls of which one is that in which the server asked; none if it is not known to be in any.

        `call_id` is what the transport told, if anything; otherwise any call in flight on the connection may be meant.
        """
        if call_id is not None:
            found = self._open.get(call_id)
            return [found.call] if found else []
        # The server knows nothing of a call that waits between two rounds, and is done with one that has returned.
        return [each.call for each in self._at(server_id) if not each.resumable and not each.returned]

    @asynccontextmanager
    async def waiting(self, call: Call | None, *, round_number: int = 1) -> AsyncIterator[None]:
        """Mark the call as waiting for a person while the block runs; blocks of one call may overlap."""
        async with self._counted(call, "waiting", round=round_number):
            yield

    @asynccontextmanager
    async def one_waiting(self, calls: Sequence[Call]) -> AsyncIterator[None]:
        """Mark all these calls as waiting while the block runs; if there are several, as such that may wait."""
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
        found = self._open.get(call.id) if call else None
        if found is None:
            yield
            return
        try:
            await self._count(found, counter, 1, **values)
            yield
        finally:
            # Shielded: the SDK cancels the block when the server takes its question back, and the call goes on.
            with anyio.CancelScope(shield=True):
                await self._count(found, counter, -1)

    async def _count(self, found: _Open, counter: str, step: int, **values: Any) -> None:
        before = found.stands
        setattr(found, counter, getattr(found, counter) + step)
        if found.stands != before and not (step < 0 and self.is_left(found.call.id)):
            await self.change(found.call, **found.stands, **values)

    def _at(self, server_id: str) -> list[_Open]:
        return [each for each in self._open.values() if each.call.server_id == server_id]


async def _stopped(found: _Open) -> None:
    if found.work is not None:
        found.work.stop()
        await found.work.ended(STOP_TIMEOUT)
