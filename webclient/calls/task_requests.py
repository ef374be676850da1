"""The input requests of a task of 2026-07-28: they come with its state, and each answer goes out by itself.

A request is known by its key, which is unique during the life of a task: it becomes one card, however often the server
repeats it, and it is answered once (extension, Input Requests).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from webclient.calls.checkpoint import TaskCheckpoint, to_json
from webclient.calls.driving import DriverServices, Sending
from webclient.calls.polling import Polls
from webclient.calls.rounds import MAX_UNANSWERED_ROUNDS, TooManyRoundsError, check_answers
from webclient.calls.running import RunningCall
from webclient.content.visible_text import shortened
from webclient.domain.errors import ConflictError
from webclient.domain.model import (
    CallState,
    Delivery,
    InputRequest,
    Json,
    Origin,
    Reason,
    ReasonCode,
    RequesterIds,
    RequestState,
)
from webclient.inbox import Arrival, is_automatic, result_of, withdrawn
from webclient.protocol import ServerError, TaskReport, TaskWire
from webclient.servers.connections import Connection
from webclient.support.background import CancellableTask
from webclient.support.standard_json import json_equal

QUOTED = 500
"""Characters of a server's words that are quoted, if it refuses an answer."""

_NEVER_SENT = (RequestState.WITHDRAWN, RequestState.INTERRUPTED, RequestState.REFUSED)
"""The states of a request for which no answer goes out."""


class TaskRequests:
    """The requests of one task. `open` are those whose answer the server has not taken, by its keys."""

    def __init__(
        self, running: RunningCall, checkpoint: TaskCheckpoint, polls: Polls, services: DriverServices
    ) -> None:
        self.open: dict[str, InputRequest] = {}
        self._running = running
        self._checkpoint = checkpoint
        self._polls = polls
        self._services = services
        self._outstanding: Mapping[str, Json] = {}
        self._muted: dict[str, InputRequest] = {}
        self._unasked_rounds = 0
        self._links: dict[str, InputRequest] = {}
        self._refused: dict[str, ServerError] = {}
        self._sendings: defaultdict[str, Sending] = defaultdict(Sending)
        self._counted = 0
        self._watched: set[str] = set()
        self._watcher: CancellableTask | None = None

    @property
    def has_required(self) -> bool:
        """Whether the task has required input."""
        return bool(self._checkpoint.requests or self._muted)

    async def restore(self) -> None:
        """Find the requests that an earlier process has shown."""
        if not self._checkpoint.requests:
            return
        rows = {request.id: request for request in await self._services.inbox.of_call(self._running.call)}
        shown = {key: rows[each] for key, each in self._checkpoint.requests.items() if each in rows}
        self.open = {key: request for key, request in shown.items() if _is_unsent(request)}
        for key, request in self.open.items():
            if request.delivery is not None:
                # The earlier process may have sent it.
                self._sendings[key].delivery = Delivery.UNKNOWN
        self._links = {key: request for key, request in shown.items() if request.state is RequestState.WAITING}

    async def send(self, wire: Callable[[], TaskWire]) -> bool:
        """Send the answers for which the server waits by its newest state; False if there is nothing to send.

        Raises ServerError, and UnansweredError if an answer has no form in the protocol: then the task cannot go on.
        """
        rows = await self._newest()
        check_answers(rows.values())
        await self._show(rows.values())
        self._watch()
        found = {key: request for key, request in (rows | self._muted).items() if self._is_ready(key, request)}
        for key, request in found.items():
            await self._update(wire(), key, request)
        return bool(found)

    def _is_ready(self, key: str, request: InputRequest) -> bool:
        is_answered = not request.pending and request.state not in _NEVER_SENT
        return is_answered and key in self._outstanding and key not in self._refused

    async def seen(self, report: TaskReport, connection: Connection) -> Json | None:
        """Show what is new in the state of the task; return the call's result if it has ended.

        Raises ServerError, RefusedError, TooManyRoundsError and ConflictError.
        """
        if report.task.status.ended:
            return await self._answer(report)
        self._outstanding = report.entries
        new = {key: entry for key, entry in report.entries.items() if not self._knows(key)}
        rows = await self._newest()
        gone = {key: request for key, request in rows.items() if key not in report.entries}
        renamed = self._renamed(gone, new)
        await self._withdraw({key: request for key, request in gone.items() if key not in renamed.values()})
        await self._complete_links()
        await self._reopen_refused(rows)
        if fresh := {key: entry for key, entry in new.items() if key not in renamed}:
            await self._put(fresh, connection)
        elif renamed:
            await self._running.save_checkpoint(self._checkpoint)
        return None

    async def stop(self) -> None:
        """Stop watching for answers, and record those that may have arrived."""
        if self._watcher:
            self._watcher.stop()
        sent = [request for key, request in self.open.items() if self._sendings[key].delivery is Delivery.UNKNOWN]
        await self._services.deliveries.record(sent, Delivery.UNKNOWN)
        self._count(0)

    def _knows(self, key: str) -> bool:
        return key in self._checkpoint.requests or key in self._muted

    async def _newest(self) -> dict[str, InputRequest]:
        """Return the rows of the open requests by key."""
        if not self.open:
            return {}
        by_id = {row.id: row for row in await self._services.inbox.until(list(self.open.values()), _any_state)}
        self.open = {key: by_id[request.id] for key, request in self.open.items()}
        return dict(self.open)

    async def _update(self, wire: TaskWire, key: str, request: InputRequest) -> None:
        # One at a time, so that a refusal says which answer it means.
        try:
            with self._sendings[key].attempt():
                await wire.update(self._checkpoint.task_id, {key: result_of(request)})
        except ServerError as error:
            if error.unanswered or error.not_run:
                raise
            self._refused[key] = error
        else:
            await self._taken(key, request, Delivery.DELIVERED)

    async def _taken(self, key: str, request: InputRequest, delivery: Delivery) -> None:
        """Note that there is nothing more to send for this key."""
        await self._services.deliveries.record([request], delivery)
        self._refused.pop(key, None)
        self.open.pop(key, None)
        if key in self._muted:
            self._muted[key] = replace(request, state=RequestState.WITHDRAWN)
        if request.state is RequestState.WAITING:
            self._links[key] = request

    async def _answer(self, report: TaskReport) -> Json | None:
        self._outstanding = {}
        await self._complete_links()
        if isinstance(report.answer, ServerError):
            raise report.answer
        return report.answer

    def _renamed(self, gone: Mapping[str, InputRequest], new: Mapping[str, Json]) -> dict[str, str]:
        """Return old keys by new ones, for requests that the server repeats unchanged under another key.

        Keys should not change, and those of FastMCP 4 do with each look at the task; the person sees one card.
        """
        renamed: dict[str, str] = {}
        for key, entry in new.items():
            for old, request in gone.items():
                if old not in renamed.values() and request.pending and _asks_the_same(entry, request):
                    renamed[key] = old
                    break
        for key, old in renamed.items():
            self.open[key] = self.open.pop(old)
            self._checkpoint = replace(
                self._checkpoint,
                requests={key if each == old else each: value for each, value in self._checkpoint.requests.items()},
            )
        return renamed

    async def _withdraw(self, gone: Mapping[str, InputRequest]) -> None:
        """End the requests that the server no longer waits for."""
        for key, request in gone.items():
            if not (request.pending and await self._services.inbox.settle(request, *withdrawn())):
                await self._services.deliveries.record([request], self._sendings[key].delivery)
            self.open.pop(key, None)
            self._refused.pop(key, None)

    async def _complete_links(self) -> None:
        for key in [key for key in self._links if key not in self._outstanding]:
            await self._services.inbox.links.went_on(self._links.pop(key))

    async def _reopen_refused(self, rows: Mapping[str, InputRequest]) -> None:
        """Show the requests again whose answers the server refused and which it still waits for."""
        if self._refused:
            # First the call waits, so that it never seems to run while a request is pending.
            self._count(1)
            await self._running.show_waiting()
        for key, error in list(self._refused.items()):
            request = rows.get(key) or self._muted.get(key)
            reason = Reason.of(ReasonCode.ANSWER_REFUSED, said=shortened(error.message, QUOTED))
            if request and not await self._services.inbox.reopen_refused(request, reason):
                await self._taken(key, request, Delivery.FAILED)
            self._refused.pop(key, None)

    async def _put(self, entries: Mapping[str, Json], connection: Connection) -> None:
        number = self._checkpoint.round + 1
        arrival = Arrival(
            source=connection.endpoint,
            calls=[self._running],
            origin=Origin.TASK,
            entries=entries,
            round=number,
            ids=RequesterIds(task_id=self._checkpoint.task_id),
        )
        requests = await self._services.intake.admit(arrival)
        shown = {key: request for key, request in requests.items() if request.pending or is_automatic(request)}
        self._muted |= {key: request for key, request in requests.items() if key not in shown}
        self._check_rounds(shown.values())
        following = replace(
            self._checkpoint,
            round=number,
            requests={**self._checkpoint.requests, **{key: request.id for key, request in shown.items()}},
        )
        try:
            if shown:
                await self._store(connection, following, list(shown.values()))
        finally:
            self._services.intake.release(requests.values())
        self._checkpoint = following
        self.open |= shown
        await self._show(self.open.values())

    def _check_rounds(self, shown: Iterable[InputRequest]) -> None:
        """Raise TooManyRoundsError if the server asks again and again without a question to the person."""
        self._unasked_rounds = 0 if any(request.pending for request in shown) else self._unasked_rounds + 1
        if self._unasked_rounds > MAX_UNANSWERED_ROUNDS:
            raise TooManyRoundsError

    async def _store(self, connection: Connection, following: TaskCheckpoint, requests: Sequence[InputRequest]) -> None:
        """Write the requests, the checkpoint and whether the call waits: all together, or nothing if it has ended."""
        waits = any(request.pending for request in requests)
        columns: Json = {"state": CallState.INPUT_REQUIRED, "may_wait": False} if waits else {}
        saved = {"checkpoint": to_json(following), "round": following.round}
        with self._running.changing(required=True, **saved, **columns) as change:
            await self._services.intake.put(connection.endpoint, self._running.call, requests, [change])
        if not change.is_written:
            raise ConflictError(Reason(ReasonCode.CALL_OVER))

    async def _show(self, requests: Iterable[InputRequest]) -> None:
        """Show whether the call waits for the person."""
        self._count(int(any(request.pending for request in requests)))
        await self._running.show_waiting()

    def _count(self, waiting: int) -> None:
        self._running.count(waiting - self._counted)
        self._counted = waiting

    def _watch(self) -> None:
        """Have the task polled as soon as the person has answered one of the requests."""
        pending = [request for request in self.open.values() if request.pending]
        ids = {request.id for request in pending}
        if ids == self._watched:
            return
        if self._watcher:
            self._watcher.stop()
        self._watched = ids
        self._watcher = (
            CancellableTask(self._until_answered(pending), name="task answers", of=self._running.call.id)
            if pending
            else None
        )

    async def _until_answered(self, pending: Sequence[InputRequest]) -> None:
        await self._services.inbox.until(pending, _some_settled)
        self._watched = set()
        self._polls.hurry()


def _is_unsent(request: InputRequest) -> bool:
    return request.state not in _NEVER_SENT and request.delivery in (None, Delivery.SENDING, Delivery.UNKNOWN)


def _asks_the_same(entry: Json, request: InputRequest) -> bool:
    # Its kind follows from the method and the parameters.
    return json_equal(entry.get("params") or {}, request.params)


def _any_state(_requests: Sequence[InputRequest]) -> bool:
    return True


def _some_settled(requests: Sequence[InputRequest]) -> bool:
    return any(not request.pending for request in requests)
