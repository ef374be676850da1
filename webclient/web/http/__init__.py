"""The floor of pages and API: security checks, errors, dependencies of a route, templates, event streams, static files.

Promises: every request passes `middleware` before a route sees it; every error becomes a page or a problem document;
every value in a template is escaped; a stream ends when its principal is signed out. Knows no page and no resource.
"""

from __future__ import annotations

from webclient.web.http.advance import ADVANCE_CHOICES, SUGGEST, advance_cookie, advance_of
from webclient.web.http.argument_rows import in_one_line, shows_whole
from webclient.web.http.assets import Assets, element
from webclient.web.http.base_path import based, own_page
from webclient.web.http.context import (
    ConfigurationDep,
    HostSessionsDep,
    IdentityDep,
    MayAddServers,
    PlaceDep,
    PrincipalDep,
    ServicesDep,
    TraceDep,
    check_may_add_servers,
    problems,
)
from webclient.web.http.errors import install_errors
from webclient.web.http.filters import named, shown
from webclient.web.http.flash import Undo, redirect
from webclient.web.http.htmx import NO_SWAP, TARGET, at_address, is_htmx, replaces_page, shown_path
from webclient.web.http.language import TimeZoneDep, language_cookie, time_zone
from webclient.web.http.security import RouteScopes, asserted_headers, middleware, place_of
from webclient.web.http.served_requests import Observer, ServedRequest, log_request
from webclient.web.http.streaming import ALIVE, PING, Batch, EventStream, StreamClient, StreamClientDep, batches
from webclient.web.http.subjects import (
    AccountDep,
    AdminDep,
    CallDep,
    ChangeableAccountDep,
    RequestDep,
    ServerDep,
    read_history_cursor,
)
from webclient.web.http.templating import (
    environment,
    render,
    render_in_steps,
    render_shared,
    render_text,
    render_text_in_steps,
)
from webclient.web.http.theme import THEMES, theme_cookie

__all__ = [
    "ADVANCE_CHOICES",
    "ALIVE",
    "NO_SWAP",
    "PING",
    "SUGGEST",
    "TARGET",
    "THEMES",
    "AccountDep",
    "AdminDep",
    "Assets",
    "Batch",
    "CallDep",
    "ChangeableAccountDep",
    "ConfigurationDep",
    "EventStream",
    "HostSessionsDep",
    "IdentityDep",
    "MayAddServers",
    "Observer",
    "PlaceDep",
    "PrincipalDep",
    "RequestDep",
    "RouteScopes",
    "ServedRequest",
    "ServerDep",
    "ServicesDep",
    "StreamClient",
    "StreamClientDep",
    "TimeZoneDep",
    "TraceDep",
    "Undo",
    "advance_cookie",
    "advance_of",
    "asserted_headers",
    "at_address",
    "based",
    "batches",
    "check_may_add_servers",
    "element",
    "environment",
    "in_one_line",
    "install_errors",
    "is_htmx",
    "language_cookie",
    "log_request",
    "middleware",
    "named",
    "own_page",
    "place_of",
    "problems",
    "read_history_cursor",
    "redirect",
    "render",
    "render_in_steps",
    "render_shared",
    "render_text",
    "render_text_in_steps",
    "replaces_page",
    "shown",
    "shown_path",
    "shows_whole",
    "theme_cookie",
    "time_zone",
]
