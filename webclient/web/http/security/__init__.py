"""The checks that every request must pass, and the headers of every response; `middleware` reads as the policy."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.middleware import Middleware

from webclient.auth import ASSERTION_HEADERS, Identity, Refusals
from webclient.domain.model import Acts
from webclient.settings import Settings
from webclient.web.http.base_path import BasePath
from webclient.web.http.errors import ErrorResponses
from webclient.web.http.language import Languages
from webclient.web.http.security.audited import Audited, NameSession
from webclient.web.http.security.auth import Arrivals, Arrived, Authentication, LabelOf
from webclient.web.http.security.headers import SecurityHeaders
from webclient.web.http.security.headless import HeadlessHosts, Origins
from webclient.web.http.security.host import HostCheck
from webclient.web.http.security.limits import BodyLimit
from webclient.web.http.security.lines import InFlight, Place, place_of
from webclient.web.http.security.origin import OriginCheck
from webclient.web.http.security.proxies import TrustedProxies
from webclient.web.http.security.scopes import RouteScopes, ScopeCheck
from webclient.web.http.served_requests import Observer, ServedRequests
from webclient.web.http.server_rights import ServerRights

__all__ = ["Place", "RouteScopes", "asserted_headers", "middleware", "place_of"]


def middleware(
    settings: Settings,
    identity: Identity,
    route_scopes: RouteScopes,
    arrived: Arrived | None = None,
    observers: Sequence[Observer] = (),
    *,
    before: Sequence[Middleware] = (),
    after: Sequence[Middleware] = (),
    hosts: Origins | None = None,
    label_of: LabelOf = lambda _name: None,
    refusals: Refusals | None = None,
    name_session: NameSession = lambda _principal: "",
) -> list[Middleware]:
    """Return the checks in the order in which a request meets them.

    `arrived` gets each user who passes, and `observers` each served request. What is `before` the checks may know the
    sender already, and what is `after` them may handle the request elsewhere. Pages with an origin in `hosts` may use
    the API with a session of theirs, and `label_of` names their applications. `refusals` are audited, and so is what
    users do, in sessions that `name_session` names.
    """
    audited = [Middleware(Audited, name_session=name_session, acts=Acts())] if settings.has_users else []
    return [
        *([Middleware(BasePath, path=settings.base_path)] if settings.base_path else []),
        *([Middleware(ServedRequests, observers=observers)] if observers else []),
        Middleware(SecurityHeaders, embed_origins=settings.embed_origins, named=bool(settings.allowed_hosts)),
        Middleware(Languages),
        Middleware(ErrorResponses),
        *before,
        Middleware(
            TrustedProxies, networks=settings.trusted_proxies, asserted=asserted_headers(settings), refusals=refusals
        ),
        Middleware(HostCheck, allowed_hosts=settings.allowed_hosts),
        *([Middleware(HeadlessHosts, origins=hosts)] if hosts else []),
        # Twice: recognising a new user is recorded as well.
        *audited,
        Middleware(Authentication, identity=identity, label_of=label_of),
        *audited,
        *([] if settings.may_add_servers else [Middleware(ServerRights)]),
        Middleware(OriginCheck),
        Middleware(ScopeCheck, route_scopes=route_scopes),
        Middleware(InFlight, most=settings.user_limits.requests, longest=settings.user_limits.line),
        Middleware(BodyLimit, max_bytes=settings.max_body_bytes),
        *([Middleware(Arrivals, arrived=arrived)] if arrived else []),
        *after,
    ]


def asserted_headers(settings: Settings) -> list[str]:
    """Return the headers that say who is signed in."""
    if settings.auth_jwt:
        return [ASSERTION_HEADERS[settings.auth_jwt]]
    return [name for name in (settings.auth_header, settings.auth_name_header, settings.auth_email_header) if name]
