"""Asks an idle server now and then whether it is there, and says when it is not.

A server that is silent while it works for a call is said to be silent and left in peace: it may be busy, and giving up
its session would end the call. One that is silent and has nothing to do is given up after a while.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from random import uniform
from time import monotonic

import httpx2
from mcp import MCPError
from mcp.client import ClientSession
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from webclient.protocol.explain import SilenceError, is_lost_session
from webclient.protocol.transport_state import TransportState

PATIENCE = 0.5
"""The part of the interval after which a server that was asked is shown as silent."""

SILENT = 2.0
"""Intervals after which a silent server is given up."""

REFUSED = 0.1
"""Intervals that a server has to refuse what is on its way to it in a session that it forgot."""

UNREACHABLE = 0.3
"""Intervals after which a server is given up at whose address nothing answers; it does not come back by waiting."""

LOOK = 0.01
"""Seconds between two looks whether it has."""


class Liveness:
    """Watches over one session. `interval` gives the seconds between two beats, which depend on how many beat.

    `busy` says whether the server works for somebody; `tell` is called with True when it falls silent and with False
    when it is heard again.
    """

    def __init__(
        self,
        session: ClientSession,
        wire: TransportState,
        *,
        interval: Callable[[], float],
        busy: Callable[[], bool],
        tell: Callable[[bool], None],
    ) -> None:
        self._session = session
        self._wire = wire
        self._interval = interval
        self._busy = busy
        self._tell = tell
        self._beat: asyncio.Task[None] | None = None
        self._forgotten = False

    async def until_gone(self) -> Exception | None:
        """Watch until the session is of no use any more; return what says so, None if the server forgot it."""
        try:
            while True:
                await self._rest()
                if not await self._speaks():
                    return self._unreachable or SilenceError()
                if self._forgotten:
                    await self.until_refused()
                    return None
        finally:
            if self._beat is not None:
                self._beat.cancel()

    async def _rest(self) -> None:
        """Wait until it is time to ask: something broke, or nothing was heard for a while."""
        while True:
            seconds = self._interval() * uniform(0.9, 1.1)  # noqa: S311  (so that a thousand do not beat at once)
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._wire.troubled.wait()
                    return
            if monotonic() - self._wire.heard_at >= seconds:
                return

    async def _speaks(self) -> bool:
        """Ask until the server is heard; False when it is time to give up."""
        since = monotonic()
        while not await self._heard():
            self._tell(True)
            silent = monotonic() - since
            if silent >= self._limit() and not (self._busy() and self._wire.open):
                return False
            await asyncio.sleep(self._wire.patience / 5)
        self._tell(False)
        return True

    async def until_refused(self) -> None:
        """Wait a moment for calls on their way in a forgotten session: once refused, they go out in the next one."""
        until = monotonic() + self._wire.patience / PATIENCE * REFUSED
        while self._busy() and monotonic() < until:  # noqa: ASYNC110  (nothing tells when a call has moved)
            await asyncio.sleep(LOOK)

    @property
    def _unreachable(self) -> Exception | None:
        # One whose connection cannot be made in time is silent as well: its machine may be too busy.
        return None if isinstance(self._wire.error, httpx2.TimeoutException) else self._wire.error

    def _limit(self) -> float:
        return self._wire.patience / PATIENCE * (UNREACHABLE if self._unreachable else SILENT)

    async def _heard(self) -> bool:
        asked_at = monotonic()
        self._wire.troubled.clear()
        # One question at a time: over stdio it stays in the pipe until the server reads it.
        if self._beat is None or self._beat.done():
            self._beat = asyncio.create_task(self._ask())
        await asyncio.wait([self._beat], timeout=self._wire.patience)
        return self._wire.heard_at >= asked_at

    async def _ask(self) -> None:
        version = self._session.protocol_version or ""
        try:
            if version in MODERN_PROTOCOL_VERSIONS:
                await self._session.send_discover(version)
            else:
                await self._session.send_ping()
        except MCPError as error:
            self._forgotten = self._wire.forgotten = is_lost_session(error)
