"""Says when each task is polled: as often as its server wishes, within bounds, and all tasks together only so often."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from itertools import pairwise
from math import inf
from operator import itemgetter
from random import uniform
from time import monotonic

from webclient.domain.model import Task, now

FASTEST = 0.25
"""The fewest seconds between two polls of a task, however often it is notified of."""

SLOWEST = 60.0
"""The most seconds between two polls of a task, unless there are very many tasks."""

USUAL = 5.0
"""Seconds between two polls of a task whose server does not say how often."""

MOST_POLLS = 12
"""Polls of all tasks together in a second, on average: so their cost is bounded."""

JITTER = 0.1
"""By which part of it a pause may be longer, so that tasks which began together are not polled together."""


class Polls:
    """The polls of one task: `next_at` is the next one, and `wish` the seconds between two.

    `is_notified`: the server says when the task changes, so polls only make sure of that.
    """

    def __init__(self, scheduler: PollScheduler, user_id: str) -> None:
        self.user_id = user_id
        self.next_at: datetime | None = None
        self.wish = SLOWEST
        self.is_notified = False
        self._scheduler = scheduler
        self._hurry = asyncio.Event()
        self._failures = 0
        self._polled_at = monotonic()

    def hurry(self) -> None:
        """Bring the next poll forward: the server has notified of the task, or there is an answer to send."""
        self._hurry.set()

    def succeeded(self) -> None:
        """Note that a poll was answered; the next one comes after the usual pause."""
        self._failures = 0

    def failed(self) -> int:
        """Note that a poll was not answered, so that the next ones come later; return how many in a row were not."""
        self._failures += 1
        return self._failures

    async def until_due(self, task: Task) -> None:
        """Wait until the task is to be polled again."""
        self.wish = wish_of(task, self._failures, is_notified=self.is_notified)
        pause = self._scheduler.pause(self.wish, self.user_id)
        self.next_at = now() + timedelta(seconds=pause)
        due = monotonic() + pause
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await self._hurry.wait()
        # A server that notifies a thousand times a second is not asked as often.
        await asyncio.sleep(min(self._polled_at + FASTEST, due) - monotonic())
        self._hurry.clear()
        self._polled_at = monotonic()
        self.next_at = None


class PollScheduler:
    """Knows all tasks that this process polls."""

    def __init__(self) -> None:
        self._polls: dict[str, Polls] = {}

    @contextmanager
    def polling(self, call_id: str, user_id: str = "") -> Iterator[Polls]:
        """Give the polls of the task of a user's call, while the block runs."""
        polls = self._polls[call_id] = Polls(self, user_id)
        try:
            yield polls
        finally:
            del self._polls[call_id]

    def hurry(self, call_id: str) -> None:
        """Bring the next poll of a call's task forward; do nothing if it is not polled."""
        if polls := self._polls.get(call_id):
            polls.hurry()

    def next_at(self, call_id: str) -> datetime | None:
        """Return when the task of a call is polled next; None if it is not, or just now."""
        polls = self._polls.get(call_id)
        return polls.next_at if polls else None

    def pause(self, wish: float, user_id: str = "") -> float:
        """Return the seconds until the next poll of a user's task, `wish` at least."""
        return max(wish, self._shortest(user_id)) * uniform(1, 1 + JITTER)  # noqa: S311  (spreads the polls)

    def _share(self, user_id: str) -> float:
        """Return how often the tasks of a user may be polled in a second: what others leave is shared."""
        wanted: dict[str, float] = defaultdict(float)
        for polls in self._polls.values():
            wanted[polls.user_id] += 1 / polls.wish
        free = float(MOST_POLLS)
        for place, (each, polls_of_each) in enumerate(sorted(wanted.items(), key=itemgetter(1))):
            share = free / (len(wanted) - place)
            if each == user_id or polls_of_each > share:
                return share
            free -= polls_of_each
        return free

    def _shortest(self, user_id: str) -> float:
        """Return the shortest pause with which the tasks of a user are not polled more than their share allows.

        It makes those wait that wish for less, and leaves the others as they are.
        """
        most = self._share(user_id)
        wishes = sorted(polls.wish for polls in self._polls.values() if polls.user_id == user_id)
        others = sum(1 / wish for wish in wishes)
        if others <= most:
            return 0
        for count, (wish, following) in enumerate(pairwise([*wishes, inf]), start=1):
            others -= 1 / wish
            if others < most and count / (most - others) <= following:
                return count / (most - others)
        raise AssertionError("the last wish is followed by infinity")


def wish_of(task: Task, failures: int = 0, *, is_notified: bool = False) -> float:
    """Return the seconds between two polls, after so many failures in a row."""
    seconds = USUAL if task.poll_interval is None else task.poll_interval / 1000
    if is_notified:
        seconds = SLOWEST
    if task.ttl is not None:
        # A result that is saved for a shorter time would be gone by the first poll.
        seconds = min(seconds, task.ttl / 2000)
    return min(max(seconds, FASTEST) * float(2 ** min(failures, 10)), SLOWEST)
