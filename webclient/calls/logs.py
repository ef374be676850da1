"""The log messages that servers send during calls (`notifications/message`), stored with the call and bounded.

They are written a moment after they come, many at once. All messages of a server, also those outside of calls, are in
memory while it is connected.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from webclient.calls.running import RunningCalls
from webclient.content.masking import mask_secrets
from webclient.content.visible_text import shortened
from webclient.domain.bounded_log import BoundedLog
from webclient.domain.model import Call, Json, LogEntry, ServerKey, now
from webclient.protocol import Endpoint, LogEvents
from webclient.store import StorageError, Store
from webclient.store.live import Hub
from webclient.support import background

PAUSE = 0.5
"""Seconds in which any number of messages is written and published once."""

LONGEST = 2_000
"""Characters of one message."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, skipkeys=True)


@dataclass(slots=True)
class _Log:
    """The log of a running call; `read`: what an earlier process wrote is in it."""

    call: Call
    log: BoundedLog = field(default_factory=BoundedLog)
    read: bool = False


class Logs(LogEvents):
    """The log messages of the running calls."""

    def __init__(self, store: Store, hub: Hub, running_calls: RunningCalls) -> None:
        self._store = store
        self._hub = hub
        self._running_calls = running_calls
        self._logs: dict[str, _Log] = {}
        self._servers: set[ServerKey] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None

    def logged(self, endpoint: Endpoint, call_id: str | None, params: Json) -> None:
        """Keep a message of the server in memory, and store it with its call.

        Without a `call_id` it is stored with each of the server's running calls, marked as shared.
        """
        calls = [running.call for running in self._running_calls.possible_calls(endpoint.server.key, call_id)]
        entry = _entry(params, shared=len(calls) > 1)
        entry = replace(entry, text=mask_secrets(endpoint.secrets, entry.text))
        endpoint.log.add(entry)
        for each in calls:
            self._logs.setdefault(each.id, _Log(each)).log.add(entry)
        self._servers.add(endpoint.server.key)
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
        self._writing = background.start(self._write(), name="log")

    async def _write(self) -> None:
        servers, self._servers = self._servers, set()
        for user_id, server_id in servers:
            self._hub.publish(user_id, "log", server_id)
        for log in list(self._logs.values()):
            # A message that cannot be written now is written with the next one, or not at all: the call matters more.
            with suppress(StorageError):
                if not log.read:
                    log.log.follow(await self._store.of(log.call.user_id).logs.get(log.call.id))
                    log.read = True
                await self._store.of(log.call.user_id).logs.save(log.call.id, log.log.as_log)
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
        return shortened(data, LONGEST)
    written = ""
    with suppress(ValueError, RecursionError):
        for piece in _ENCODER.iterencode(data):
            written += piece[:LONGEST]
            if len(written) > LONGEST:
                break
    return shortened(written, LONGEST)
