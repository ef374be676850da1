"""Reads the wire log of a server, with the arguments masked that the store says may be secrets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from webclient.domain.model import ServerKey
from webclient.protocol.wire_log.entries import LogFilter, Masks, WireLogEntry
from webclient.protocol.wire_log.logs import ServerLog, Snapshot, WireLogs
from webclient.protocol.wire_log.messages import WireMessage
from webclient.store import Store

AT_ONCE = 20
"""Messages that are parsed and masked before other tasks run."""


@dataclass(slots=True)
class _Known:
    """The secrets of one log that are known: values, and the names of arguments by call."""

    masks: Masks = field(default_factory=Masks)
    withheld: dict[str, Collection[str]] = field(default_factory=dict)


class WireLogReader:
    """Gives the entries of the wire logs to pages and the API."""

    def __init__(self, store: Store, wire_logs: WireLogs) -> None:
        self._store = store
        self._wire_logs = wire_logs
        self._known: WeakKeyDictionary[ServerLog, _Known] = WeakKeyDictionary()

    async def newest(self, key: ServerKey, wanted: LogFilter, most: int, longest: int) -> list[WireLogEntry]:
        """Return at most so many matching entries, the newest ones, oldest first.

        Of a message of more than `longest` characters, only the beginning is read.
        """
        found: list[WireLogEntry] = []
        async with aclosing(self._entries(key, wanted, newest_first=True, longest=longest)) as entries:
            async for entry in entries:
                found.append(entry)
                if len(found) == most:
                    break
        return found[::-1]

    def all(self, key: ServerKey, wanted: LogFilter) -> AsyncGenerator[WireLogEntry, None]:
        """Yield all matching entries, oldest first."""
        return self._entries(key, wanted, newest_first=False)

    async def _entries(
        self, key: ServerKey, wanted: LogFilter, *, newest_first: bool, longest: int | None = None
    ) -> AsyncGenerator[WireLogEntry, None]:
        log = self._wire_logs.of(key)
        snapshot = log.snapshot()
        messages = [message for message in snapshot.after(wanted.after) if wanted.wants(message)]
        if newest_first:
            messages.reverse()
        known = self._known.setdefault(log, _Known())
        withheld = await self._read_withheld(key, known, snapshot)
        for first in range(0, len(messages), AT_ONCE):
            some = messages[first : first + AT_ONCE]
            # In a thread: a hostile message takes a second.
            entries = await asyncio.to_thread(known.masks.entries, snapshot, some, withheld, longest=longest)
            for entry in entries:
                if wanted.finds(entry):
                    yield entry

    async def _read_withheld(self, key: ServerKey, known: _Known, log: Snapshot) -> dict[str, Collection[str]]:
        """Return the names of the secret arguments of all calls in the log; those of a call never change."""
        calls = _calls_in(log.messages)
        if missing := calls - known.withheld.keys():
            found = await self._store.of(key[0]).calls.listed_by_ids(missing)
            known.withheld |= {call.id: call.withheld for call in found.values()}
        known.withheld = {id_: names for id_, names in known.withheld.items() if id_ in calls}
        return known.withheld


def _calls_in(messages: Sequence[WireMessage]) -> set[str]:
    return {call_id for message in messages for call_id in message.call_ids}
