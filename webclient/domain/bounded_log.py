"""Log messages of a server in a bounded list: the newest stay, older ones are dropped and counted."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from webclient.domain.model import CallLog, LogEntry

MOST_ENTRIES = 200
MOST_CHARACTERS = 100_000
"""The most of one log; older messages are dropped and counted."""


@dataclass(slots=True)
class BoundedLog:
    """The newest messages, and the number of those that were dropped."""

    entries: deque[LogEntry] = field(default_factory=lambda: deque(maxlen=MOST_ENTRIES + 1))
    characters: int = 0
    omitted: int = 0

    def add(self, entry: LogEntry) -> None:
        """Append an entry, and drop the oldest while there are too many."""
        self.entries.append(entry)
        self.characters += len(entry.text)
        while len(self.entries) > MOST_ENTRIES or self.characters > MOST_CHARACTERS:
            self.characters -= len(self.entries.popleft().text)
            self.omitted += 1

    def follow(self, earlier: CallLog) -> None:
        """Prepend what an earlier process wrote."""
        self.omitted += earlier.omitted
        here, self.characters = list(self.entries), 0
        self.entries.clear()
        for entry in (*earlier.entries, *here):
            self.add(entry)

    @property
    def as_log(self) -> CallLog:
        """The messages as they are stored and shown."""
        return CallLog(tuple(self.entries), self.omitted)
