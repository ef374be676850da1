"""The newest messages of each server, bounded in number and bytes, and for all servers together."""

from __future__ import annotations

import asyncio
import sys
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from secrets import token_hex

from webclient.domain.errors import TooManyError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import ServerKey
from webclient.protocol.endpoint import Endpoint
from webclient.protocol.wire_log.messages import Direction, MessageKind, WireMessage
from webclient.protocol.wire_log.polls import are_equal_polls, is_ping, is_poll

MOST_MESSAGES = 1000
"""The most messages of one server; older ones are dropped."""

MOST_BYTES = 4 * 2**20
"""The most bytes of one server."""

LONGEST = 128 * 1024
"""Characters of a text that is stored whole; of a longer one the beginning is."""

BEGINNING = 8 * 1024
"""Characters of that beginning."""

WATCHED = 100
"""The number of pages that may follow one log."""

TEXTS_TO_COME = 50
"""The newest messages among which one may still get its text."""

PINGS_SHOWN = 4
"""Messages of pings in a row: the first one and the last one, each with its response."""

POLLS_SHOWN = 6
"""Messages of equal polls in a row: the first, the last and one that has just come, each with its response."""

OVERHEAD = 400
"""Bytes that a message takes besides its text."""

_OF_CALLS = ("notifications/message", "notifications/elicitation/complete")
"""Notifications that name no call, and mostly belong to one."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The messages of a log at one moment, which another thread may read.

    `complete` is the number of the last one before the first whose text is still to come.
    """

    messages: Sequence[WireMessage]
    secrets: frozenset[str]
    complete: int

    def get(self, number: int) -> WireMessage | None:
        """Return the message of that number if it was there."""
        found = self.after(number - 1)
        return found[0] if found and found[0].number == number else None

    def after(self, number: int) -> Sequence[WireMessage]:
        """Return the messages after that number, oldest first."""
        return self.messages[bisect_right(self.messages, number, key=attrgetter("number")) :]


class ServerLog:
    """The log of one server; `secrets` are the texts of its configuration that are masked everywhere.

    `epoch` differs for each log of the server. `newest` is the number of the last message, `size` the memory of all
    messages, and `dropped` counts the messages that were removed to stay within the bounds.
    """

    def __init__(self) -> None:
        self.epoch = token_hex(4)
        self.messages: deque[WireMessage] = deque()
        self.secrets: set[str] = set()
        self.newest = 0
        self.size = 0
        self.dropped = 0
        self._seen: Collection[str] = ()
        self._watchers: set[asyncio.Event] = set()
        self.is_closed = False

    @property
    def complete(self) -> int:
        """The number of the last message before one whose text is still to come."""
        recent = islice(reversed(self.messages), TEXTS_TO_COME)
        return min((message.number - 1 for message in recent if message.awaits_text), default=self.newest)

    def snapshot(self) -> Snapshot:
        """Return the messages as they are now."""
        return Snapshot(list(self.messages), frozenset(self.secrets), self.complete)

    def add(self, message: WireMessage, text: str | bytes | None, secrets: Collection[str]) -> None:
        """Append a message; `secrets` are those of the server's configuration as it is now."""
        if secrets is not self._seen:
            self.secrets |= set(secrets)
            self._seen = secrets
        if text is not None:
            keep_text(message, text)
        if is_ping(message):
            self._merge_pings(message)
        elif is_poll(message):
            self._merge_polls()
        self.newest += 1
        message.number = self.newest
        self.messages.append(message)
        self.size += OVERHEAD + _memory(message.text)
        while len(self.messages) > MOST_MESSAGES or self.size > MOST_BYTES:
            self.remove_oldest()
        self._notify()

    def set_text(self, message: WireMessage, text: str | bytes) -> None:
        """Set the text of a message that was added without."""
        # Not one that was dropped meanwhile; messages with a text to come are among the newest.
        if any(each is message for each in reversed(self.messages)):
            self.size -= _memory(message.text)
            keep_text(message, text)
            self.size += _memory(message.text)
            self._notify()

    def remove_oldest(self) -> None:
        """Remove the oldest message."""
        self._forget(self.messages.popleft())
        self.dropped += 1

    def _merge_pings(self, message: WireMessage) -> None:
        """Remove the last ping with its response if the one before was a ping, too: an idle server gets thousands."""
        recent = [self.messages[-place] for place in (4, 3, 2, 1)] if len(self.messages) >= PINGS_SHOWN else []
        same = bool(recent) and all(each.method == message.method for each in recent)
        if same and is_ping(recent[0]) and is_ping(recent[2]):
            message.repeats = recent[2].repeats + 1
            self._remove_pair(-2)

    def _merge_polls(self) -> None:
        """Remove a poll with its response between two equal ones: a task of a day has thousands."""
        if len(self.messages) < POLLS_SHOWN:
            return
        recent = [self.messages[-place] for place in (6, 5, 4, 3, 2, 1)]
        if are_equal_polls(recent):
            recent[4].repeats += recent[2].repeats + 1
            self._remove_pair(-4)

    def _remove_pair(self, place: int) -> None:
        """Remove the two messages at this place and the next."""
        for _each in range(2):
            self._forget(self.messages[place])
            del self.messages[place]
            place += 1

    def _forget(self, message: WireMessage) -> None:
        self.size -= OVERHEAD + _memory(message.text)
        # Its response may still refer to it.
        message.text = None

    def clear(self) -> None:
        """Clear all messages; numbers go on."""
        while self.messages:
            self.remove_oldest()
        self._notify()

    def close(self) -> None:
        """End the watching, because the program stops."""
        self.is_closed = True
        self._notify()

    @contextmanager
    def watched(self) -> Iterator[asyncio.Event]:
        """Give an event that is set with every message; the reader clears it. Raises TooManyError."""
        if len(self._watchers) >= WATCHED:
            message = _("There are {limit} open pages that show this log, which is the limit; close some.")
            raise TooManyError(message.format(limit=WATCHED))
        event = asyncio.Event()
        self._watchers.add(event)
        try:
            yield event
        finally:
            self._watchers.discard(event)

    def _notify(self) -> None:
        for event in self._watchers:
            event.set()


class WireLogs:
    """The logs of all servers, with at most `most_bytes` together; with 0 there are none.

    `calls_of` returns the ids of the calls for which a server works. `changed` is set with every message of any server;
    its one reader clears it.
    """

    def __init__(self, most_bytes: int = 0, calls_of: Callable[[ServerKey], Iterable[str]] = lambda _key: ()) -> None:
        self.most_bytes = most_bytes
        self._calls_of = calls_of
        self._logs: dict[ServerKey, ServerLog] = {}
        self._size = 0
        self.changed = asyncio.Event()

    @property
    def is_on(self) -> bool:
        """Whether messages are stored."""
        return self.most_bytes > 0

    @property
    def size(self) -> int:
        """The bytes of all logs."""
        return self._size

    def of(self, key: ServerKey) -> ServerLog:
        """Return the log of the server, which may be empty."""
        return self._logs.get(key) or ServerLog()

    def all(self) -> list[tuple[ServerKey, ServerLog]]:
        """Return the logs that exist, with the keys of their servers."""
        return list(self._logs.items())

    def newest(self, key: ServerKey) -> int:
        """Return the number of the newest message of the server, 0 if there is none."""
        return self.of(key).newest

    def watch(self, key: ServerKey) -> ServerLog:
        """Return the log of the server, which stays the same when messages come."""
        if (log := self._logs.get(key)) is None:
            log = self._logs[key] = ServerLog()
        return log

    def passed(self, endpoint: Endpoint, message: WireMessage, text: str | bytes | None) -> None:
        """Add a message of a session, with the calls that it may belong to; its `text` may come later, or never."""
        if not self.is_on:
            return
        if not message.call_ids and _may_be_of_a_call(message):
            message.call_ids = tuple(self._calls_of(endpoint.server.key))
        self.add(endpoint.server.key, message, text, endpoint.secrets)

    def add(self, key: ServerKey, message: WireMessage, text: str | bytes | None, secrets: Collection[str]) -> None:
        """Append a message to the log of the server, and drop old ones."""
        log = self.watch(key)
        before = log.size
        log.add(message, text, secrets)
        self._grown(log.size - before)
        self.changed.set()

    def set_text(self, key: ServerKey, message: WireMessage, text: str | bytes) -> None:
        """Set the text of a message that was added without."""
        log = self.of(key)
        before = log.size
        log.set_text(message, text)
        self._grown(log.size - before)

    def clear(self, key: ServerKey) -> None:
        """Clear all messages of the server."""
        log = self.of(key)
        self._size -= log.size
        log.clear()

    def close(self) -> None:
        """End all watching, because the program stops."""
        for log in self._logs.values():
            log.close()

    def forget(self, key: ServerKey) -> None:
        """Forget the log of a server that was removed."""
        self.clear(key)
        if log := self._logs.pop(key, None):
            log.close()

    def _grown(self, by: int) -> None:
        self._size += by
        while self._size > self.most_bytes:
            # Half of the longest log: a server that floods loses its own messages, and this is rare.
            longest = max(self._logs.values(), key=lambda log: log.size)
            half = longest.size // 2
            before = longest.size
            while longest.messages and longest.size > half:
                longest.remove_oldest()
            self._size -= before - longest.size


def keep_text(message: WireMessage, text: str | bytes) -> None:
    """Set the text of a message, or its beginning if it is very long."""
    message.size = len(text) if isinstance(text, bytes) or text.isascii() else len(text.encode(errors="replace"))
    message.abridged = len(text) > LONGEST
    message.text = text[:BEGINNING] if message.abridged else text


def _memory(text: str | bytes | None) -> int:
    return 0 if text is None else sys.getsizeof(text)


def _may_be_of_a_call(message: WireMessage) -> bool:
    """Return whether a server sends such a message mainly while it works for a call."""
    if message.direction is Direction.SENT:
        return False
    return message.kind is MessageKind.REQUEST or message.method in _OF_CALLS
