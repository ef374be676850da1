"""Decisions that can be undone: an approval, a decline of several questions, or a refusal that leaves typed text.

They are sent only after a while, an approval also when the person goes on. Until then a decision is stored with its
request, which stays pending. So it outlives the page, and is sent when this program stops or, in a round, when the next
run of it resumes the call.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from webclient.domain.errors import AlreadySettledError, NotFoundError
from webclient.domain.model import Action, AnyRequest, Delivery, InputRequest, ListedRequest, Origin, Via, now
from webclient.inbox.answers import already_settled, check_answer
from webclient.inbox.inbox import Inbox
from webclient.inbox.kinds import CheckedAnswer
from webclient.store import StorageError, Store
from webclient.store.live import Hub
from webclient.support.background import CancellableTask

DELIVERY_SECONDS = 2.0
"""How long the end of this program is delayed until servers have the answers that were sent because of it."""

Posted = Sequence[tuple[str, str]]
"""The controls of a form with their texts, as a browser posts them."""


class Decisions:
    """The decisions of all users that can be undone for `undo_time`; approvals for `approval_time`."""

    def __init__(self, store: Store, hub: Hub, inbox: Inbox, undo_time: timedelta, approval_time: timedelta) -> None:
        self._store = store
        self._hub = hub
        self._inbox = inbox
        self._undo_time = undo_time
        self._approval_time = approval_time
        self._timers: set[CancellableTask] = set()
        self._typed: dict[str, Posted] = {}
        # Undoing a decision and sending it exclude each other.
        self._lock = asyncio.Lock()

    async def decide(self, answer: CheckedAnswer, typed: Posted | None = None) -> InputRequest:
        """Send an answer without content when the time to undo it is over; `typed` comes back with an undo.

        It is sent at once if it was decided before, or if the deadline is nearer. Raises AlreadySettledError.
        """
        undo_time = self._approval_time if answer.action is Action.ACCEPT else self._undo_time
        request, until = answer.request, now() + undo_time
        if not undo_time or not self._can_wait(request, until):
            return await self._inbox.answer(answer, via=Via.PAGE)
        decided = await self._store.of(request.user_id).requests.decide(
            [request.id], answer.action, until, message=answer.message
        )
        if not decided:
            raise already_settled(await self._store.of(request.user_id).requests.get(request.id))
        if typed is not None:
            self._typed[request.id] = typed
        self._wait_for_undo(decided, until)
        return await self._store.of(request.user_id).requests.get(request.id)

    async def decline_together(self, user_id: str, requests: Sequence[ListedRequest]) -> list[ListedRequest]:
        """Decline several requests of a user, and return the declined ones; most can be undone.

        As in `decide`, some are declined at once.
        """
        until = now() + self._undo_time
        waiting = {each.id for each in requests if self._undo_time and self._can_wait(each, until)}
        declined = await self._store.of(user_id).requests.decide(waiting, Action.DECLINE, until) if waiting else []
        if declined:
            self._wait_for_undo(declined, until)
        at_once = [each for each in requests if each.id not in waiting]
        ended = [each.id for each in await self._inbox.decline(user_id, at_once, via=Via.PAGE)]
        now_ended = await self._store.of(user_id).request_lists.by_ids(ended) if ended else {}
        return [*declined, *now_ended.values()]

    async def send_approvals(self, user_id: str, *, but: str = "") -> None:
        """Send the approvals of a user now, `but` that of one request: the person goes on.

        What cannot be stored now is sent when its time is over.
        """
        with suppress(StorageError):
            approved = [each for each in await self._store.of(user_id).requests.approved() if each.id != but]
            if approved:
                await self._send(approved)

    async def undo(self, request: InputRequest) -> tuple[InputRequest, Posted | None]:
        """Undo a decision; return the request and the typed text, None after a restart or if nothing was typed.

        Raises AlreadySettledError.
        """
        typed = self._typed.get(request.id)
        undone = await self.undo_together(request.user_id, [request.id])
        if not undone:
            raise already_settled(await self._store.of(request.user_id).requests.get(request.id))
        return await self._store.of(request.user_id).requests.get(request.id), typed

    async def undo_together(self, user_id: str, ids: Collection[str]) -> list[ListedRequest]:
        """Undo decisions on requests of a user; return those requests that are pending again."""
        async with self._lock:
            undone = await self._store.of(user_id).requests.undo(ids)
        for request in undone:
            self._typed.pop(request.id, None)
            self._publish(request)
        return undone

    async def send_all(self, user_id: str | None = None) -> None:
        """Send all decisions now, of a user or of all: the process in which they could be undone has ended."""
        await self._send_soon(await self._store.system.decided(user_id))

    async def close(self) -> None:
        """Send the decisions on pushed requests, and give servers a moment to receive them.

        A call that was sent again now would be cut off, so those in rounds wait for the next start.
        """
        with suppress(StorageError):
            sending = [each for each in await self._store.system.decided() if each.origin is Origin.PUSHED]
            await self._send_soon(sending)
            with suppress(TimeoutError):
                async with asyncio.timeout(DELIVERY_SECONDS):
                    for request in sending:
                        await self._inbox.until([request], _delivered)
        for timer in tuple(self._timers):
            timer.stop()

    async def _send_soon(self, decided: Sequence[InputRequest]) -> None:
        by_user: defaultdict[str, list[InputRequest]] = defaultdict(list)
        for request in decided:
            by_user[request.user_id].append(request)
        for requests in by_user.values():
            await self._store.health.write_soon(
                ("decisions", *(each.id for each in requests)), partial(self._send, requests)
            )

    async def _send_later(self, decided: Sequence[ListedRequest], until: datetime) -> None:
        await asyncio.sleep((until - now()).total_seconds())
        await self._store.health.until_written(partial(self._send, decided))

    async def _send(self, decided: Sequence[AnyRequest]) -> None:
        """Send these decisions of one user as far as they still stand."""
        user_id = decided[0].user_id
        async with self._lock:
            newest = await self._store.of(user_id).request_lists.by_ids([each.id for each in decided])
            undoable = {row.id: row for row in newest.values() if row.undoable}
            due = [row for each in decided if (row := undoable.get(each.id)) and row.undo_until == each.undo_until]
            await self._inbox.decline(user_id, [row for row in due if row.decided is Action.DECLINE], via=Via.PAGE)
            for row in due:
                if row.decided is not Action.DECLINE:
                    await self._answer(row)
        # Undone, and decided once more: that decision has its own timer.
        again = undoable.keys() - {row.id for row in due}
        for each in decided:
            if each.id not in again:
                self._typed.pop(each.id, None)

    async def _answer(self, request: ListedRequest) -> None:
        with suppress(AlreadySettledError, NotFoundError):
            newest = await self._store.of(request.user_id).requests.get(request.id)
            answer = await check_answer(newest, request.decided or Action.CANCEL)
            await self._inbox.answer(replace(answer, undo_until=request.undo_until), via=Via.PAGE)

    @staticmethod
    def _can_wait(request: InputRequest | ListedRequest, until: datetime) -> bool:
        expires_before = request.expires_at is not None and request.expires_at <= until
        return not request.undoable and not expires_before

    def _wait_for_undo(self, decided: Sequence[ListedRequest], until: datetime) -> None:
        # One timer for all that were decided together. Undoing stops none: what was undone is not sent.
        timer = CancellableTask(self._send_later(decided, until), name="undo", of=decided[0].id)
        self._timers.add(timer)
        timer.when_ended(partial(self._timers.discard, timer))
        for request in decided:
            self._publish(request)

    def _publish(self, request: ListedRequest) -> None:
        self._hub.publish(request.user_id, "request", request.id)


def _delivered(requests: Sequence[InputRequest]) -> bool:
    return all(not each.pending and each.delivery is not Delivery.SENDING for each in requests)
