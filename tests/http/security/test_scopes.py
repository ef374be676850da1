"""A program uses only routes of its scopes; a route without an entry is for administrators."""

from __future__ import annotations

import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Send
from starlette.types import Scope as ASGIScope

from tests.tables import each_row
from webclient.auth import Principal, PrincipalKind, Scope
from webclient.auth.principal import Embedding
from webclient.web.http import RouteScopes
from webclient.web.http.security.scopes import ScopeCheck

ROUTES = {
    "GET /requests": frozenset({Scope.READ, Scope.ASK}),
    "GET /requests/{id}": frozenset({Scope.READ}),
    "POST /requests/{id}": frozenset({Scope.ANSWER}),
    # Also matched by the route with an id.
    "GET /requests/all": frozenset({Scope.ASK}),
}
ALL_OWN = frozenset(Scope) - {Scope.ADMIN}
EMBEDDING = Embedding(name="chat", label="Chat", origin="https://chat.example", granted=frozenset({"inbox"}))


def principal(*scopes: Scope, kind: PrincipalKind = PrincipalKind.PROGRAM, in_frame: bool = False) -> Principal:
    """Return a principal with these scopes."""
    embedding = EMBEDDING if in_frame else None
    return Principal(user_id="ada", kind=kind, scopes=frozenset(scopes), way="token", embedding=embedding)


@each_row(
    ("who", "method", "path", "missing"),
    [
        (principal(Scope.READ), "GET", "/requests", None),
        (principal(Scope.ASK), "GET", "/requests", None),
        (principal(Scope.ANSWER), "GET", "/requests", {Scope.READ, Scope.ASK}),
        (principal(), "GET", "/requests", {Scope.READ, Scope.ASK}),
        (principal(Scope.READ), "HEAD", "/requests/r1", None),
        (principal(Scope.READ), "POST", "/requests/r1", {Scope.ANSWER}),
        (principal(Scope.ANSWER), "GET", "/requests/r1", {Scope.READ}),
        # A path that suits two entries needs a scope of each.
        (principal(Scope.READ), "GET", "/requests/all", {Scope.ASK}),
        (principal(Scope.ASK), "GET", "/requests/all", {Scope.READ}),
        (principal(Scope.READ, Scope.ASK), "GET", "/requests/all", None),
        (principal(*ALL_OWN), "GET", "/unknown", {Scope.ADMIN}),
        (principal(*ALL_OWN), "DELETE", "/requests", {Scope.ADMIN}),
        (principal(*ALL_OWN), "GET", "/requests/r1/more", {Scope.ADMIN}),
        (principal(Scope.ADMIN), "DELETE", "/unknown", None),
        (principal(*ALL_OWN, kind=PrincipalKind.USER), "DELETE", "/unknown", None),
        (principal(Scope.READ, kind=PrincipalKind.USER), "DELETE", "/unknown", {Scope.ADMIN}),
        # Limited by its own list of routes.
        (principal(Scope.READ, in_frame=True), "POST", "/requests/r1", None),
    ],
)
def test_each_route_needs_one_of_its_scopes(who: Principal, method: str, path: str, missing: set[Scope] | None) -> None:
    assert RouteScopes(ROUTES).missing(method, path, who) == missing


async def passed(kind: str, who: Principal | None) -> bool:
    """Return whether a request of this sender reaches the app."""
    reached = []

    async def app(scope: ASGIScope, _receive: Receive, _send: Send) -> None:
        reached.append(scope)

    async def receive() -> Message:
        return {}

    async def send(_message: Message) -> None:
        pass

    state = {"principal": who} if who else {}
    scope = {"type": kind, "method": "GET", "path": "/requests/r1", "headers": [], "state": state}
    await ScopeCheck(app, RouteScopes(ROUTES))(scope, receive, send)
    return bool(reached)


@pytest.mark.anyio
async def test_a_request_without_the_scope_goes_no_further() -> None:
    assert await passed("http", principal(Scope.READ))
    # Open to everyone, and what is not a request.
    assert await passed("http", None)
    assert await passed("lifespan", principal())
    with pytest.raises(HTTPException) as refused:
        await passed("http", principal(Scope.ASK))
    assert refused.value.status_code == 403
    challenge = 'Bearer error="insufficient_scope", scope="admin"'
    assert refused.value.headers == {"WWW-Authenticate": challenge}
