"""Switches between the two HTTP transports for a server whose user chose none."""

from __future__ import annotations

from webclient import protocol
from webclient.protocol import Endpoint

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
