"""The pushed requests without an answer, and the requests that a call leaves open when it ends.

A server that ends a call while its request is pending may still wait for the answer, so the request stays open with a
remark. It ends with a call that was cancelled, cut off or given up.

A call can end while its request is on the way into the store, where it cannot be settled yet. So the ending is
remembered, and `catch_up` applies it once the request is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from webclient.domain.model import Call, Delivery, InputRequest, Origin, Reason, RequestState, ServerKey, ServerRequest
from webclient.inbox.endings import (
    Ending,
    call_ended,
    call_ended_early,
    gave_up,
    is_time_limit,
    link_unfinished,
    withdrawal_of,
)
from webclient.inbox.inbox import Inbox


@dataclass(slots=True)
class Pushed:
    """A pushed request without an answer.

    `calls` are the running calls to which it may belong, by id. `returned`: its server has ended one of its calls.
    `ending` is set when it must end because the last of them did.
    """

    request: InputRequest
    server_request: ServerRequest
    calls: set[str]
    ending: Ending | None = None
    returned: bool = False

    def loses(self, call_id: str, *, returned: bool) -> bool:
        """Remove a call that has ended; True if it was the last one."""
        if call_id not in self.calls:
            return False
        self.calls.discard(call_id)
        self.returned |= returned
        return not self.calls

    @property
    def outlives(self) -> bool:
        """Whether its calls have ended, and its server may still wait for the answer."""
        return self.returned and not self.calls and self.ending is None

    @property
    def left(self) -> Ending:
        """The ending if its call has none.

        A server that withdraws its request and then ends the call sends both at once, and the request may not be
        settled yet.
        """
        return self.withdrawn or call_ended()

    @property
    def withdrawn(self) -> Ending | None:
        """The ending of a request that its server has withdrawn; None if it has not."""
        return withdrawal_of(self.server_request, self.request.asked_by.label)

    def gave_up(self, words: str) -> Reason | None:
        """Return the reason if the server gave up waiting.

        Its words are those with which it withdrew the request, or the `words` with which it ended the call.
        """
        limited = is_time_limit(words if self.server_request.withdrawn is None else self.server_request.withdrawn)
        return gave_up(self.server_request, self.request.asked_by.label) if limited else None


def _none(_request: InputRequest) -> bool:
    return False


class PushedRequests:
    """The pushed requests of this process; ends the requests that a call leaves open."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._pushed: dict[str, Pushed] = {}
        self._ended: dict[str, tuple[Ending | None, bool]] = {}
        self._given_up: dict[str, tuple[Reason, bool]] = {}

    @contextmanager
    def tracking(self, request: InputRequest, server_request: ServerRequest) -> Iterator[Pushed]:
        """Track a request while the block puts it and waits for the answer."""
        pushed = self._pushed[request.id] = Pushed(request, server_request, _calls_of(request))
        # It may have come while its call was ending.
        for call_id in pushed.calls & self._ended.keys():
            _leave([pushed], call_id, *self._ended[call_id])
        try:
            with self._inbox.expecting(request):
                yield pushed
        finally:
            del self._pushed[request.id]
            self._remember(pushed)

    def is_tracked(self, request: InputRequest) -> bool:
        """Return whether the request came in a session that is open."""
        return request.id in self._pushed

    def any_from(self, server_key: ServerKey, *, but: Callable[[InputRequest], bool] = _none) -> bool:
        """Return whether the server waits for the answer to a pushed request; `but` leaves some out."""
        # For the answer as a task it asks from time to time, like any idle server.
        waiting = (each.request for each in self._pushed.values() if each.request.origin is Origin.PUSHED)
        return any(request.server_key == server_key and not but(request) for request in waiting)

    def why_given_up(self, call: Call, words: str) -> Reason | None:
        """Return the reason if the server gave up waiting for the call's last request.

        `words` are the error with which it ended the call: some servers end it without withdrawing the request.
        """
        waiting = [each for each in self._pushed.values() if call.id in each.calls]
        found = [reason for each in waiting if (reason := each.gave_up(words))]
        reason, certain = self._given_up.get(call.id, (None, True))
        return found[-1] if found else reason if certain or is_time_limit(words) else None

    def _remember(self, pushed: Pushed) -> None:
        """Remember whether the server gave up waiting; for each call, the last request counts."""
        reason = pushed.gave_up("")
        for call_id in pushed.calls if pushed.ending is None else ():
            self._given_up.pop(call_id, None)
            if reason:
                self._given_up[call_id] = reason, pushed.request.call_id is not None

    async def end_pushed(self, call: Call, ending: Ending | None = None, *, by_server: bool = False) -> None:
        """End the pending pushed requests of a call that has ended.

        With `by_server` they stay open, because the server has ended the call without withdrawing them and may still
        wait for the answer. If a request may belong to several calls, one such call is enough.
        """
        for pushed in _leave(self._pushed.values(), call.id, ending, by_server):
            await self.catch_up(pushed)

    async def catch_up(self, pushed: Pushed) -> None:
        """Apply the end of its calls to a request that is stored now."""
        if pushed.ending:
            await self._inbox.settle(pushed.request, *pushed.ending)
        elif pushed.outlives:
            await self._inbox.remark(pushed.request, call_ended_early())

    async def end(self, call: Call, ending: Ending | None = None, *, by_server: bool = False) -> bool:
        """End the requests that a call leaves open; `by_server` as in `end_pushed`.

        A pushed link that was opened stays open, because its server has the answer. A request that comes for the call
        before `forget` ends in the same way. Returns whether the user has answered one meanwhile, for a call that
        cannot send the answer any more.
        """
        self._given_up.pop(call.id, None)
        self._ended[call.id] = ending, by_server
        await self.end_pushed(call, ending, by_server=by_server)
        answered = False
        for request in await self._inbox.of_call(call):
            if request.pending and self.is_tracked(request):
                continue
            if request.origin is Origin.HOSTED:
                await self._end_hosted(request, ending)
                continue
            # In this order: a link that was pending when it was read may be open by now.
            ended = request.pending and await self._inbox.settle(request, *(ending or call_ended()))
            if request.open and not ended and request.origin is not Origin.PUSHED:
                await self._inbox.settle(request, *(ending or link_unfinished()), from_=RequestState.WAITING)
            if request.origin in (Origin.ROUND, Origin.TASK):
                answered |= request.delivery is Delivery.SENDING or (request.pending and not ended)
        return answered

    async def _end_hosted(self, request: InputRequest, ending: Ending | None) -> None:
        """End a hosted request that its call leaves open, if an earlier process has put it."""
        if not request.pending or request.id in self._pushed:
            return
        if _outlives(request, ending):
            await self._inbox.remark(request, call_ended_early())
        else:
            await self._inbox.settle(request, *(ending or call_ended()))

    def forget(self, call: Call) -> None:
        """Forget a call for which no request can come any more."""
        self._ended.pop(call.id, None)


def _leave(all_pushed: Iterable[Pushed], call_id: str, ending: Ending | None, by_server: bool) -> list[Pushed]:
    """Remove an ended call from all requests; return those without any call left, with their ending."""
    returned = by_server and ending is None
    left = [pushed for pushed in all_pushed if pushed.loses(call_id, returned=returned)]
    for pushed in left:
        if _outlives(pushed.request, ending):
            pushed.returned = True
            continue
        pushed.ending = pushed.withdrawn if pushed.returned else ending or pushed.left
    return left


def _outlives(request: InputRequest, ending: Ending | None) -> bool:
    """Return whether a request stays open when its call ends in this way: its server fetches the answer later.

    It ends only with a call that the person has cancelled, or whose server gave up.
    """
    return request.origin is Origin.HOSTED and (ending is None or ending[0] is RequestState.INTERRUPTED)


def _calls_of(request: InputRequest) -> set[str]:
    return {request.call_id} if request.call_id is not None else set(request.possible_calls)
