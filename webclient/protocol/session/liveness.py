"""Pings an idle server from time to time, and reports when it does not answer.

A server that is silent while it works for a call is shown as silent, and its session is kept: it may be busy, and
closing the session would end the call. A server that is silent and idle is given up after a while.
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

from webclient.protocol.messages.raw_request import failing
from webclient.protocol.messages.sdk_errors import is_session_unknown
from webclient.protocol.session.connection_faults import SilenceError
from webclient.protocol.transports.transport_state import TransportState
from webclient.support import background

SHOWN_AFTER = 0.5
"""Ping intervals after which a server that does not answer is shown as silent."""

GIVEN_UP_AFTER = 2.0
"""Ping intervals after which a silent server is given up."""

UNREACHABLE_AFTER = 0.3
"""Ping intervals after which a server is given up if no program listens at its address; waiting does not help there."""

REFUSAL_TIME = 0.1
"""Ping intervals that a server has to refuse the requests on their way in a session that it no longer knows."""

REFUSAL_PAUSE = 0.01
"""Seconds between two looks whether it has refused them."""


class Liveness:
    """Monitors one session.

    `interval` gives the seconds between two pings, which depend on the number of servers. `busy` says whether the
    server works for a call. `on_silence` is called with True when the server falls silent, and with False when it is
    heard again.
    """

    def __init__(
        self,
        session: ClientSession,
        transport_state: TransportState,
        *,
        interval: Callable[[], float],
        busy: Callable[[], bool],
        on_silence: Callable[[bool], None],
    ) -> None:
        self._session = session
        self._transport_state = transport_state
        self._interval = interval
        self._busy = busy
        self._on_silence = on_silence
        self._ping: asyncio.Task[None] | None = None

    async def until_gone(self) -> Exception | None:
        """Monitor until the session is lost; return the error, or None if the server does not know the session."""
        try:
            while True:
                await self._until_ping_due()
                if not await self._ping_until_heard():
                    return self._unreachable or SilenceError()
                if self._transport_state.session_unknown:
                    await self.until_refused()
                    return None
        finally:
            if self._ping is not None:
                self._ping.cancel()

    async def until_refused(self) -> None:
        """Wait briefly for requests in an unknown session: once refused, they are sent in the next session."""
        until = monotonic() + self._transport_state.patience / SHOWN_AFTER * REFUSAL_TIME
        while self._busy() and monotonic() < until:  # noqa: ASYNC110  (there is no event for it)
            await asyncio.sleep(REFUSAL_PAUSE)

    async def _until_ping_due(self) -> None:
        """Wait until something broke, or the server was not heard for an interval."""
        while True:
            seconds = self._interval() * uniform(0.9, 1.1)  # noqa: S311  (spreads the pings of a thousand servers)
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._transport_state.needs_ping.wait()
                    return
            if monotonic() - self._transport_state.heard_at >= seconds:
                return

    async def _ping_until_heard(self) -> bool:
        """Ping until the server is heard; return False when it is time to give up."""
        since = monotonic()
        while not await self._is_heard():
            self._on_silence(True)
            silent = monotonic() - since
            if silent >= self._limit() and not (self._busy() and self._transport_state.open):
                return False
            await asyncio.sleep(self._transport_state.patience / 5)
        self._on_silence(False)
        return True

    @property
    def _unreachable(self) -> Exception | None:
        # A connection that times out counts as silence: the machine of the server may be too busy.
        error = self._transport_state.error
        return None if isinstance(error, httpx2.TimeoutException) else error

    def _limit(self) -> float:
        intervals = UNREACHABLE_AFTER if self._unreachable else GIVEN_UP_AFTER
        return self._transport_state.patience / SHOWN_AFTER * intervals

    async def _is_heard(self) -> bool:
        pinged_at = monotonic()
        self._transport_state.needs_ping.clear()
        # One ping at a time: over stdio it stays in the pipe until the server reads it.
        if self._ping is None or self._ping.done():
            self._ping = background.start(self._send_ping(), name="ping")
        await asyncio.wait([self._ping], timeout=self._transport_state.patience)
        return self._transport_state.heard_at >= pinged_at

    async def _send_ping(self) -> None:
        version = self._session.protocol_version or ""
        try:
            if version in MODERN_PROTOCOL_VERSIONS:
                await failing(self._session.send_discover(version))
            else:
                await failing(self._session.send_ping())
        except MCPError as error:
            self._transport_state.session_unknown = is_session_unknown(error)
