"""Pages of embedding applications that use the API themselves: only their own, only by Bearer, only the API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from tests.embedders.minting import ISSUER, ORIGIN, SECRET, minted
from webclient.domain.model import Json
from webclient.runtime.app import create_app
from webclient.settings import load_settings

OTHER = "http://localhost:3000"
"""Another origin of the same application."""

ALLOW = "access-control-allow-origin"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("headless")
    chat: Json = {"issuer": ISSUER, "secret_env": "CHAT", "may": ["inbox", "inbox:read", "ask"]}
    chat["origins"] = [ORIGIN, OTHER]
    (folder / "embedders.json").write_text(json.dumps({"chat": chat}), "utf-8")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CHAT", SECRET)
        settings = load_settings(port=8765, token="operator", data_dir=folder, embedders=folder / "embedders.json")
        with TestClient(create_app(settings), base_url="http://127.0.0.1:8765", follow_redirects=False) as client:
            yield client


def session(client: TestClient, scope: str = "inbox", **claims: Any) -> str:
    """Return the Bearer of a new session."""
    answer = client.post("/api/v1/sessions", json={"token": minted(scope=scope, **claims)})
    client.cookies.clear()
    return str(answer.json()["token"])


def from_page(client: TestClient, method: str, path: str, bearer: str = "", **options: Any) -> httpx2.Response:
    """Send a request as a browser does for a page with this `origin`."""
    headers = {"Origin": options.pop("origin", ORIGIN), "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
    headers |= ({"Authorization": f"Bearer {bearer}"} if bearer else {}) | options.pop("headers", {})
    return client.request(method, path, headers=headers, **options)


def preflight(client: TestClient, path: str, origin: str = ORIGIN, method: str = "POST") -> httpx2.Response:
    """Ask as a browser does before it sends a Bearer."""
    asking = {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": "authorization"}
    return from_page(client, "OPTIONS", path, origin=origin, headers=asking)


def test_a_page_reads_and_answers_with_its_session(client: TestClient) -> None:
    bearer = session(client, "inbox ask")
    body = {"kind": "url", "message": "Pay", "url": "https://pay.example.com/1"}
    posed = from_page(client, "POST", "/api/v1/requests", bearer, json=body)
    assert posed.status_code == 201, posed.text
    for path in ("requests", "me"):
        answer = from_page(client, "GET", f"/api/v1/{path}", bearer)
        assert (answer.status_code, answer.headers[ALLOW]) == (200, ORIGIN)
        assert "Origin" in answer.headers["vary"]
        assert "access-control-allow-credentials" not in answer.headers
    place = f"/api/v1/requests/{posed.json()['id']}"
    assert "open" not in from_page(client, "GET", place, bearer).json()
    accepted = from_page(client, "POST", f"{place}/answer", bearer, json={"action": "accept"})
    assert (accepted.status_code, accepted.json()["open"]) == (200, "https://pay.example.com/1")
    again = from_page(client, "POST", f"{place}/answer", bearer, json={"action": "accept"})
    assert (again.status_code, again.headers[ALLOW], "open" in again.json()) == (409, ORIGIN, False)
    assert "open" not in from_page(client, "GET", place, bearer).json()


def test_a_preflight_is_answered_for_origins_of_embedders(client: TestClient) -> None:
    for origin in (ORIGIN, OTHER):
        answer = preflight(client, "/api/v1/events", origin, "GET")
        assert (answer.status_code, answer.headers[ALLOW]) == (204, origin)
        assert answer.headers["access-control-allow-headers"] == "authorization, content-type, last-event-id"
        assert answer.headers["access-control-max-age"] == "600"
        assert "Origin" in answer.headers["vary"]
        assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(
    ("path", "origin"),
    [
        ("/api/v1/requests", "https://evil.example"),
        ("/api/v1/requests", f"{ORIGIN}.evil.example"),
        ("/api/v1/requests", "null"),
        ("/panel/chat", ORIGIN),
        ("/stream", ORIGIN),
        ("/requests/1", ORIGIN),
        ("/login", ORIGIN),
    ],
)
def test_no_other_preflight_is_answered(client: TestClient, path: str, origin: str) -> None:
    answer = preflight(client, path, origin)
    assert answer.status_code >= 400
    assert ALLOW not in answer.headers


@pytest.mark.parametrize("origin", ["https://evil.example", OTHER, "null"])
def test_a_session_is_for_the_origin_of_its_token(client: TestClient, origin: str) -> None:
    bearer = session(client)
    for method, path, body in (
        ("GET", "/api/v1/requests", None),
        ("GET", "/api/v1/events", None),
        ("POST", "/api/v1/requests/1/answer", {"action": "decline"}),
    ):
        answer = from_page(client, method, path, bearer, origin=origin, json=body)
        assert (answer.status_code, ALLOW in answer.headers) == (403, False), path


def test_a_cookie_never_authorizes_another_site(client: TestClient) -> None:
    started = client.post("/api/v1/sessions", json={"token": minted()})
    client.cookies.clear()
    cookie = started.headers["set-cookie"].partition(";")[0]
    for method, path in (("GET", "/api/v1/requests"), ("POST", "/api/v1/requests/1/answer")):
        answer = from_page(client, method, path, headers={"Cookie": cookie}, json={"action": "decline"})
        assert (answer.status_code, ALLOW in answer.headers) == (403, False)


def test_pages_stay_closed_to_a_headless_host(client: TestClient) -> None:
    bearer = session(client)
    for path in ("/panel/chat", "/stream?page=embed", "/requests/1"):
        answer = from_page(client, "GET", path, bearer)
        assert (answer.status_code, ALLOW in answer.headers) == (403, False), path
    # A session has begun in the backend of the application; its page has no token to exchange.
    exchanged = from_page(client, "POST", "/api/v1/sessions", json={"token": minted()})
    assert (exchanged.status_code, ALLOW in exchanged.headers) == (403, False)


@pytest.mark.parametrize("bearer", ["operator", "embed-unknown", ""])
def test_other_credentials_give_no_access(client: TestClient, bearer: str) -> None:
    answer = from_page(client, "GET", "/api/v1/requests", bearer)
    # The page may read that its session has ended, because it has to get another one.
    assert (answer.status_code, ALLOW in answer.headers) == ((403, False) if bearer == "operator" else (401, True))
    assert (
        from_page(client, "GET", "/api/v1/requests", bearer, origin="https://evil.example").headers.get(ALLOW) is None
    )


def test_a_session_to_read_answers_nothing(client: TestClient) -> None:
    bearer = session(client, "inbox:read")
    assert from_page(client, "GET", "/api/v1/requests", bearer).status_code == 200
    answer = from_page(client, "POST", "/api/v1/requests/1/answer", bearer, json={"action": "decline"})
    assert (answer.status_code, answer.headers[ALLOW]) == (403, ORIGIN)


def test_a_headless_host_sends_json_alone(client: TestClient) -> None:
    answer = from_page(client, "POST", "/api/v1/requests/1/answer", session(client), content=b"action=decline")
    assert answer.status_code in (403, 415)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = from_page(client, "POST", "/api/v1/requests/1/answer", session(client), content=b"a=b", headers=form)
    assert answer.status_code == 415
