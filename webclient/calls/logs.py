"""The log messages that servers send during calls (`notifications/message`), stored with the call and bounded.

They are written a moment after they come, many at once. Messages outside of calls are dropped.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from webclient.calls.running import RunningCalls
from webclient.live import Hub
from webclient.model import Call, CallLog, Json, LogEntry, now
from webclient.store import StorageError, Store

PAUSE = 0.5
"""Seconds in which any number of messages is written and published once."""

MOST_ENTRIES = 200
MOST_CHARACTERS = 100_000
"""The most of one call that is stored; older messages are dropped and counted."""

LONGEST = 2_000
"""Characters of one message."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, skipkeys=True)


@dataclass(slots=True)
class _Log:
    call: Call
    entries: deque[LogEntry] = field(default_factory=deque)
    characters: int = 0
    omitted: int = 0
    read: bool = False

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
        here, self.entries, self.characters = self.entries, deque(), 0
        for entry in (*earlier.entries, *here):
            self.add(entry)


class Logs:
    """The log messages of the running calls."""

    def __init__(self, store: Store, hub: Hub, running_calls: RunningCalls) -> None:
        self._store = store
        self._hub = hub
        self._running_calls = running_calls
        self._logs: dict[str, _Log] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None

    def logged(self, server_id: str, call_id: str | None, params: Json) -> None:
        """Store a message of the server with its call.

        Without a `call_id` it is stored with each of the server's running calls, marked as shared.
        """
        calls = [running.call for running in self._running_calls.possible_calls(server_id, call_id)]
        if not calls:
            return
        entry = _entry(params, shared=len(calls) > 1)
        for each in calls:
            self._logs.setdefault(each.id, _Log(each)).add(entry)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(PAUSE, self._write_soon)

    async def close(self) -> None:
        """Write the remaining messages."""
        if self._timer:
            self._timer.cancel()
        if self._writing:
            await self._writing
        await self._write()

    def _write_soon(self) -> None:
        self._timer = None
        self._writing = asyncio.create_task(self._write())

    async def _write(self) -> None:
        for log in list(self._logs.values()):
            # A message that cannot be written now is written with the next one, or not at all: the call matters more.
            with suppress(StorageError):
                if not log.read:
                    log.follow(await self._store.of(log.call.user_id).logs.get(log.call.id))
                    log.read = True
                await self._store.of(log.call.user_id).logs.save(log.call.id, CallLog(tuple(log.entries), log.omitted))
            self._hub.publish(log.call.user_id, "call", log.call.id)
        open_ids = {log.call.id for log in self._logs.values() if self._running_calls.get(log.call.id)}
        self._logs = {call_id: log for call_id, log in self._logs.items() if call_id in open_ids}


def _entry(params: Json, *, shared: bool) -> LogEntry:
    name = params.get("logger")
    return LogEntry(
        at=now(),
        level=str(params.get("level", ""))[:20],
        logger=name[:100] if isinstance(name, str) else "",
        text=_text(params.get("data")),
        shared=shared,
    )


def _text(data: Any) -> str:
    """Return the data of a message as text, other data as JSON, shortened to `LONGEST`."""
    if isinstance(data, str):
        return data if len(data) <= LONGEST else data[:LONGEST] + "…"
    written = ""
    with suppress(ValueError, RecursionError):
        for piece in _ENCODER.iterencode(data):
            written += piece[:LONGEST]
            if len(written) > LONGEST:
                return written[:LONGEST] + "…"
    return written
