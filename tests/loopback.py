"""HTTP clients of the tests share a TLS context, and patience with a busy machine.

Tests speak plain HTTP on the loopback, but a client has a context all the same.
"""

from __future__ import annotations

from functools import cache
from ssl import SSLContext
from typing import Any

import httpx2


@cache
def tls() -> SSLContext:
    """Return the context: loading the certificate authorities takes 40 ms each time."""
    return httpx2.create_ssl_context()


def local() -> dict[str, Any]:
    """Return options for a request to this machine; the 5 s that HTTPX waits by itself are too few when it is busy."""
    return {"verify": tls(), "timeout": 120}
