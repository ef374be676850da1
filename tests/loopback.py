"""The TLS context that HTTP clients of the tests share: loading the certificate authorities takes 40 ms each time.

Tests speak plain HTTP on the loopback, but a client has a context all the same.
"""

from __future__ import annotations

from functools import cache
from ssl import SSLContext

import httpx2


@cache
def tls() -> SSLContext:
    """Return the context."""
    return httpx2.create_ssl_context()
