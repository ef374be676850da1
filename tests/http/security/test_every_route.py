"""The whole app, route by route: each is closed to strangers and to other sites, and each answer is guarded.

The routes are taken from the app as it is, so one that is added tomorrow is checked tomorrow.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.routing import Mount
from starlette.testclient import TestClient

from webclient.runtime.app import create_app
from webclient.settings import load_settings

TOKEN = "a token that only the person has"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
OPEN = {"/login", "/language", "/healthz", "/static/x", "/oauth/callback", "/oauth/client.json", "/oauth/result/x"} | {
    "/readyz",
    "/theme",
    "/api/v1/sessions",
    "/api/v1/embed/sessions",
    "/service-worker.js",
    "/embed/v1.js",
    "/embed/x",
    "/embed/x/tab",
    "/embed/sign-ins/x",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource/mcp/x",
}
"""The paths that need no credential. Repeated here, because opening another path is a decision."""

SHARED = {"/embed/v1.js", "/embed/x"}
"""The paths that pages of other sites may read."""

DOCUMENT = Path(__file__).parents[3] / "SECURITY.md"

SAFE = {"GET", "HEAD", "OPTIONS"}


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    """Return the app as it is served, not started: the checks come before any work."""
    return create_app(load_settings(token=TOKEN, data_dir=tmp_path))


def client_of(app: FastAPI, headers: dict[str, str] | None = None) -> TestClient:
    """Return a client of the app that follows nothing by itself."""
    return TestClient(app, base_url="http://127.0.0.1:8765", headers=headers, follow_redirects=False)


def requests_of(app: FastAPI) -> list[tuple[str, str]]:
    """Return a method and a path for each method of each route."""
    found = []
    for context in iter_route_contexts(app.routes):
        path = re.sub(r"{[^}]*}", "x", context.path or "")
        if isinstance(context.route, Mount):
            path += "/x"
        found += [(method, path) for method in sorted(context.methods or {"GET"})]
    return found


def test_the_document_names_each_path_that_other_sites_may_read() -> None:
    [row] = [line for line in DOCUMENT.read_text("utf-8").splitlines() if "CORS" in line]
    assert [path for path in SHARED if not (path.startswith("/embed/") and "`/embed/`" in row)] == []


def test_the_routes_are_found(app: FastAPI) -> None:
    found = requests_of(app)
    assert {("GET", "/login"), ("POST", "/logout"), ("GET", "/static/x"), ("GET", "/healthz")} <= set(found)
    assert {("POST", "/api/v1/requests/x/answer"), ("GET", "/api/v1/events"), ("GET", "/")} <= set(found)


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_every_route_is_closed_to_a_signed_out_client(app: FastAPI, accept: str) -> None:
    client = client_of(app, {"Accept": accept, "Sec-Fetch-Site": "same-origin"})
    closed = [(method, path) for method, path in requests_of(app) if path not in OPEN]
    answers = {(method, path): client.request(method, path).status_code for method, path in closed}
    assert {request: status for request, status in answers.items() if status != 401} == {}


def test_every_change_is_closed_to_other_sites(app: FastAPI) -> None:
    client = client_of(app, BEARER | {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"})
    changes = [(method, path) for method, path in requests_of(app) if method not in SAFE]
    answers = {(method, path): client.request(method, path).status_code for method, path in changes}
    assert {request: status for request, status in answers.items() if status != 403} == {}


def test_no_route_can_be_read_by_other_sites(app: FastAPI) -> None:
    client = client_of(app, BEARER | {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"})
    reads = [(method, path) for method, path in requests_of(app) if method in SAFE and path not in SHARED]
    answers = {(method, path): client.request(method, path).status_code for method, path in reads}
    assert {request: status for request, status in answers.items() if status != 403} == {}


def test_no_change_takes_a_body_that_is_neither_form_nor_json(app: FastAPI) -> None:
    client = client_of(app, BEARER | {"Content-Type": "text/plain"})
    changes = [(method, path) for method, path in requests_of(app) if method not in SAFE]
    answers = {(method, path): client.request(method, path, content="{}").status_code for method, path in changes}
    assert {request: status for request, status in answers.items() if status != 415} == {}


def test_every_response_has_the_security_headers(app: FastAPI) -> None:
    client = client_of(app)
    for method, path in [*requests_of(app), ("GET", "/nowhere"), ("DELETE", "/login")]:
        headers = client.request(method, path).headers
        assert "default-src 'none'" in headers["content-security-policy"], path
        assert "frame-ancestors 'none'" in headers["content-security-policy"], path
        assert headers["x-content-type-options"] == "nosniff", path
        assert ("access-control-allow-origin" in headers) == (path in SHARED and method == "GET"), path


def test_no_route_answers_to_a_name_that_is_not_ours(app: FastAPI) -> None:
    client = client_of(app, BEARER | {"Host": "evil.example"})
    answers = {(method, path): client.request(method, path).status_code for method, path in requests_of(app)}
    assert {request: status for request, status in answers.items() if status != 400} == {}
