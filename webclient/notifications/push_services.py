"""The push services of browsers: a browser names its own, and a page could name any address in its place."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from webclient.network import NotHttpsError, check_url

KNOWN = ("fcm.googleapis.com", "push.services.mozilla.com", "push.apple.com", "notify.windows.com")
"""The hosts of the push services of Chromium, Firefox, Safari and Edge; names below them count as well."""

_HTTPS = (None, 443)


def is_push_service(endpoint: str, more: Iterable[str] = ()) -> bool:
    """Return whether an address is at a known push service, or one of `more`."""
    try:
        check_url(endpoint)
        parts = urlsplit(endpoint)
        host, port = (parts.hostname or "").lower(), parts.port
    except (NotHttpsError, ValueError):
        return False
    # Safe: with the dot, evil-push.apple.com is not below push.apple.com.
    known = port in _HTTPS and any(host == each or host.endswith(f".{each}") for each in KNOWN)
    return known or host in more
