"""New network connections of an HTTP client: the kernel checks a silent peer, and reads are throttled."""

from __future__ import annotations

import socket

from webclient.domain.model import Json
from webclient.protocol.transports.read_throttle import ReadThrottle, throttle_socket

_KEEP_ALIVE = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)] + [
    (socket.IPPROTO_TCP, getattr(socket, name), value)
    for name, value in (("TCP_KEEPIDLE", 15), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3))
    if hasattr(socket, name)
]
"""A peer that is gone is noticed after half a minute; the kernel of a slow one answers for it."""


async def set_up_connection(throttle: ReadThrottle, event: str, info: Json) -> None:
    """Set up a new connection; a trace function of the HTTP library, which calls it with each `event`."""
    if event == "connection.connect_tcp.complete":
        tcp_socket = info["return_value"].get_extra_info("socket")
        for level, option, value in _KEEP_ALIVE:
            tcp_socket.setsockopt(level, option, value)
    if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
        throttle_socket(info["return_value"], throttle)
