"""Publishes events to every open page and stream of a user.

An event names a row and never its content. Subscribers read the row as it is now, so nothing stale is shown, and a slow
subscriber costs no more memory than a short queue.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from secrets import token_hex
from typing import Literal

from webclient.domain.errors import TooManyError
from webclient.domain.i18n import gettext as _
from webclient.support.background import call_all

Kind = Literal["server", "call", "request", "sampling", "visibility", "log"]
"""The kinds of events. `sampling`: there is more of a message that a model is writing for that request. `visibility`: a
page that is visible shall say so. `log`: that server has logged something."""

SIGNALS: frozenset[Kind] = frozenset({"sampling", "visibility", "log"})
"""The kinds that tell of no row: they are for pages."""

REPLAYED = 1000
"""The number of a user's newest events that can be replayed to a reconnecting stream."""

QUEUED = 200
"""The number of events that may wait for one subscriber; more are replaced by a gap."""

SUBSCRIBED = 5000
"""The number of pages and streams that one user may have open, unless the hub has another."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something happened to the row `subject`; `id` is EPOCH-NUMBER, and the epoch changes with every process."""

    id: str
    kind: Kind
    subject: str


@dataclass(frozen=True, slots=True)
class Gap:
    """Events are missing here: subscribers must read everything again. `id` is the newest event."""

    id: str


Listener = Callable[[str | None, Event | Gap], None]
"""Takes the user and what happened; a gap without a user is one for all."""


class Subscription:
    """The events of one user as they come, until the hub closes. Made by `Hub.subscribe` only."""

    def __init__(self, user_id: str) -> None:
        self.user_id = user_id
        self._queue: deque[Event | Gap] = deque()
        self._changed = asyncio.Event()
        self._closed = False

    def put(self, item: Event | Gap) -> None:
        """Hand over an event; a full queue collapses into one gap, so that memory stays bounded."""
        if len(self._queue) >= QUEUED or isinstance(self._newest, Gap):
            self._queue.clear()
            item = Gap(item.id)
        self._queue.append(item)
        self._changed.set()

    def close(self) -> None:
        """End the iteration after what is queued."""
        self._closed = True
        self._changed.set()

    def drain(self) -> list[Event | Gap]:
        """Return what is queued at this moment and forget it."""
        items = list(self._queue)
        self._queue.clear()
        return items

    async def batch(self, seconds: float) -> list[Event | Gap] | None:
        """Wait for events, and return all that are queued; none after so many seconds, and None after the end."""
        # A timer, and no timeout: that cancels, which costs several times as much, and most pages are silent.
        if not self._queue and not self._closed:
            self._changed.clear()
            timer = asyncio.get_running_loop().call_later(seconds, self._changed.set)
            try:
                await self._changed.wait()
            finally:
                timer.cancel()
        return self.drain() or (None if self._closed else [])

    @property
    def _newest(self) -> Event | Gap | None:
        return self._queue[-1] if self._queue else None

    def __aiter__(self) -> AsyncIterator[Event | Gap]:
        return self

    async def __anext__(self) -> Event | Gap:
        while not self._queue:
            if self._closed:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._queue.popleft()


class Hub:
    """Publishes events to subscribers in this process, each user's to that user alone.

    `most` is the number of pages and streams that one user may have open.
    """

    def __init__(self, most: int = SUBSCRIBED) -> None:
        self._most = most
        self._epoch = token_hex(4)
        self._number = 0
        self._refreshed = 0
        self._forgotten = 0
        self._closed = False
        self._recent: defaultdict[str, deque[Event]] = defaultdict(lambda: deque(maxlen=REPLAYED))
        self._subscriptions: defaultdict[str, set[Subscription]] = defaultdict(set)
        self._listeners: list[Listener] = []

    @property
    def cursor(self) -> str:
        """The id of the newest event: what a page that is rendered now has seen."""
        return f"{self._epoch}-{self._number}"

    @property
    def subscribed(self) -> int:
        """The number of open subscriptions of all users."""
        return sum(map(len, self._subscriptions.values()))

    def newest(self, user_id: str) -> int:
        """Return a number that is another one after each event and gap of the user."""
        recent = self._recent.get(user_id)
        return max(self._refreshed, _number(recent[-1]) if recent else 0)

    def publish(self, user_id: str, kind: Kind, subject: str) -> None:
        """Tell the user's subscribers that the row `subject` changed."""
        self._number += 1
        event = Event(self.cursor, kind, subject)
        self._recent[user_id].append(event)
        for subscription in self._subscriptions[user_id]:
            subscription.put(event)
        call_all(self._listeners, user_id, event)

    def signal(self, user_id: str, kind: Kind, subject: str) -> None:
        """Notify the streams that are open now; it is not replayed, and no row has changed."""
        for subscription in self._subscriptions[user_id]:
            subscription.put(Event(self.cursor, kind, subject))

    def has_subscribers(self, user_id: str) -> bool:
        """Return whether a page or stream of the user is open."""
        return bool(self._subscriptions.get(user_id))

    def listen(self, listener: Listener) -> None:
        """Call `listener` for every event of every user, also after `close`."""
        self._listeners.append(listener)

    @contextmanager
    def subscribe(self, user_id: str, since: str | None = None) -> Iterator[Subscription]:
        """Give the user's events from now on; with `since`, first those after it, or one gap if they are gone.

        Raises TooManyError beyond `most`.
        """
        if len(self._subscriptions[user_id]) >= self._most:
            raise TooManyError(
                _("There are {limit} open pages and streams, which is the limit; close some.").format(limit=self._most)
            )
        subscription = Subscription(user_id)
        for item in self._missed(user_id, since) if since else ():
            subscription.put(item)
        if self._closed:
            subscription.close()
        self._subscriptions[user_id].add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions[user_id].discard(subscription)

    def forget_absent(self, here: Collection[str]) -> None:
        """Forget the events of all users without subscribers but those who are here."""
        for user_id in self._recent.keys() - here:
            self.forget(user_id)

    def forget(self, user_id: str) -> None:
        """Forget the events of a user without subscribers; a stream that resumes gets a gap."""
        if not self.has_subscribers(user_id):
            self._subscriptions.pop(user_id, None)
            if self._recent.pop(user_id, None):
                self._forgotten = self._number

    def refresh(self) -> None:
        """Make all subscribers, also later ones, read everything again.

        For a change that is not one of a row.
        """
        self._number += 1
        self._refreshed = self._number
        for subscriptions in self._subscriptions.values():
            for subscription in subscriptions:
                subscription.put(Gap(self.cursor))
        call_all(self._listeners, None, Gap(self.cursor))

    def end(self, user_id: str) -> None:
        """End the streams of a user; a client that is still signed in connects again."""
        for subscription in self._subscriptions.get(user_id, ()):
            subscription.close()

    def close(self) -> None:
        """End every stream, so that the process can stop."""
        self._closed = True
        for subscriptions in self._subscriptions.values():
            for subscription in subscriptions:
                subscription.close()

    def _missed(self, user_id: str, since: str) -> list[Event] | list[Gap]:
        epoch, _, text = since.partition("-")
        recent = self._recent[user_id]
        number = int(text) if text.isascii() and text.isdigit() else -1
        # A full memory may have dropped events after `since`; a foreign epoch numbers another process's events.
        forgotten = len(recent) == REPLAYED and number < _number(recent[0]) - 1
        # One number for all users: those who have older events still have all of theirs.
        forgotten |= number < self._forgotten and not (recent and _number(recent[0]) <= self._forgotten)
        known = epoch == self._epoch and self._refreshed <= number <= self._number
        if not known or forgotten:
            return [Gap(self.cursor)]
        return [event for event in recent if _number(event) > number]


def _number(event: Event) -> int:
    return int(event.id.rpartition("-")[2])
