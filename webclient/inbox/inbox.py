"""The inbox: every question of a server goes in here, every answer comes out here, and exactly one answer wins.

The store decides who is first. Whoever waits in this process for an answer is woken afterwards, and pages are told.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial

from webclient.errors import AlreadySettledError, ConflictError
from webclient.forms import Texts
from webclient.i18n import gettext as _
from webclient.inbox.answers import CheckedAnswer
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
    Reason,
    RequestState,
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
        self._answers: dict[str, asyncio.Future[Answer]] = {}
        # One at a time for each server, so that hundreds of one do not stand in line before the one of another.
        self._lines: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.on_answer: Callable[[InputRequest], None] = _nobody
        self._waiters = Waiters(store, hub)
        self.links = OpenedLinks(store, self._waiters)

    async def ask(self, request: InputRequest, call: Call | None = None) -> asyncio.Future[Answer]:
        """Put a question to its user, and return what they will answer; pages show it at once.

        If `call`, during which it is asked, starts another over, it is filled in with what was answered there.
        A question that ends otherwise (withdrawn, interrupted, expired) gives `cancel`.
        """
        answer = self._answers[request.id] = asyncio.get_running_loop().create_future()
        try:
            await self.record(request, await prefill(self._store, call, request) if call else None)
        except BaseException:
            del self._answers[request.id]
            raise
        return answer

    async def of_call(self, call: Call) -> list[InputRequest]:
        """Return everything that was asked during the call."""
        return await self._store.of(call.user_id).requests.find(call_id=call.id)

    async def record(self, request: InputRequest, filled: Texts | None = None) -> None:
        """Keep and show a question that nobody waits for, such as one that was refused as it came.

        Its form is `filled` in so, for the person to check.
        """
        async with self._lines[request.server_id]:
            await self._store.of(request.user_id).requests.add(self._deadlines.given(request), filled)
        self._deadlines.changed()
        self._hub.publish(request.user_id, "request", request.id)

    async def recount(self, request: InputRequest, count: int) -> None:
        """Let a recorded request stand for so many; a count that cannot be written now is left out."""
        with suppress(StorageError):
            await self._store.of(request.user_id).requests.recount(request.id, count)
            self._hub.publish(request.user_id, "request", request.id)

    async def remark(self, request: InputRequest, reason: Reason) -> None:
        """Say this of a question while it is pending; what cannot be written now is written as soon as it can."""
        remark = partial(self._store.of(request.user_id).requests.remark, request.id, reason)
        if await self._store.health.lasting(remark):
            self._hub.publish(request.user_id, "request", request.id)

    async def answer(self, answer: CheckedAnswer, *, via: Via = Via.API) -> InputRequest:
        """Settle a request with an answer that was judged, and return it; `via` is where the person answered.

        Raises AlreadySettledError when something else was first.
        """
        request = answer.request
        state = kind_of(request).state_after(answer.action)
        settled = await self._store.of(request.user_id).requests.settle(
            request.id,
            to=state,
            content=answer.content,
            withheld=self._retention_policy.withheld_from_answer(answer.content or {}, answer.secrets),
            # The answers of a round must be there after a restart; those that were pushed for go out at once or never.
            whole_for=request.call_id if request.came is Came.ROUND else None,
            via=via,
            opened_at=now() if state is RequestState.WAITING else None,
            # Nothing is answered to an error; the call is made again.
            delivery=None if request.came is Came.REQUIRED else Delivery.SENDING,
        )
        if settled is None:
            raise already_settled(await self._store.of(request.user_id).requests.get(request.id))
        self._wake(settled, Answer(action=answer.action, content=answer.content))
        self.on_answer(settled)
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
        if not await self._store.health.lasting(settle):
            return False
        self._wake(request, Answer(action=Action.CANCEL))
        return True

    async def settle_all(self, requests: Collection[InputRequest], state: RequestState, reason: Reason) -> None:
        """End each of these questions of one user that is still pending; hundreds take no longer than one."""
        by_id = {request.id: request for request in requests}
        for user_id in {request.user_id for request in requests}:
            end = partial(self._store.of(user_id).requests.end_all, by_id, state, reason)
            for request_id in await self._store.health.lasting(end) or ():
                self._wake(by_id[request_id], Answer(action=Action.CANCEL))

    async def until(
        self, requests: Collection[InputRequest], done: Callable[[Sequence[InputRequest]], bool]
    ) -> list[InputRequest]:
        """Wait until these requests, as they stand then, are `done`, and return them so."""
        return await self._waiters.until(requests, done)

    def _wake(self, request: InputRequest, answer: Answer) -> None:
        future = self._answers.pop(request.id, None)
        if future is not None and not future.done():
            future.set_result(answer)
        self._waiters.tell(request.user_id, request.id)


def _nobody(_request: InputRequest) -> None:
    """Listens to nothing."""
