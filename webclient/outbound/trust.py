"""The certificate authorities that every outgoing connection trusts: the system's, and a company's own beside them."""

from __future__ import annotations

import ssl
from functools import cache
from pathlib import Path

import httpx2

from webclient.setting_rules import read_authorities


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
