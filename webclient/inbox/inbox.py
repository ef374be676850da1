"""The inbox: every input request goes in here, every answer comes out here, and exactly one answer wins.

The store decides which is first. An event then tells pages, and those who wait in `until`.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial

import anyio

from webclient.errors import AlreadySettledError, ConflictError
from webclient.i18n import gettext as _
from webclient.inbox.answers import CheckedAnswer, answer_of
from webclient.inbox.deadlines import Deadlines, Lengths
from webclient.inbox.judging import already_settled, check_answer
from webclient.inbox.kinds import kind_of
from webclient.inbox.links import OpenedLinks
from webclient.inbox.prefill import prefill
from webclient.inbox.waiters import Waiters
from webclient.live import Hub
from webclient.model import (
    Action,
    Answer,
    Call,
    Came,
    Delivery,
    InputRequest,
    Json,
    Reason,
    ReasonCode,
    RequestState,
    Server,
    ServerKey,
    Via,
    now,
)
from webclient.retention import RetentionPolicy
from webclient.store import StorageError, Store


class Inbox:
    """The input requests of all users of this process; of its links those that are `opened`.

    `on_answer` is told of each that a person answers.
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
        self._deadlines = deadlines or Deadlines(store, hub, Lengths())
        self._unstored: dict[str, Json] = {}
        self._handing_over = asyncio.Lock()
        # One at a time for each server, so that hundreds of one do not stand in line before the one of another.
        self._lines: defaultdict[ServerKey, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.on_answer: Callable[[InputRequest], None] = _nobody
        self._waiters = Waiters(store, hub)
        self.links = OpenedLinks(store, hub)

    def forget(self, server: Server) -> None:
        """Drop what is kept in memory for a server that was removed."""
        self._lines.pop(server.key, None)

    async def put(self, requests: Sequence[InputRequest], call: Call | None = None) -> None:
        """Store requests and show them to their user, whatever state they are in; pages show them at once.

        If `call`, during which they came, starts another one over, their forms are prefilled with what was answered
        there. Raises StorageError.
        """
        for request in requests:
            filled = await prefill(self._store, call, request) if call else None
            async with self._lines[request.server_key]:
                await self._store.of(request.user_id).requests.add(self._deadlines.given(request), filled)
            self._deadlines.changed()
            self._publish(request)

    @contextmanager
    def expecting(self, request: InputRequest) -> Iterator[None]:
        """Keep, while the block runs, those values of the answer for `answer_to` that are never stored."""
        try:
            yield
        finally:
            self._unstored.pop(request.id, None)

    async def answer_to(self, request: InputRequest) -> Answer:
        """Wait until a request is settled, and return what its server is told; `expecting` is to be entered before.

        A request that ends otherwise (withdrawn, interrupted, expired) gives `cancel`.
        """
        [settled] = await self.until([request], all_settled)
        unstored = self._unstored.get(request.id, {})
        if settled.content is not None:
            handed_over = {name: unstored[name] for name in settled.gone if name in unstored}
            settled = replace(settled, content=settled.content | handed_over)
        return answer_of(settled)

    async def of_call(self, call: Call) -> list[InputRequest]:
        """Return everything that was asked during the call."""
        return await self._store.of(call.user_id).requests.find(call_id=call.id)

    async def recount(self, request: InputRequest, count: int) -> None:
        """Let a recorded request stand for so many; a count that cannot be written now is left out."""
        with suppress(StorageError):
            await self._store.of(request.user_id).requests.recount(request.id, count)
            self._publish(request)

    async def remark(self, request: InputRequest, reason: Reason) -> None:
        """Say this of a question while it is pending; what cannot be written now is written as soon as it can."""
        remark = partial(self._store.of(request.user_id).requests.remark, request.id, reason)
        if await self._store.health.until_written(remark):
            self._publish(request)

    async def answer(self, answer: CheckedAnswer, *, via: Via = Via.API) -> InputRequest:
        """Settle a request with an answer that was judged, and return it; `via` is where the person answered.

        Raises AlreadySettledError when something else was first.
        """
        # Shielded: an answer that is stored must be told to those who wait for it.
        with anyio.CancelScope(shield=True):
            settled = await self._settle_with(answer, via)
            self._publish(settled)
            # It spares the way of an answer from this process a read.
            self._waiters.see(settled)
        self.on_answer(settled)
        return settled

    async def _settle_with(self, answer: CheckedAnswer, via: Via) -> InputRequest:
        request, content = answer.request, answer.content or {}
        withheld = self._retention_policy.withheld_from_answer(content, answer.secrets)
        if not withheld or request.came is not Came.PUSHED:
            return await self._settled(answer, withheld, via)
        # One at a time, so that of several answers the values are those of the first.
        async with self._handing_over:
            if self._unstored.get(request.id):
                raise already_settled(await self._store.of(request.user_id).requests.get(request.id))
            self._unstored[request.id] = {name: content[name] for name in withheld}
            try:
                return await self._settled(answer, withheld, via)
            except BaseException:
                self._unstored.pop(request.id, None)
                raise

    async def _settled(self, answer: CheckedAnswer, withheld: Collection[str], via: Via) -> InputRequest:
        request = answer.request
        state = kind_of(request).state_after(answer.action)
        settled = await self._store.of(request.user_id).requests.settle(
            request.id,
            to=state,
            content=answer.content,
            withheld=withheld,
            # The answers of a round must be there after a restart; those that were pushed for go out at once or never.
            secrets_for=request.call_id if request.came is Came.ROUND else None,
            via=via,
            opened_at=now() if state is RequestState.WAITING else None,
            # Nothing is answered to an error; the call is made again.
            delivery=None if request.came is Came.REQUIRED else Delivery.SENDING,
        )
        if settled is None:
            raise already_settled(await self._store.of(request.user_id).requests.get(request.id))
        return settled

    async def decline_all(self, user_id: str, server_id: str, *, via: Via = Via.API) -> list[InputRequest]:
        """Decline each question of the server that waits, and return those for which this was the first answer."""
        declined = []
        for request in await self._store.of(user_id).requests.find(state=RequestState.PENDING, server_id=server_id):
            with suppress(AlreadySettledError):
                declined.append(await self.answer(await check_answer(request, Action.DECLINE), via=via))
        return declined

    async def more_time(self, user_id: str, request_id: str) -> InputRequest:
        """Give a question as much time again as it had; raises ConflictError when it waits for ever anyway."""
        request = await self._store.of(user_id).requests.get(request_id)
        if not request.pending:
            raise already_settled(request)
        if request.expires_at is None:
            raise ConflictError(_("This question has no deadline; it waits until you answer."))
        later = self._deadlines.extended(request, request.expires_at)
        extended = await self._store.of(user_id).requests.extend(request_id, later)
        if extended is None:
            raise already_settled(await self._store.of(user_id).requests.get(request_id))
        self._deadlines.changed()
        self._hub.publish(user_id, "request", request_id)
        return extended

    async def settle(
        self,
        request: InputRequest,
        state: RequestState,
        reason: Reason,
        *,
        from_: RequestState = RequestState.PENDING,
    ) -> bool:
        """End a question that is `from_` without an answer of the person; False when it had ended before.

        What cannot be written now is written as soon as it can.
        """
        settle = partial(
            self._store.of(request.user_id).requests.settle,
            request.id,
            to=state,
            reason=reason,
            from_=(from_,),
            keep_draft=True,
        )
        if not await self._store.health.until_written(settle):
            return False
        self._publish(request)
        return True

    async def expire(self, request: InputRequest) -> None:
        """End a request whose deadline has passed."""
        await self.settle(request, RequestState.EXPIRED, Reason(ReasonCode.DEADLINE_PASSED))

    async def settle_all(self, requests: Collection[InputRequest], state: RequestState, reason: Reason) -> None:
        """End each of these questions of one user that is still pending; hundreds take no longer than one."""
        by_id = {request.id: request for request in requests}
        for user_id in {request.user_id for request in requests}:
            end = partial(self._store.of(user_id).requests.end_all, by_id, state, reason)
            for request_id in await self._store.health.until_written(end) or ():
                self._publish(by_id[request_id])

    async def until(
        self, requests: Collection[InputRequest], done: Callable[[Sequence[InputRequest]], bool]
    ) -> list[InputRequest]:
        """Wait until these requests, as they stand then, are `done`, and return them so."""
        return await self._waiters.until(requests, done)

    async def close(self) -> None:
        """Read nothing more; to be called before the store is closed."""
        await self._waiters.close()

    def _publish(self, request: InputRequest) -> None:
        self._hub.publish(request.user_id, "request", request.id)


def all_settled(requests: Sequence[InputRequest]) -> bool:
    """Whether none of the requests is pending any more."""
    return not any(request.pending for request in requests)


def _nobody(_request: InputRequest) -> None:
    """Listens to nothing."""
