"""Whether a browser has reached this program over https, so that its cookies may stay there."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from webclient.settings import Settings


def is_over_https(connection: HTTPConnection, settings: Settings) -> bool:
    """Return whether the browser sent the request over https: its scheme says so, or its host is the public one."""
    if connection.scope.get("scheme") == "https":
        return True
    public = urlsplit(settings.public_url or "")
    # A proxy that is not named in the settings ends TLS without our knowing it; the host is that of the browser.
    return public.scheme == "https" and public.netloc == connection.headers.get("host", "").lower()
