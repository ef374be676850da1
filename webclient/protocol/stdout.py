"""What a child writes to standard output besides messages: it is skipped, counted and told, never in the way.

A server MUST NOT write anything else there (MCP 2025-11-25, Transports, stdio); many do, a banner or a log. The SDK
logs a traceback for each such line, and gives up the whole stream at the first byte that is not UTF-8.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from time import monotonic
from typing import Any, Self

import anyio
from mcp.client import stdio
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from webclient.model import Json
from webclient.protocol.read_rate import Pace

logger = logging.getLogger(__name__)

EXCERPT = 200
"""Characters of the first such line that are shown."""

PAUSE = 10.0
"""Seconds between two times that the count is told; a server may write thousands of lines a second."""

COST = 0.1
"""Messages that a line counts as, in the pace at which its server is read."""


class NoMessageError(ValueError):
    """A line is not a message; the argument is its beginning."""


def _parsed(line: str) -> SessionMessage | Exception:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return NoMessageError(line[:EXCERPT].strip())


stdio._parse_line = _parsed  # the SDK's own logs a traceback


class Skipped:
    """Counts the lines that were skipped; `tell` gets `{count, first}` at the first one and seldom afterwards."""

    def __init__(self, label: str, tell: Callable[[Json], None]) -> None:
        self._label = label
        self._tell = tell
        self._count = 0
        self._first = ""
        self._told_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def note(self, line: str) -> None:
        """Count a line; an empty one says nothing."""
        if not line:
            return
        self._count += 1
        if self._count == 1:
            self._first = line
            logger.warning("%s writes lines to standard output that are not MCP; first: %r", self._label, line)
            self._now()
        elif self._timer is None:
            wait = max(0.0, self._told_at + PAUSE - monotonic())
            self._timer = asyncio.get_running_loop().call_later(wait, self._now)

    def end(self) -> None:
        """Tell nothing any more."""
        if self._timer is not None:
            self._timer.cancel()

    def _now(self) -> None:
        self._timer = None
        self._told_at = monotonic()
        self._tell({"count": self._count, "first": self._first})


@asynccontextmanager
async def messages_only(
    transport: AbstractAsyncContextManager[Any], skipped: Skipped, pace: Pace
) -> AsyncIterator[tuple[Any, Any]]:
    """Give the streams of a stdio transport, the one that comes in without what is not a message."""
    async with transport as (read, write):
        yield _Messages(read, skipped, pace), write


class _Messages:
    def __init__(self, inner: Any, skipped: Skipped, pace: Pace) -> None:
        self._inner = inner
        self._pace = pace
        self._skipped = skipped

    async def receive(self) -> SessionMessage | Exception:
        while True:
            item: SessionMessage | Exception = await self._inner.receive()
            if not isinstance(item, NoMessageError):
                return item
            self._skipped.note(str(item))
            await self._pace.messages(COST)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._inner.__aexit__(*error)
