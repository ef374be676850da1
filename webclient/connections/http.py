"""The HTTP client of a connection: one for each, all sharing one TLS context, and none with a read timeout.

The TLS context is nearly all of a client's memory (854 kB of it). A read timeout would end a call while a person
thinks, because nothing needs to travel then.
"""

from __future__ import annotations

from functools import cache
from ssl import SSLContext
from typing import Any

import httpx2

TIMEOUT = httpx2.Timeout(30, read=None)
"""Seconds for connecting, sending and getting a free connection; none for reading."""


@cache
def _tls() -> SSLContext:
    return httpx2.create_ssl_context()


def http_client(
    headers: dict[str, Any] | None = None,
    timeout: httpx2.Timeout | None = None,  # noqa: ARG001  (the SDK's factory signature; ours is fixed)
    auth: httpx2.Auth | None = None,
) -> httpx2.AsyncClient:
    """Return a client for one connection. Fits the SDK's `McpHttpClientFactory`."""
    return httpx2.AsyncClient(headers=headers, timeout=TIMEOUT, auth=auth, verify=_tls())
