"""The routes for a session in another application's frame: those of the inbox and its answers.

A list of open routes rather than of closed ones: a route that is added tomorrow is not reached from a frame.
"""

from __future__ import annotations

import re
from collections.abc import Set

_READING = frozenset({"GET", "HEAD"})

_ID = r"[A-Za-z0-9_-]+"
_API_READ = rf"me|events|requests(/{_ID})?|calls/{_ID}|openapi\.json"
_CATALOG = "tools|prompts|resources|resource-templates"

_ROUTES = {
    "inbox:read": {"GET": re.compile(rf"/panel/.+|/stream|/requests/{_ID}(/.+)?|/api/v1/({_API_READ})")},
    "inbox": {
        "POST": re.compile(
            rf"/panel/.+|/visible|/requests/{_ID}(/.+)?|/api/v1/requests/{_ID}/(answer|finished|give-up|more-time|reopen)"
        ),
    },
    "ask": {
        "GET": re.compile(rf"/api/v1/(me|requests/{_ID}(/content)?)"),
        "POST": re.compile(rf"/api/v1/requests(/{_ID}/withdraw)?"),
    },
    "calls": {
        "GET": re.compile(rf"/api/v1/(me|servers(/{_ID}(/({_CATALOG}))?)?|calls(/{_ID})?)"),
        "POST": re.compile(rf"/api/v1/calls(/{_ID}/(cancel|retry))?"),
    },
}
_ROUTES["inbox"] |= _ROUTES["inbox:read"]


def is_within(granted: Set[str], method: str, path: str) -> bool:
    """Return whether the scopes that an embedding application gave open this route."""
    wanted = "GET" if method in _READING else method
    routes = (_ROUTES[scope].get(wanted) for scope in granted if scope in _ROUTES)
    return any(route is not None and route.fullmatch(path) for route in routes)
