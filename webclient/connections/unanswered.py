"""The questions that servers have pushed and that are not answered, and what calls leave open when they end.

A question can be on its way into the inbox at the very moment its call ends, or its server is muted: it is not there
yet to be settled with the others. So its ending is remembered, and whoever puts it looks for one afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from webclient.connections.open_calls import Ending, left_behind, taken_back, unfinished
from webclient.connections.tap import Asked
from webclient.inbox import Inbox
from webclient.model import Call, Came, InputRequest, RequestState


@dataclass(slots=True)
class Pushed:
    """A question that was pushed; `ending` is how it ends with its call, once that has ended."""

    request: InputRequest
    asked: Asked
    ending: Ending | None = None

    @property
    def left(self) -> Ending:
        """How it ends if its call says nothing.

        A server that takes its question back and then ends the call sends both at once, and the callback may not
        have settled the question yet.
        """
        return taken_back() if self.asked.taken_back else left_behind()


class Unanswered:
    """Knows what was pushed and is not answered, and ends what calls leave open."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._pushed: dict[str, Pushed] = {}

    @contextmanager
    def pushed(self, request: InputRequest, asked: Asked) -> Iterator[Pushed]:
        """Know the question while the block runs, which puts it and waits for its answer."""
        pushed = self._pushed[request.id] = Pushed(request, asked)
        try:
            yield pushed
        finally:
            del self._pushed[request.id]

    def by(self, server_id: str) -> bool:
        """Whether the server waits for an answer to what it has pushed."""
        return any(pushed.request.server_id == server_id for pushed in self._pushed.values())

    async def end_pushed(self, call: Call, ending: Ending | None = None) -> None:
        """End what was pushed during the call and is pending: its server no longer waits."""
        of_call = [pushed for pushed in self._pushed.values() if pushed.request.call_id == call.id]
        for pushed in of_call:
            pushed.ending = ending or pushed.left
        for pushed in of_call:
            await self._inbox.settle(pushed.request, *(pushed.ending or left_behind()))

    async def end(self, call: Call, ending: Ending | None = None) -> None:
        """End what the call leaves open. A link that was pushed goes on waiting: its server has its answer."""
        await self.end_pushed(call, ending)
        for request in await self._inbox.of_call(call):
            # In this order: a link that was pending a moment ago may have been opened since.
            ended = request.pending and await self._inbox.settle(request, *(ending or left_behind()))
            if request.open and not ended and request.came is not Came.PUSHED:
                await self._inbox.settle(request, *(ending or unfinished()), from_=RequestState.WAITING)
