"""The questions that servers have pushed and that are not answered, and what calls leave open when they end.

A question can be on its way into the inbox at the very moment its call ends, or its server is muted: it is not there
yet to be settled with the others. So its ending is remembered, and whoever puts it looks for one afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from webclient.connections.open_calls import Ending
from webclient.connections.tap import Asked
from webclient.connections.withdrawal import gave_up, is_time_limit, left_behind, unfinished, withdrawn
from webclient.inbox import Inbox
from webclient.model import Call, Came, InputRequest, RequestState


@dataclass(slots=True)
class Pushed:
    """A question that was pushed; `ending` is how it ends with its call, once that has ended.

    `calls` are those of which it may be, and that have not ended.
    """

    request: InputRequest
    asked: Asked
    calls: set[str]
    ending: Ending | None = None

    def ends_with(self, call: Call) -> bool:
        """Whether, now that the call has ended, no call is left in which it may have been asked."""
        may_be_its = call.id in self.calls
        self.calls.discard(call.id)
        return may_be_its and not self.calls

    @property
    def left(self) -> Ending:
        """How it ends if its call says nothing.

        A server that takes its question back and then ends the call sends both at once, and the callback may not
        have settled the question yet.
        """
        return self.withdrawn or left_behind()

    @property
    def withdrawn(self) -> Ending | None:
        """How it ends as its server has taken it back; None if it has not."""
        return withdrawn(self.asked, self.request.asked_by.label)

    def gave_up(self, words: str) -> str | None:
        """Say that the server gave up waiting, if it took this back, or ended the call with such `words`, for that."""
        limited = is_time_limit(words if self.asked.taken_back is None else self.asked.taken_back)
        return gave_up(self.asked, self.request.asked_by.label) if limited else None


class Unanswered:
    """Knows what was pushed and is not answered, and ends what calls leave open."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._pushed: dict[str, Pushed] = {}
        self._given_up: dict[str, tuple[str, bool]] = {}

    @contextmanager
    def pushed(self, request: InputRequest, asked: Asked) -> Iterator[Pushed]:
        """Know the question while the block runs, which puts it and waits for its answer."""
        pushed = self._pushed[request.id] = Pushed(request, asked, _calls_of(request))
        try:
            yield pushed
        finally:
            del self._pushed[request.id]
            self._remember(pushed)

    def by(self, server_id: str) -> bool:
        """Whether the server waits for an answer to what it has pushed."""
        return any(pushed.request.server_id == server_id for pushed in self._pushed.values())

    def given_up(self, call: Call, words: str) -> str | None:
        """Say that the server gave up waiting for the call's last question, by its own limit; None if it did not.

        `words` are the error with which it ended the call: some end it without taking the question back.
        """
        waiting = [each for each in self._pushed.values() if call.id in each.calls]
        found = [sentence for each in waiting if (sentence := each.gave_up(words))]
        sentence, certain = self._given_up.get(call.id, (None, True))
        return found[-1] if found else sentence if certain or is_time_limit(words) else None

    def _remember(self, pushed: Pushed) -> None:
        """Note of a question that is over whether its server gave up waiting; the last one of a call counts."""
        sentence = pushed.gave_up("")
        for call_id in pushed.calls if pushed.ending is None else ():
            self._given_up.pop(call_id, None)
            if sentence:
                self._given_up[call_id] = sentence, pushed.request.call_id is not None

    async def end_pushed(self, call: Call, ending: Ending | None = None) -> None:
        """End what was pushed during the call and is pending: its server no longer waits."""
        of_call = [pushed for pushed in self._pushed.values() if pushed.ends_with(call)]
        for pushed in of_call:
            pushed.ending = ending or pushed.left
        for pushed in of_call:
            await self._inbox.settle(pushed.request, *(pushed.ending or left_behind()))

    async def end(self, call: Call, ending: Ending | None = None) -> None:
        """End what the call leaves open. A link that was pushed goes on waiting: its server has its answer."""
        self._given_up.pop(call.id, None)
        await self.end_pushed(call, ending)
        for request in await self._inbox.of_call(call):
            # In this order: a link that was pending a moment ago may have been opened since.
            ended = request.pending and await self._inbox.settle(request, *(ending or left_behind()))
            if request.open and not ended and request.came is not Came.PUSHED:
                await self._inbox.settle(request, *(ending or unfinished()), from_=RequestState.WAITING)


def _calls_of(request: InputRequest) -> set[str]:
    return {request.call_id} if request.call_id is not None else set(request.possible_calls)
