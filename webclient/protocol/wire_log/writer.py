"""Writes the wire logs of all servers to a file, if a person has asked for it, with the same masks as on the pages.

It follows the logs in memory, so a slow or full disk delays no message and no call. What leaves the memory before it
can be written is named in the file.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import aclosing
from weakref import WeakKeyDictionary

from webclient.domain.model import Json, ServerKey
from webclient.protocol.wire_log.entries import LogFilter, WireLogEntry
from webclient.protocol.wire_log.log_file import LogFile
from webclient.protocol.wire_log.logs import ServerLog, WireLogs
from webclient.protocol.wire_log.reader import AT_ONCE, WireLogReader
from webclient.store import StorageError
from webclient.support.background import CancellableTask
from webclient.support.standard_json import dumps

PAUSE = 0.25
"""Seconds in which any number of new messages is written once."""

RETRY_PAUSE = 5.0
"""Seconds until the file is tried again after it could not be written."""

LONGEST_END = 2.0
"""Seconds after which the end of this program waits no more for the file."""

_logger = logging.getLogger(__name__)


class WireLogWriter:
    """Writes the wire logs to the `log_file`; does nothing without one."""

    def __init__(self, wire_logs: WireLogs, log_reader: WireLogReader, log_file: LogFile | None) -> None:
        self._wire_logs = wire_logs
        self._log_reader = log_reader
        self._log_file = log_file
        # The number of the last message in the file, by log.
        self._written: WeakKeyDictionary[ServerLog, int] = WeakKeyDictionary()
        self._task: CancellableTask | None = None
        self._in_use = asyncio.Lock()
        self._is_closing = False
        self._is_failing = False

    def start(self) -> None:
        """Begin to write."""
        if self._log_file is not None:
            self._task = CancellableTask(self._run(self._log_file), name="wire log")

    async def close(self) -> None:
        """Write what is left, and close the file."""
        self._is_closing = True
        self._wire_logs.changed.set()
        if self._task is not None and self._log_file is not None:
            await self._task.ended(LONGEST_END)
            self._task.stop()
            await self._task.ended()
            self._log_file.close()

    async def erase(self, user_id: str) -> None:
        """Erase every line of a user whose servers are disconnected. Raises OSError if the file cannot be changed."""
        if self._log_file is not None:
            async with self._in_use:
                await asyncio.to_thread(self._log_file.erase, lambda line: not _is_of(user_id, line))

    async def erase_deleted(self, existing: Callable[[], Awaitable[Collection[str]]]) -> None:
        """Erase every line of users who are not among the `existing`. Raises as `erase`, and as `existing`."""
        if self._log_file is not None:
            async with self._in_use:
                # Read while nothing is written: a user who comes later has no line yet.
                user_ids = await existing()
                await asyncio.to_thread(self._log_file.erase, lambda line: _user_of(line) in user_ids)

    async def _run(self, log_file: LogFile) -> None:
        while not self._is_closing:
            await self._wire_logs.changed.wait()
            self._wire_logs.changed.clear()
            is_complete = await self._write_all(log_file)
            await self._pause(RETRY_PAUSE if self._is_failing else PAUSE)
            if not is_complete:
                self._wire_logs.changed.set()
        await self._write_all(log_file)

    async def _pause(self, seconds: float) -> None:
        """Wait, but not for long once this program ends."""
        for _each in range(round(seconds / PAUSE)):
            if not self._is_closing:
                await asyncio.sleep(PAUSE)

    async def _write_all(self, log_file: LogFile) -> bool:
        """Write what is new of all logs; return whether that was everything."""
        try:
            async with self._in_use:
                for key, log in self._wire_logs.all():
                    await self._write(log_file, key, log)
        except (OSError, StorageError) as error:
            if not self._is_failing:
                _logger.warning("The wire log %s cannot be written, and is tried again: %s", log_file.path, error)
            self._is_failing = True
            return False
        if self._is_failing:
            _logger.info("The wire log %s can be written again", log_file.path)
        self._is_failing = False
        return all(log.complete == log.newest for _key, log in self._wire_logs.all())

    async def _write(self, log_file: LogFile, key: ServerKey, log: ServerLog) -> None:
        complete = log.complete
        await self._write_missing(log_file, key, log, complete)
        wanted = LogFilter(after=self._written.get(log, 0), before=complete + 1)
        some: list[WireLogEntry] = []
        async with aclosing(self._log_reader.all(key, wanted)) as entries:
            async for entry in entries:
                some.append(entry)
                if len(some) == AT_ONCE:
                    await self._append(log_file, key, log, some)
                    some = []
        await self._append(log_file, key, log, some)
        self._written[log] = max(complete, self._written.get(log, 0))

    async def _append(self, log_file: LogFile, key: ServerKey, log: ServerLog, entries: Sequence[WireLogEntry]) -> None:
        def append() -> int:
            return log_file.append([_line(key, log, entry.as_json) for entry in entries])

        # In a thread: the disk may be slow.
        if (written := await asyncio.to_thread(append)) > 0:
            self._written[log] = entries[written - 1].number
        if written < len(entries):
            raise OSError("only a part was written")

    async def _write_missing(self, log_file: LogFile, key: ServerKey, log: ServerLog, complete: int) -> None:
        """Write which messages have left the memory before they could be written."""
        first = self._written.get(log, 0) + 1
        oldest = min(log.messages[0].number if log.messages else complete + 1, complete + 1)
        if oldest > first:
            missing: Json = {"missing": {"from": first, "to": oldest - 1}}
            await asyncio.to_thread(log_file.append, [_line(key, log, missing)])
            self._written[log] = oldest - 1


def _line(key: ServerKey, log: ServerLog, content: Json) -> bytes:
    user_id, server_id = key
    return (dumps({"log": log.epoch, "user": user_id, "server": server_id} | content) + "\n").encode()


def _is_of(user_id: str, line: bytes) -> bool:
    # Most lines are of others, and need not be read.
    if dumps(user_id).encode() not in line:
        return False
    # A part of a line, after a crash, may be theirs.
    return _user_of(line) in (user_id, None)


def _user_of(line: bytes) -> str | None:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    user_id = content.get("user") if isinstance(content, dict) else None
    return user_id if isinstance(user_id, str) else None
