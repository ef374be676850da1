"""Lets a principal use only the routes for which it has a scope; a route without an entry is for administrators."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.routing import compile_path
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as ASGIScope

from webclient.auth import Principal, PrincipalKind, Scope
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import one_of

_ALL_OWN = frozenset(Scope) - {Scope.ADMIN}


class RouteScopes:
    """The scopes of each route, as "METHOD /path" with its parameters: one of them is enough."""

    def __init__(self, routes: Mapping[str, frozenset[Scope]]) -> None:
        self.routes = routes
        self._by_method: defaultdict[str, list[tuple[re.Pattern[str], frozenset[Scope]]]] = defaultdict(list)
        for route, scopes in routes.items():
            method, path = route.split(" ")
            self._by_method[method].append((compile_path(path)[0], scopes))

    def missing(self, method: str, path: str, principal: Principal) -> frozenset[Scope] | None:
        """Return the scopes of which the principal needs one for this request; None if it has one."""
        # A person who is signed in whole does anything with what is theirs, and programs only what they have a scope
        # for. What is for administrators among people asks for the role, at its own place.
        if Scope.ADMIN in principal.scopes or (principal.kind is PrincipalKind.USER and principal.scopes >= _ALL_OWN):
            return None
        if principal.embedding is not None:
            # A session in a frame was limited to its own list of routes (`embedded.py`) when it was identified.
            return None
        wanted = [
            scopes for pattern, scopes in self._by_method["GET" if method == "HEAD" else method] if pattern.match(path)
        ]
        # Safe whichever route is taken: a path that suits several entries needs a scope of each, and one that suits
        # none is for administrators.
        if not wanted:
            return frozenset({Scope.ADMIN})
        return next((scopes for scopes in wanted if not scopes & principal.scopes), None)


class ScopeCheck:
    """Refuses with 403 what the scopes of the principal do not cover (RFC 6750 section 3.1)."""

    def __init__(self, app: ASGIApp, route_scopes: RouteScopes) -> None:
        self.app = app
        self.route_scopes = route_scopes

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            # Absent for the few paths that are open to everyone.
            principal: Principal | None = getattr(HTTPConnection(scope).state, "principal", None)
            if principal and (missing := self.route_scopes.missing(scope["method"], scope["path"], principal)):
                raise _refusal(missing)
        await self.app(scope, receive, send)


def _refusal(missing: frozenset[Scope]) -> HTTPException:
    names = sorted(missing | {Scope.ADMIN})
    detail = _("This needs a token with the scope {scopes}.").format(scopes=one_of(names))
    return HTTPException(403, detail, {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{names[0]}"'})
