"""Tasks that people were asked to do elsewhere: who was asked, for what, until when, and whether it is done.

Each elicitation is bound to the person who started it and to their client (MCP, Elicitation, Security Considerations).
Its id stands in a link that can be passed on, so that having the link must never be enough.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum

import anyio

from webclient.demo.office.people import Requester
from webclient.demo.shelf import Clock, Shelf

SECONDS = 60 * 60
"""How long a link can be used; after that, a new one is needed."""

OF_ONE_PERSON = 10
ROOM = 1000
"""The most elicitations of one person, so that one cannot push out another's, and in all."""

Notify = Callable[[str], Awaitable[None]]
"""Tells the client that the elicitation with this id is complete."""


class Task(StrEnum):
    """The person's task; the value is the page's name."""

    KEY = "key"
    CONNECT = "connect"


@dataclass(eq=False, slots=True)
class Elicitation:
    """One thing that one person was asked to do elsewhere."""

    task: Task
    requester: Requester
    notify: Notify | None = None
    id: str = ""
    finished: bool = False
    _over: anyio.Event = field(default_factory=anyio.Event)

    async def finish(self) -> None:
        """Note that it is done, and tell the client that started it, and no other."""
        self.finished = True
        self._over.set()
        if self.notify:
            await self.notify(self.id)

    async def wait(self) -> bool:
        """Wait until the person has done it, or it is over; return whether they have."""
        with anyio.move_on_after(SECONDS):
            await self._over.wait()
        return self.finished

    def drop(self) -> None:
        """Wake up the waiting call: the link no longer works."""
        self._over.set()


class Elicitations:
    """All elicitations that are open, and those that were finished lately."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._shelf = Shelf[Elicitation](seconds=SECONDS, room=ROOM, clock=clock)

    def start(self, task: Task, requester: Requester, notify: Notify | None = None) -> Elicitation:
        """Begin an elicitation."""
        theirs = [each for each in self._shelf.values() if each.requester.sub == requester.sub]
        for old in theirs[: 1 - OF_ONE_PERSON]:
            self.end(old)
        elicitation = Elicitation(task, requester, notify)
        elicitation.id = self._shelf.put(elicitation)
        return elicitation

    def open_for(self, task: Task, requester: Requester, notify: Notify | None = None) -> Elicitation:
        """Return the one that `requester` has not finished yet, or begin one: who asks again gets the same link."""
        for each in self._shelf.values():
            if (each.task, each.requester, each.finished) == (task, requester, False):
                return each
        return self.start(task, requester, notify)

    def find(self, elicitation_id: str | None) -> Elicitation | None:
        """Return the elicitation with this id, of any person. The caller must check whose it is."""
        return self._shelf.get(elicitation_id)

    async def finish(self, task: Task, sub: str) -> None:
        """Mark `task` as done by the person `sub`, for all of their clients."""
        for each in self._shelf.values():
            if (each.task, each.requester.sub, each.finished) == (task, sub, False):
                await each.finish()

    def end(self, elicitation: Elicitation) -> None:
        """Forget it: its link works no longer."""
        self._shelf.take(elicitation.id)
        elicitation.drop()
