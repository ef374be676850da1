"""The inbox: every input request goes in here, every answer comes out here, and exactly one answer wins.

The store decides which answer is first. An event then wakes the pages and the callers of `until`.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial

import anyio

from webclient.content.links import Link
from webclient.domain.errors import ConflictError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import (
    AnyRequest,
    Call,
    Delivery,
    InputRequest,
    Json,
    Origin,
    Reason,
    ReasonCode,
    RequestState,
    ServerKey,
    Via,
    now,
)
from webclient.inbox.answers import already_settled
from webclient.inbox.deadlines import DeadlineLengths, Deadlines
from webclient.inbox.kinds import CheckedAnswer, kind_of, read_once
from webclient.inbox.links import OpenedLinks, links_of
from webclient.inbox.prefill import prefilled, texts_to_change
from webclient.inbox.retention import RetentionPolicy
from webclient.inbox.waiters import Waiters
from webclient.store import CallChange, StorageError, Store
from webclient.store.live import Hub
from webclient.support.background import call_all
from webclient.support.schema_thread import run_schema_work

DECLINED_TOGETHER = 100
"""Requests that are declined in one write: so many that it is fast, and so few that others get their turn between."""

MovingOn = Callable[[], AbstractContextManager[Collection[CallChange]]]
"""Gives how calls change when a request is settled; the block that uses it writes these changes."""


class Inbox:
    """The input requests of all users.

    `links` has the opened links among them; the functions in `on_answer` are called with each request that a person
    answers, and `on_put` with each that is stored.
    """

    def __init__(
        self,
        store: Store,
        hub: Hub,
        deadlines: Deadlines | None = None,
        retention_policy: RetentionPolicy | None = None,
    ) -> None:
        self._retention_policy = retention_policy or RetentionPolicy()
        self._store = store
        self._hub = hub
        self._deadlines = deadlines or Deadlines(store, hub, DeadlineLengths())
        self._unstored: dict[str, Json] = {}
        self._moving_on: dict[str, MovingOn] = {}
        self._handing_over = asyncio.Lock()
        # One at a time for each server, so that a request of one server never queues behind hundreds of another.
        self._lines: defaultdict[ServerKey, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.on_answer: list[Callable[[InputRequest], None]] = []
        self.on_put: list[Callable[[InputRequest], None]] = []
        self._waiters = Waiters(store, hub)
        self.links = OpenedLinks(store, hub)

    def forget(self, owner: tuple[str, ...]) -> None:
        """Forget the locks of a server or user, whose keys begin so."""
        for key in [key for key in self._lines if key[: len(owner)] == owner]:
            del self._lines[key]

    async def put(
        self, requests: Sequence[InputRequest], call: Call | None = None, changes: Collection[CallChange] = ()
    ) -> bool:
        """Store requests of one server, and show them to their user.

        They may be in any state, and the `changes` of their calls are stored with them. Gives False, and stores
        nothing, if a call that must be open has ended. If `call`, during which they came, retries another call, their
        forms are prefilled with its answers. Raises StorageError.
        """
        given = [replace(self._deadlines.set_on(each), **read_once(each)) for each in requests]
        given = await with_alarms(self._store, given)
        prefills = await prefilled(self._store, call, given) if call else {}
        with ExitStack() as adding:
            for request in given:
                adding.enter_context(self._waiters.adding(request))
            async with self._lines[given[0].server_key]:
                rows = self._store.of(given[0].user_id).requests
                if not await rows.add(*given, prefills=prefills, calls=changes):
                    return False
            for request in given:
                self._deadlines.watch(request.expires_at)
                self._publish(request)
                call_all(self.on_put, request)
        return True

    @contextmanager
    def expecting(self, request: InputRequest) -> Iterator[None]:
        """Keep the answer's secret values in memory for `answer_to`, while the block runs."""
        try:
            yield
        finally:
            self._unstored.pop(request.id, None)

    async def answer_to(self, request: InputRequest, moving_on: MovingOn | None = None) -> InputRequest:
        """Wait until a request is settled, and return it with its whole answer.

        An answer is written with the changes of `moving_on`. Enter `expecting` before.
        """
        self._moving_on[request.id] = moving_on or _no_changes
        try:
            [settled] = await self.until([request], all_settled)
        finally:
            del self._moving_on[request.id]
        unstored = self._unstored.get(request.id, {})
        if settled.content is not None:
            handed_over = {name: unstored[name] for name in settled.gone if name in unstored}
            settled = replace(settled, content=settled.content | handed_over)
        return settled

    def see(self, request: InputRequest) -> None:
        """Pass on and publish a request that was just written."""
        self._waiters.see(request)
        self._publish(request)

    async def of_call(self, call: Call) -> list[InputRequest]:
        """Return all requests of the call."""
        return await self._store.of(call.user_id).requests.find(call_id=call.id)

    async def recount(self, request: InputRequest, count: int) -> None:
        """Set how many requests a refused one stands for; does nothing if that cannot be written."""
        with suppress(StorageError):
            await self._store.of(request.user_id).requests.recount(request.id, count)
            self._publish(request)

    async def remark(self, request: InputRequest, reason: Reason) -> None:
        """Set the reason of a pending request; if it cannot be written now, write it later."""
        remark = partial(self._store.of(request.user_id).requests.remark, request.id, reason)
        if await self._store.health.until_written(remark):
            self._publish(request)

    async def answer(self, answer: CheckedAnswer, *, via: Via = Via.API) -> InputRequest:
        """Settle a request with a checked answer, and return it; `via` is where the person answered.

        Raises AlreadySettledError if it was settled before, or its deadline has passed.
        """
        await self._end_if_late(answer.request)
        # Shielded: an answer that is stored must reach the server that waits for it.
        with anyio.CancelScope(shield=True), self._moving_on.get(answer.request.id, _no_changes)() as changes:
            settled = await self._settle_with(answer, via, changes)
            self.see(settled)
        call_all(self.on_answer, settled)
        return settled

    async def _settle_with(self, answer: CheckedAnswer, via: Via, changes: Collection[CallChange]) -> InputRequest:
        request, content = answer.request, answer.content or {}
        withheld = self._retention_policy.withheld_from_answer(content, answer.secrets)
        if not withheld or request.origin is not Origin.PUSHED:
            return await self._settled(answer, withheld, via, changes)
        # One at a time: if several answers arrive together, the values of the winner must be kept.
        async with self._handing_over:
            if self._unstored.get(request.id):
                raise already_settled(await self._store.of(request.user_id).requests.get(request.id))
            self._unstored[request.id] = {name: content[name] for name in withheld}
            try:
                return await self._settled(answer, withheld, via, changes)
            except BaseException:
                self._unstored.pop(request.id, None)
                raise

    async def _settled(
        self, answer: CheckedAnswer, withheld: Collection[str], via: Via, changes: Collection[CallChange]
    ) -> InputRequest:
        request = answer.request
        state = kind_of(request).state_after(answer.action)
        secrets_for, delivery = _secrets_for(request), _delivery_of(request)
        settled = await self._store.of(request.user_id).requests.settle(
            request.id,
            to=state,
            content=answer.content,
            message=answer.message,
            reason=answer.reason,
            withheld=withheld,
            secrets_for=secrets_for,
            undo_until=answer.undo_until,
            looked_ms=answer.looked_ms,
            via=via,
            opened_at=now() if state is RequestState.WAITING else None,
            delivery=delivery,
            calls=changes,
        )
        if settled is None:
            raise already_settled(await self._store.of(request.user_id).requests.get(request.id))
        return settled

    async def reopen(self, user_id: str, request_id: str) -> InputRequest:
        """Make a request pending again whose answer is saved, with the answer as its draft.

        Raises AlreadySettledError if its round was sent before, and for requests of other kinds.
        """
        # Shielded: pages and the driver of its call must see what is stored.
        with anyio.CancelScope(shield=True):
            reopened = await self._reopened(await self._store.of(user_id).requests.get(request_id))
            self._deadlines.watch(reopened.expires_at)
            self.see(reopened)
        return reopened

    async def _reopened(self, request: InputRequest) -> InputRequest:
        store = self._store.of(request.user_id)
        reopened = await store.rounds.reopen(request.id, texts_to_change(request), self._deadlines.renewed(request))
        if reopened is None:
            raise already_settled(await store.requests.get(request.id))
        return reopened

    async def reopen_refused(self, request: InputRequest, reason: Reason) -> bool:
        """Make a request pending again whose answer the server refused for that reason.

        The answer becomes its draft. False if the person did not answer it, or opened its link, which stays open.
        """
        if request.via is None:
            return False
        texts, expires_at = texts_to_change(request), self._deadlines.renewed(request)
        rounds = self._store.of(request.user_id).rounds
        reopen = partial(rounds.reopen, request.id, texts, expires_at, refused=reason)
        reopened = await self._store.health.until_written(reopen)
        if reopened is None:
            return False
        self._deadlines.watch(reopened.expires_at)
        self._waiters.see(reopened)
        self._publish(reopened)
        return True

    async def take_round(self, requests: Collection[InputRequest]) -> list[InputRequest] | None:
        """Take the answers of a whole round to be sent; return the rows, None if one is pending again.

        From then on none of them can be changed.
        """
        if not requests:
            return []
        user_id = next(iter(requests)).user_id
        take = partial(self._store.of(user_id).rounds.take, [each.id for each in requests])
        taken = await self._store.health.until_written(take)
        if taken is None:
            raise ConflictError(Reason(ReasonCode.CALL_OVER))
        if not all_settled(taken):
            return None
        for request in taken:
            if request.delivery is Delivery.SENDING:
                self._publish(request)
        return taken

    async def decline_all(self, user_id: str, server_id: str, *, via: Via = Via.API) -> list[InputRequest]:
        """Decline all pending requests of the server; return the ones that this settled."""
        pending = await self._store.of(user_id).request_lists.pending_from(server_id)
        return await self.decline(user_id, pending, via=via)

    async def decline(self, user_id: str, requests: Sequence[AnyRequest], *, via: Via) -> list[InputRequest]:
        """Decline those of a user's requests that are pending, many in one write; return them.

        The message of a decline that was decided before stays.
        """
        declined: list[InputRequest] = []
        for start in range(0, len(requests), DECLINED_TOGETHER):
            declined += await self._decline_together(user_id, requests[start : start + DECLINED_TOGETHER], via)
        return declined

    async def _decline_together(self, user_id: str, requests: Sequence[AnyRequest], via: Via) -> list[InputRequest]:
        by_delivery: defaultdict[Delivery | None, list[str]] = defaultdict(list)
        for request in requests:
            by_delivery[_delivery_of(request)].append(request.id)
        # Shielded, as in `answer`.
        with anyio.CancelScope(shield=True), ExitStack() as moving:
            moves = [moving.enter_context(self._moving_on.get(each.id, _no_changes)()) for each in requests]
            changes = [change for changes in moves for change in changes]
            declined = await self._store.of(user_id).requests.decline(by_delivery, via=via, calls=changes)
            for settled in declined:
                self.see(settled)
        for settled in declined:
            call_all(self.on_answer, settled)
        return declined

    async def more_time(self, user_id: str, request_id: str) -> InputRequest:
        """Give a request its full time again. Raises ConflictError if it has no deadline."""
        request = await self._store.of(user_id).requests.get(request_id)
        if not request.pending:
            raise already_settled(request)
        if request.expires_at is None:
            raise ConflictError(_("This question has no deadline; it waits until you answer."))
        later = self._deadlines.extended(request, request.expires_at)
        extended = await self._store.of(user_id).requests.extend(request_id, later)
        if extended is None:
            raise already_settled(await self._store.of(user_id).requests.get(request_id))
        self._deadlines.watch(extended.expires_at)
        self._hub.publish(user_id, "request", request_id)
        return extended

    async def settle(
        self,
        request: AnyRequest,
        state: RequestState,
        reason: Reason,
        *,
        from_: RequestState = RequestState.PENDING,
    ) -> bool:
        """End a request in the state `from_` without an answer; False if it is no longer in that state.

        If that cannot be written now, it is written as soon as possible.
        """
        rows = self._store.of(request.user_id).requests
        settle = partial(rows.settle, request.id, to=state, reason=reason, from_=(from_,))
        if not await self._store.health.until_written(settle):
            return False
        self._publish(request)
        return True

    async def _end_if_late(self, request: InputRequest) -> None:
        # The timer of the deadlines does not see at once that the clock was set, or that the machine has slept.
        if request.expires_at is None or request.expires_at > now():
            return
        newest = await self._store.of(request.user_id).requests.get(request.id)
        if newest.pending and newest.expires_at is not None and newest.expires_at <= now():
            await self.expire(newest)
            raise already_settled(await self._store.of(request.user_id).requests.get(request.id))

    async def expire(self, request: AnyRequest) -> None:
        """End a request whose deadline has passed."""
        await self.settle(request, RequestState.EXPIRED, Reason(ReasonCode.DEADLINE_PASSED))

    async def settle_all(self, requests: Collection[AnyRequest], state: RequestState, reason: Reason) -> None:
        """End all of these requests that are still pending, in one write for each user."""
        by_id = {request.id: request for request in requests}
        for user_id in {request.user_id for request in requests}:
            end = partial(self._store.of(user_id).requests.end_all, by_id, state, reason)
            for request_id in await self._store.health.until_written(end) or ():
                self._publish(by_id[request_id])

    async def until(
        self, requests: Collection[InputRequest], done: Callable[[Sequence[InputRequest]], bool]
    ) -> list[InputRequest]:
        """Wait until `done` accepts the newest rows of these requests, and return those rows."""
        return await self._waiters.until(requests, done)

    async def close(self) -> None:
        """Stop reading. Call this before the store is closed."""
        await self._waiters.close()

    def _publish(self, request: AnyRequest) -> None:
        self._hub.publish(request.user_id, "request", request.id)


def _delivery_of(request: AnyRequest) -> Delivery | None:
    """Return the delivery of an answer that was just given."""
    if request.origin in (Origin.REQUIRED, Origin.APPROVAL):
        # An error gets no answer, and a decision goes to no server; the call is sent.
        return None
    return Delivery.SAVED if request.origin is Origin.ROUND and request.total > 1 else Delivery.SENDING


def _secrets_for(request: InputRequest) -> str | None:
    """Return what needs the secrets of the answer in the store, if anything does."""
    if request.origin in (Origin.ROUND, Origin.TASK, Origin.APPROVAL):
        return request.call_id
    # An answer to a pushed request goes out at once or never; one that its server fetches must survive a restart.
    return request.ids.hosted_task_id


def all_settled(requests: Sequence[InputRequest]) -> bool:
    """Return whether none of the requests is pending any more."""
    return not any(request.pending for request in requests)


def _no_changes() -> AbstractContextManager[Collection[CallChange]]:
    return nullcontext(())


async def with_alarms(store: Store, requests: Sequence[InputRequest]) -> list[InputRequest]:
    """Return the requests of one user with their alarms; what does not wait has none."""
    waiting = [each for each in requests if each.pending]
    links = await links_of(store, waiting[0].user_id, waiting) if waiting else {}
    return [await _with_alarm(each, links.get(each.id)) if each.pending else each for each in requests]


async def _with_alarm(request: InputRequest, link: Link | None) -> InputRequest:
    kind = kind_of(request)
    alarm = await run_schema_work(kind.alarm, request, link, long=kind.is_long(request))
    return replace(request, alarm=alarm)
