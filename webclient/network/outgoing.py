"""TLS and sockets of all outgoing connections: trusted authorities, and an end of each handshake that is cancelled.

Trusted are the system's certificate authorities, and a company's own beside them. No other module uses inner parts of
httpx2 and httpcore2, which are released together.
"""

from __future__ import annotations

import ssl
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import httpcore2
import httpx2
from httpcore2._backends.anyio import AnyIOStream

from webclient.settings import read_authorities
from webclient.support.library_parts import expect

WRITTEN_FOR = {"httpx2": "2.16", "httpcore2": "2.16"}
"""The versions whose inner parts are used here."""

RELIED_ON = (
    "network/outgoing.py: does AnyIOStream.start_tls close the socket of a handshake that is cancelled?",
    "network/checked_transport.py: AsyncHTTPTransport sends over `_pool`, and AsyncConnectionPool over our backend",
)
"""Behaviour that httpx2 and httpcore2 do not promise, by the file that relies on it."""

_start_tls = AnyIOStream.start_tls
expect(_start_tls, "self ssl_context server_hostname timeout")
expect(httpx2.AsyncHTTPTransport.handle_async_request, "self request", "_pool")
expect(httpx2.AsyncHTTPTransport.aclose, "self", "_pool")


@cache
def tls_context(ca_file: Path | None = None) -> ssl.SSLContext:
    """Return the TLS context that trusts the system's authorities, and those in `ca_file`.

    It is made once, when it is first needed: that takes 40 ms and 850 kB.
    """
    context = httpx2.create_ssl_context()
    if ca_file is not None:
        context.load_verify_locations(cadata=read_authorities(ca_file))
        # The file may lack the authority that has signed the one in it. From Python 3.13 on this is the default.
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context


def use_pool(transport: httpx2.AsyncHTTPTransport, pool: httpcore2.AsyncConnectionPool) -> None:
    """Have a transport send over `pool`; httpx2 has no option for the backend of connections."""
    transport._pool = pool


async def _start_tls_or_close(stream: AnyIOStream, *given: Any, **options: Any) -> httpcore2.AsyncNetworkStream:
    try:
        return await _start_tls(stream, *given, **options)
    except BaseException:
        with anyio.CancelScope(shield=True):
            await stream.aclose()
        raise


# httpcore2 closes the socket if the handshake fails, and not if it is cancelled: then it stays open until the server
# hangs up, or the garbage collector finds it. The method of its class is replaced, because no other place has the
# connections of all clients, also those through a proxy and those of the SDK. Closing twice does no harm.
AnyIOStream.start_tls = _start_tls_or_close  # type: ignore[assignment, method-assign]
