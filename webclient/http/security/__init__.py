"""What every request must pass and every response carries; reading `middleware` is reading the policy."""

from __future__ import annotations

from starlette.middleware import Middleware

from webclient.http.errors import ErrorResponses
from webclient.http.security.auth import Authentication, Sessions
from webclient.http.security.headers import SecurityHeaders
from webclient.http.security.host import HostCheck
from webclient.http.security.limits import BodyLimit
from webclient.http.security.origin import OriginCheck
from webclient.settings import Settings

__all__ = ["Sessions", "middleware"]


def middleware(settings: Settings, sessions: Sessions) -> list[Middleware]:
    """Return the checks in the order in which a request meets them."""
    return [
        Middleware(SecurityHeaders, embed_origins=settings.embed_origins, named=bool(settings.allowed_hosts)),
        Middleware(ErrorResponses),
        Middleware(HostCheck, allowed_hosts=settings.allowed_hosts),
        Middleware(Authentication, settings=settings, sessions=sessions),
        Middleware(OriginCheck),
        Middleware(BodyLimit, max_bytes=settings.max_body_bytes),
    ]
