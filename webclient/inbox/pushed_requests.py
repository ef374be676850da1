"""The questions that servers have pushed and that are not answered, and what calls leave open when they end.

A server that ends a call while its question is pending may go on waiting for the answer, so the question stays and says
so. It ends with a call that was cancelled, cut off, or given up.

A question can be on its way into the inbox at the very moment its call ends, or its server is muted: it is not there
yet to be settled with the others. So its ending is remembered, and whoever puts it looks for one afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

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
from webclient.model import Call, Came, InputRequest, Reason, RequestState, ServerRequest


@dataclass(slots=True)
class Pushed:
    """A question that was pushed; `ending` is how it ends with its call, once that has ended.

    `calls` are those of which it may be, and that have not ended. `returned`: its server has ended one of them.
    """

    request: InputRequest
    server_request: ServerRequest
    calls: set[str]
    ending: Ending | None = None
    returned: bool = False

    def loses(self, call_id: str, *, returned: bool) -> bool:
        """Note that the call has ended; True when by that no call is left in which it may have been asked."""
        if call_id not in self.calls:
            return False
        self.calls.discard(call_id)
        self.returned |= returned
        return not self.calls

    @property
    def outlives(self) -> bool:
        """Whether its call has ended, and its server may go on waiting."""
        return self.returned and not self.calls and self.ending is None

    @property
    def left(self) -> Ending:
        """How it ends if its call says nothing.

        A server that takes its question back and then ends the call sends both at once, and the callback may not
        have settled the question yet.
        """
        return self.withdrawn or call_ended()

    @property
    def withdrawn(self) -> Ending | None:
        """How it ends as its server has taken it back; None if it has not."""
        return withdrawal_of(self.server_request, self.request.asked_by.label)

    def gave_up(self, words: str) -> Reason | None:
        """Say that the server gave up waiting, if it took this back, or ended the call with such `words`, for that."""
        limited = is_time_limit(words if self.server_request.withdrawn is None else self.server_request.withdrawn)
        return gave_up(self.server_request, self.request.asked_by.label) if limited else None


class PushedRequests:
    """Knows what was pushed and is not answered, and ends what calls leave open."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._pushed: dict[str, Pushed] = {}
        self._ended: dict[str, tuple[Ending | None, bool]] = {}
        self._given_up: dict[str, tuple[Reason, bool]] = {}

    @contextmanager
    def tracking(self, request: InputRequest, server_request: ServerRequest) -> Iterator[Pushed]:
        """Know the question while the block runs, which puts it and waits for its answer."""
        pushed = self._pushed[request.id] = Pushed(request, server_request, _calls_of(request))
        # It may have come while the end of its call was being seen to.
        for call_id in pushed.calls & self._ended.keys():
            _leave([pushed], call_id, *self._ended[call_id])
        try:
            with self._inbox.expecting(request):
                yield pushed
        finally:
            del self._pushed[request.id]
            self._remember(pushed)

    def any_from(self, server_id: str) -> bool:
        """Whether the server waits for an answer to what it has pushed."""
        return any(pushed.request.server_id == server_id for pushed in self._pushed.values())

    def why_given_up(self, call: Call, words: str) -> Reason | None:
        """Say that the server gave up waiting for the call's last question, by its own limit; None if it did not.

        `words` are the error with which it ended the call: some end it without taking the question back.
        """
        waiting = [each for each in self._pushed.values() if call.id in each.calls]
        found = [reason for each in waiting if (reason := each.gave_up(words))]
        reason, certain = self._given_up.get(call.id, (None, True))
        return found[-1] if found else reason if certain or is_time_limit(words) else None

    def _remember(self, pushed: Pushed) -> None:
        """Note of a question that is over whether its server gave up waiting; the last one of a call counts."""
        reason = pushed.gave_up("")
        for call_id in pushed.calls if pushed.ending is None else ():
            self._given_up.pop(call_id, None)
            if reason:
                self._given_up[call_id] = reason, pushed.request.call_id is not None

    async def end_pushed(self, call: Call, ending: Ending | None = None, *, by_server: bool = False) -> None:
        """End what was pushed during the call and is pending, unless its server may go on waiting for it.

        It may where it has ended the call itself, without a word on the question. Of several calls in which it may have
        been asked, it is enough that the server has ended one so.
        """
        for pushed in _leave(self._pushed.values(), call.id, ending, by_server):
            await self.catch_up(pushed)

    async def catch_up(self, pushed: Pushed) -> None:
        """Have the question, now that it is there, stand as its calls have left it."""
        if pushed.ending:
            await self._inbox.settle(pushed.request, *pushed.ending)
        elif pushed.outlives:
            await self._inbox.remark(pushed.request, call_ended_early())

    async def end(self, call: Call, ending: Ending | None = None, *, by_server: bool = False) -> None:
        """End what the call leaves open; `by_server` tells whether its server ended it, without a word on questions.

        A link that was pushed and opened goes on waiting: its server has its answer. Until `forget`, so ends what still
        comes for the call.
        """
        self._given_up.pop(call.id, None)
        self._ended[call.id] = ending, by_server
        await self.end_pushed(call, ending, by_server=by_server)
        for request in await self._inbox.of_call(call):
            if request.pending and request.came is Came.PUSHED:
                continue
            # In this order: a link that was pending a moment ago may have been opened since.
            ended = request.pending and await self._inbox.settle(request, *(ending or call_ended()))
            if request.open and not ended and request.came is not Came.PUSHED:
                await self._inbox.settle(request, *(ending or link_unfinished()), from_=RequestState.WAITING)

    def forget(self, call: Call) -> None:
        """Let go of a call for which nothing can come any more."""
        self._ended.pop(call.id, None)


def _leave(all_pushed: Iterable[Pushed], call_id: str, ending: Ending | None, by_server: bool) -> list[Pushed]:
    """Return those that have no call left now that this one has ended, with how they end."""
    returned = by_server and ending is None
    left = [pushed for pushed in all_pushed if pushed.loses(call_id, returned=returned)]
    for pushed in left:
        pushed.ending = pushed.withdrawn if pushed.returned else ending or pushed.left
    return left


def _calls_of(request: InputRequest) -> set[str]:
    return {request.call_id} if request.call_id is not None else set(request.possible_calls)
