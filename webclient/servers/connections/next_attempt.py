"""The next attempt to connect a server: after which pause, and over which transport."""

from __future__ import annotations

from random import uniform
from time import monotonic

from webclient import protocol
from webclient.protocol import Endpoint

PAUSES = (0.5, 1, 2, 5, 10, 30)
"""Seconds between attempts to reconnect; the last repeats."""

TRIES = 3
"""How often a server is started that does not answer in time; a second start finds its files in the cache."""

STEADY = 30
"""Seconds after which a lost session counts as the first loss again."""


class Reconnects:
    """Counts the attempts of one connection, each from `begins` to `failed`."""

    def __init__(self) -> None:
        self._since = 0.0
        self._failed = 0
        self._losses = 0

    def begins(self) -> None:
        """Note that an attempt begins."""
        self._since = monotonic()

    def failed(self, *, timed_out: bool) -> bool:
        """Note that the attempt failed, or its session was lost; return whether to try again for that alone."""
        self._failed += 1
        self._losses = 1 if monotonic() - self._since > STEADY else self._losses + 1
        return timed_out and self._failed < TRIES

    @property
    def pause(self) -> float:
        """The seconds to wait before the next attempt."""
        # Jitter, so that not all servers are tried at the same moment.
        return PAUSES[min(self._losses, len(PAUSES)) - 1] * uniform(0.8, 1.2)  # noqa: S311


_OTHER = {"http": "sse", "sse": "http"}


class TransportFallback:
    """The choice of a transport for `endpoint`, from one attempt to the next."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._fell_back = False

    def switches(self, session: protocol.Session) -> bool:
        """Switch to the other HTTP transport, once, if the user chose none; return whether to try it now.

        A refused POST may mean that the server speaks HTTP+SSE, a refused GET that it was updated since (MCP
        2025-11-25, Transports, Backwards Compatibility).
        """
        transport = self._endpoint.transport
        if session.was_established or "detect" not in transport:
            self._fell_back = False
        elif self._fell_back or session.may_speak_other_transport:
            # After the other one failed as well, back to the first, which the next attempt begins with.
            self._endpoint.transport = {**transport, "type": _OTHER[transport["type"]]}
            self._fell_back = not self._fell_back
        return self._fell_back
