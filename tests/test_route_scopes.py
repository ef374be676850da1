"""Which scope each route needs: every route has an entry, and a token reaches no more than its scopes allow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.routing import iter_route_contexts
from starlette.testclient import TestClient

from webclient.auth import Principal, PrincipalKind, Scope
from webclient.runtime.app import create_app
from webclient.settings import load_settings
from webclient.web.http import RouteScopes
from webclient.web.http.security.auth import OPEN, OPEN_BELOW
from webclient.web.route_scopes import ROUTE_SCOPES

OPEN_MOUNTS = {"/static"}
"""Mounted folders that have no principal, so that no scope is asked for."""

LOCAL = "a token that only the person has"


def routes(folder: Path) -> set[str]:
    """Return every route that needs a principal, as the app has them."""
    app = create_app(load_settings(data_dir=folder), guided=True)
    return {
        f"{method} {context.path}"
        for context in iter_route_contexts(app.routes)
        for method in set(context.methods or ()) - {"HEAD"}
        if context.path not in OPEN | OPEN_MOUNTS and not (context.path or "").startswith(OPEN_BELOW)
    }


def only(scope: Scope) -> frozenset[Scope]:
    """Return a set of one scope."""
    return frozenset({scope})


def a_program(*scopes: Scope) -> Principal:
    """Return a program with these scopes."""
    return Principal(user_id="local", kind=PrincipalKind.PROGRAM, scopes=frozenset(scopes), way="token")


def test_every_route_has_an_entry_and_every_entry_a_route(tmp_path: Path) -> None:
    assert set(ROUTE_SCOPES.routes) == routes(tmp_path)


def test_a_route_without_an_entry_is_for_administrators() -> None:
    table = RouteScopes({"GET /known": only(Scope.READ)})
    assert table.missing("GET", "/new", a_program(Scope.ASK, Scope.READ, Scope.ANSWER)) == only(Scope.ADMIN)
    assert table.missing("POST", "/known", a_program(Scope.READ)) == only(Scope.ADMIN)
    assert table.missing("HEAD", "/known", a_program(Scope.READ)) is None
    assert table.missing("GET", "/new", a_program(Scope.ADMIN)) is None


def test_a_path_of_two_entries_needs_a_scope_of_each() -> None:
    table = RouteScopes({"GET /a/{b}": only(Scope.READ), "GET /a/special": only(Scope.ANSWER)})
    assert table.missing("GET", "/a/special", a_program(Scope.READ)) == only(Scope.ANSWER)
    assert table.missing("GET", "/a/special", a_program(Scope.READ, Scope.ANSWER)) is None


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    settings = load_settings(token=LOCAL, port=8765, data_dir=tmp_path)
    with TestClient(create_app(settings, guided=True), base_url="http://127.0.0.1:8765") as client:
        yield client


def bearer(client: TestClient, *scopes: str) -> dict[str, str]:
    """Return the header of a new token with these scopes."""
    body = {"label": "program", "scopes": list(scopes)}
    made = client.post("/api/v1/tokens", json=body, headers={"Authorization": f"Bearer {LOCAL}"})
    assert made.status_code == 201, made.text
    return {"Authorization": f"Bearer {made.json()['secret']}"}


@pytest.mark.parametrize("scope", ["ask", "read", "answer", "gateway"])
def test_a_scope_reaches_its_routes_and_is_refused_elsewhere(client: TestClient, scope: str) -> None:
    headers = bearer(client, scope)
    wrong = {}
    for route, wanted in ROUTE_SCOPES.routes.items():
        method, path = route.split(" ")
        if path.endswith(("/stream", "/events", "/stop")) or path in ("/stream", "/logout"):
            continue  # Streams do not end; what they need is in the table as well.
        address = re.sub(r"{[^}]*}", "nothing", path)
        response = client.request(method, address, headers=headers, follow_redirects=False)
        if (response.status_code == 403) != (scope not in wanted):
            wrong[route] = response.status_code
    assert wrong == {}


def test_an_administrator_is_refused_nothing_by_scope(client: TestClient) -> None:
    headers = bearer(client, "admin")
    assert client.get("/api/v1/tokens", headers=headers).status_code == 200
    assert client.get("/tokens", headers=headers).status_code == 200


def test_a_refusal_names_the_scope(client: TestClient) -> None:
    refused = client.get("/api/v1/requests", headers=bearer(client, "ask"))
    assert refused.status_code == 403
    assert 'error="insufficient_scope"' in refused.headers["www-authenticate"]
    assert "read" in refused.json()["detail"]


def test_a_person_does_everything_with_what_is_theirs() -> None:
    table = RouteScopes({"POST /calls": only(Scope.ADMIN)})
    scopes = frozenset(Scope) - {Scope.ADMIN}
    person = Principal(user_id="ada", kind=PrincipalKind.USER, scopes=scopes, way="oidc")
    assert table.missing("POST", "/calls", person) is None
    in_frame = Principal(user_id="ada", kind=PrincipalKind.USER, scopes=only(Scope.READ), way="host")
    assert table.missing("POST", "/calls", in_frame) == only(Scope.ADMIN)
