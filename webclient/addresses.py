"""What counts as the address of a server on the web."""

from __future__ import annotations

from urllib.parse import urlsplit


def is_web_address(url: str) -> bool:
    """Whether `url` is an absolute http or https URL with a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
