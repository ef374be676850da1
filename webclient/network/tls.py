"""TLS of every outgoing connection: the authorities that it trusts, and no socket that a cancelled handshake leaves.

Trusted are the system's certificate authorities, and a company's own beside them.
"""

from __future__ import annotations

import ssl
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import anyio
import httpcore2
import httpx2
from httpcore2._backends.anyio import AnyIOStream

from webclient.settings import read_authorities

_start_tls = AnyIOStream.start_tls

assert list(signature(_start_tls).parameters) == ["self", "ssl_context", "server_hostname", "timeout"], (  # noqa: S101
    "This httpcore2 has another AnyIOStream.start_tls than version 2.16. Look whether it closes the socket of a "
    "handshake that is cancelled: then remove the replacement below, or else adapt it."
)


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
