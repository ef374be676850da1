"""The calls that run in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from secrets import token_hex

from webclient.calls.checkpoint import ApprovalCheckpoint, Checkpoint, UnsentCheckpoint, to_json
from webclient.domain.errors import ConflictError
from webclient.domain.executions import EXECUTED, executed, not_executed
from webclient.domain.model import Call, CallError, CallState, Json, Reason, ReasonCode, ServerKey, Task
from webclient.inbox import Ending, OpenCall
from webclient.store import StorageError, Store
from webclient.store.live import Hub
from webclient.support.background import CancellableTask

OnProgress = Callable[[float, float | None, str | None], Awaitable[None]]
"""Takes a step of progress: `progress`, `total` and `message`."""

STOP_TIMEOUT = 2
"""Seconds that a stopped call has to notify its server."""


class RunningCall(OpenCall):
    """One call that runs in this process.

    `unsent`: the server has certainly run nothing of it yet. `as_task`: the person wants it to run as a task, if its
    tool allows both. `progress_token` is that of the request which created its task, `on_progress` takes a step of
    progress, and `followers` get each step as it came. `wanted` is cleared while an agent that made it is away.
    `approved` is the question by which it may run, until its server has got it.
    """

    def __init__(self, call: Call, store: Store, hub: Hub, *, resumable: bool = False, as_task: bool = False) -> None:
        super().__init__(call, store, hub, resumable=resumable)
        self.unsent = False
        self.wanted = asyncio.Event()
        self.wanted.set()
        self.as_task = as_task
        self.approved: ApprovalCheckpoint | None = None
        self.progress_token: str | int | None = None
        self.on_progress: OnProgress | None = None
        self.followers: list[OnProgress] = []
        self._task: CancellableTask | None = None
        self._epoch = token_hex(4)
        self._seen = 0

    @property
    def cursor(self) -> str:
        """The place after the newest change of state, for `next_change`; no other process makes the same."""
        return self._cursor(self.changes)

    def _cursor(self, changes: int) -> str:
        return f"{self._epoch}-{changes}"

    @property
    def survives_session(self) -> bool:
        """Whether the call continues in the next session if this one is lost."""
        return self.may_resume or self.unsent

    @property
    def may_resume(self) -> bool:
        """Whether the call has a checkpoint, or one is about to be written."""
        return self.resumable or self.is_saving

    @property
    def will_ask(self) -> bool:
        """Whether its person is asked before it is sent, and has not been yet."""
        # Other calls have no checkpoint before their first question, unless an earlier process has left them.
        return self.resumable and self.changes == 1 and not self.asks

    @property
    def is_at_server(self) -> bool:
        """Whether the server works for the call: not between two rounds, nor after it has returned."""
        return (self.task_id is not None or not self.resumable) and not self.returned

    def sent(self, request_id: str | int) -> None:
        """Note the JSON-RPC id of the request that was sent last."""
        self.progress_token = request_id

    async def save_checkpoint(self, checkpoint: Checkpoint | None) -> None:
        """Save the checkpoint from which the call can resume; None clears it.

        Raises ConflictError when that is not written, because the call has ended or this program ends. The earlier
        checkpoint is still there then, so nothing may be sent that the next process would send again.
        """
        if checkpoint is None and not self.resumable:
            return
        noted = self._noted(checkpoint)
        columns: Json = {"approval": noted.approval} if noted is not self.call else {}
        if not await self.change(checkpoint=checkpoint and to_json(checkpoint), **columns):
            raise ConflictError(Reason(ReasonCode.CALL_OVER))
        self.call = noted
        if columns:
            self.publish_approval()

    def _noted(self, checkpoint: Checkpoint | None) -> Call:
        """Return the call with whether its server may have got it, if it was approved.

        This is written with the checkpoint, so that after a kill it is known whether anything was sent.
        """
        approval = self.call.approval
        if approval is None:
            return self.call
        if checkpoint is None and EXECUTED not in approval:
            sent = executed(self.call)
            if sent[EXECUTED]["digest"] != approval["digest"]:
                # Safe: nothing else runs than what was approved, also if a part of this program is wrong.
                raise ConflictError(Reason(ReasonCode.INTERNAL_ERROR))
            return replace(self.call, approval=sent)
        if isinstance(checkpoint, ApprovalCheckpoint) and EXECUTED in approval:
            return replace(self.call, approval=not_executed(self.call))
        return self.call

    @property
    def unsent_checkpoint(self) -> Checkpoint:
        """The checkpoint of the call before its server has got anything of it."""
        return self.approved or UnsentCheckpoint(as_task=self.as_task)

    def publish_approval(self) -> None:
        """Publish that the card which approved the call says something new."""
        if request_id := (self.call.approval or {}).get("request"):
            self._hub.publish(self.call.user_id, "request", request_id)

    async def progressed(self, progress: Json) -> None:
        """Write a step of progress and publish it; one that cannot be written now is dropped."""
        with suppress(StorageError):
            if await self._store.of(self.call.user_id).calls.change(self.call.id, progress=progress):
                self.publish()

    async def next_change(self, seconds: float, *, since: str | None = None) -> None:
        """Wait for the next change of state after the cursor `since`, `seconds` at most.

        States that are compared would miss a second round that follows at once, so changes are counted. A cursor that
        was not made here ends the wait at once. Without one, changes count from the last one that any client without
        a cursor got; clients that wait at the same time get the same change.
        """
        known = self._cursor(self._seen) if since is None else since
        with self._hub.subscribe(self.call.user_id) as events, suppress(TimeoutError, StopAsyncIteration):
            async with asyncio.timeout(seconds):
                while not self._ended and self.cursor == known:
                    await anext(events)
        if since is None:
            self._seen = self.changes

    async def note_task(self, task: Task) -> None:
        """Write the newest status of the task after the call has ended; a full disk drops it."""
        with suppress(StorageError):
            await self._store.of(self.call.user_id).calls.note_task(self.call.id, task)
            self.publish()

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

    async def until_over(self) -> None:
        """Wait until the call has ended, or this process has left it to another."""
        if self._task is not None:
            await self._task.ended()

    async def stop_task(self) -> None:
        """Stop the task, and wait until it has ended, `STOP_TIMEOUT` at most."""
        if self._task is not None:
            self._task.stop()
            await self._task.ended(STOP_TIMEOUT)


class RunningCalls:
    """Finds the calls that run in this process."""

    def __init__(self, store: Store, hub: Hub) -> None:
        self._store = store
        self._hub = hub
        self._running: dict[str, RunningCall] = {}
        self._coming: list[str] = []
        self._handed_over: dict[str, RunningCall] = {}

    async def add(self, call: Call, *, as_task: bool = False) -> RunningCall:
        """Store a new call and register it."""
        self._coming.append(call.user_id)
        try:
            await self._store.of(call.user_id).calls.add(call)
        finally:
            self._coming.remove(call.user_id)
        resumable = call.checkpoint is not None
        running = RunningCall(call, self._store, self._hub, resumable=resumable, as_task=as_task)
        self._running[call.id] = running
        self._hub.publish(call.user_id, "call", call.id)
        return running

    def add_resumed(self, call: Call, *, as_task: bool = False) -> RunningCall:
        """Register a call that an earlier process left with a checkpoint."""
        self._running[call.id] = running = RunningCall(call, self._store, self._hub, resumable=True, as_task=as_task)
        if call.agent:
            # Until it comes back.
            running.wanted.clear()
        return self._running[call.id]

    def get(self, call_id: str | None) -> RunningCall | None:
        """Return the call if it runs in this process."""
        return self._running.get(call_id or "")

    def remove(self, running: RunningCall) -> None:
        """Remove a call that has ended, or was handed over."""
        if running.handed_over:
            self._handed_over[running.call.id] = running
        self._running.pop(running.call.id, None)

    def is_handed_over(self, call_id: str | None) -> bool:
        """Return whether the call was handed over to the next process; its requests stay open."""
        running = self.get(call_id)
        return running.handed_over if running else call_id in self._handed_over

    def of_server(self, server_key: ServerKey) -> list[RunningCall]:
        """Return the running calls of the server."""
        return [running for running in self._running.values() if running.call.server_key == server_key]

    def of_user(self, user_id: str | None) -> list[Call]:
        """Return the calls of one user, or of all, as they were started."""
        calls = [running.call for running in self._running.values()]
        return [call for call in calls if user_id in (None, call.user_id)]

    def count_of(self, user_id: str) -> int:
        """Return how many calls of a user run, or are being stored."""
        return self._coming.count(user_id) + sum(each.call.user_id == user_id for each in self._running.values())

    def with_tasks(self, server_key: ServerKey) -> list[RunningCall]:
        """Return the calls that the server runs as tasks, also those that were handed over."""
        handed_over = [each for each in self._handed_over.values() if each.call.server_key == server_key]
        return [running for running in (*self.of_server(server_key), *handed_over) if running.task_id is not None]

    def possible_calls(
        self, server_key: ServerKey, call_id: str | None = None, task_id: str | None = None
    ) -> list[RunningCall]:
        """Return the calls to which a pushed request of the server may belong.

        `task_id` is its task, if it names one, and `call_id` its call if the transport tells it; otherwise it may be
        any that the server works for.
        """
        if task_id is not None and (found := [each for each in self.of_server(server_key) if each.task_id == task_id]):
            return found
        if call_id is not None:
            running = self.get(call_id)
            return [running] if running else []
        return [running for running in self.of_server(server_key) if running.is_at_server]

    async def hand_over(self, user_id: str) -> None:
        """Hand over all calls of a user; what cannot be resumed is ended where they live then."""
        theirs = [running for running in self._running.values() if running.call.user_id == user_id]
        await asyncio.gather(*(running.hand_over() for running in theirs))

    def forget_handed_over(self, user_id: str) -> None:
        """Forget the calls of a user that were handed over."""
        for call_id in [id_ for id_, running in self._handed_over.items() if running.call.user_id == user_id]:
            del self._handed_over[call_id]

    async def hand_over_resumable(self) -> None:
        """Hand over all calls that the next process can resume.

        One whose checkpoint is being written is ended by the next process if it is not written in time.
        """
        await asyncio.gather(*(running.hand_over() for running in self._running.values() if running.may_resume))

    async def end_all(self, ending: Ending) -> None:
        """End every call that was not handed over; afterwards none of them writes anything.

        One whose round has come since then, while connections were closed, is handed over as well.
        """
        await self.hand_over_resumable()
        all_running = list(self._running.values())
        ours = [running for running in all_running if not running.handed_over]
        await asyncio.gather(*(running.stop(CallState.INTERRUPTED, ending) for running in ours))
        # Also those whose end could not be written: nothing reads for them any more, so they would wait forever.
        await asyncio.gather(*(running.stop_task() for running in all_running))
