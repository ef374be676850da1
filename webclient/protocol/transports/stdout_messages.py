"""Lines on the standard output of a child that are not messages: skipped, counted and reported.

A server MUST NOT write anything but messages there (MCP 2025-11-25, Transports, stdio); many write a banner or a log.
The SDK logs a traceback for each such line, and closes the stream at the first byte that is not UTF-8.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from time import monotonic
from typing import Any

from mcp.shared.message import SessionMessage

from webclient.domain.model import Json
from webclient.protocol.transports.read_throttle import ReadThrottle
from webclient.protocol.transports.sdk_patches import NoMessageError
from webclient.protocol.transports.wrapped_stream import IncomingMessages
from webclient.support.log_lines import Quoted

logger = logging.getLogger(__name__)

PAUSE = 10.0
"""Seconds between two reports of the count; a server may write thousands of lines a second."""

LINE_COST = 0.1
"""Messages that a skipped line counts as for the throttle."""


class SkippedLines:
    """Counts skipped lines; `report` is called with `{count, first}` at the first line and every few seconds."""

    def __init__(self, label: str, report: Callable[[Json], None]) -> None:
        self._label = label
        self._report = report
        self._count = 0
        self._first = ""
        self._reported_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def note(self, line: str) -> None:
        """Count a line, unless it is empty."""
        if not line:
            return
        self._count += 1
        if self._count == 1:
            self._first = line
            logger.warning("%s writes lines to standard output that are not MCP; first: %r", self._label, Quoted(line))
            self._report_now()
        elif self._timer is None:
            wait = max(0.0, self._reported_at + PAUSE - monotonic())
            self._timer = asyncio.get_running_loop().call_later(wait, self._report_now)

    def end(self) -> None:
        """Stop reporting."""
        if self._timer is not None:
            self._timer.cancel()

    def _report_now(self) -> None:
        self._timer = None
        self._reported_at = monotonic()
        self._report({"count": self._count, "first": self._first})


@asynccontextmanager
async def messages_only(
    transport: AbstractAsyncContextManager[Any], skipped: SkippedLines, throttle: ReadThrottle
) -> AsyncIterator[tuple[Any, Any]]:
    """Open a stdio transport whose incoming stream has messages only; other lines go to `skipped`."""
    async with transport as (read, write):
        yield _Messages(read, skipped, throttle), write


class _Messages(IncomingMessages):
    def __init__(self, inner: Any, skipped: SkippedLines, throttle: ReadThrottle) -> None:
        super().__init__(inner)
        self._throttle = throttle
        self._skipped = skipped

    async def receive(self) -> SessionMessage | Exception:
        while True:
            item: SessionMessage | Exception = await self._inner.receive()
            if not isinstance(item, NoMessageError):
                return item
            self._skipped.note(str(item))
            await self._throttle.messages(LINE_COST)
