"""A request without a valid credential is refused with a sentence on how to sign in."""

from __future__ import annotations

import pytest
from starlette.websockets import WebSocket, WebSocketDisconnect

from tests.http.small_app import BEARER, HTML, TOKEN, MemorySessions, client_of, make_app, signed_in
from tests.tables import each_row


@pytest.mark.parametrize("path", ["/page", "/", "/nowhere", "/api/v1/servers", "/login/", "/staticx", "/events"])
def test_without_credentials_every_path_is_closed(path: str) -> None:
    response = client_of(make_app()).get(path)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(("path", "status"), [("/login", 200), ("/healthz", 200), ("/static/none", 404)])
def test_routes_without_user_data_need_no_sign_in(path: str, status: int) -> None:
    assert client_of(make_app()).get(path).status_code == status


@pytest.mark.parametrize("path", ["/static/../page", "/static/%2e%2e/page", "/static/..%2fpage", "//page"])
def test_an_open_folder_leads_nowhere_else(path: str) -> None:
    response = client_of(make_app()).get(path)
    assert response.status_code in {401, 404}
    assert "page" not in response.text.replace(path, "")


@pytest.mark.parametrize("header", [f"Bearer {TOKEN}", f"bearer {TOKEN}", f"BEARER  {TOKEN}"])
def test_a_script_is_admitted_by_the_token(header: str) -> None:
    response = client_of(make_app()).get("/whoami", headers={"Authorization": header})
    assert response.json() == {"user_id": "local"}


@each_row(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        f"Bearer {TOKEN}x",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer,{TOKEN}",
        "Bearer ü",
    ],
)
def test_any_other_authorization_is_refused(header: str) -> None:
    headers = {b"Authorization": header.encode()}
    assert client_of(make_app()).get("/whoami", headers=headers).status_code == 401


def test_a_browser_is_admitted_until_its_session_ends() -> None:
    sessions = MemorySessions()
    client = signed_in(make_app(sessions), sessions)
    assert client.get("/whoami").json() == {"user_id": "local"}
    sessions.users.clear()
    assert client.get("/whoami").status_code == 401


def test_a_wrong_token_is_not_helped_by_a_session() -> None:
    sessions = MemorySessions()
    client = signed_in(make_app(sessions), sessions)
    assert client.get("/whoami", headers={"Authorization": "Bearer wrong"}).status_code == 401


@pytest.mark.parametrize(
    "cookie", ["webclient-8765=", f"webclient-8765={TOKEN}", "webclient-1=session", "webclient=session"]
)
def test_a_cookie_of_another_port_is_refused(cookie: str) -> None:
    sessions = MemorySessions()
    sessions.users["session"] = "local"
    assert client_of(make_app(sessions)).get("/whoami", headers={"Cookie": cookie}).status_code == 401


def test_the_token_in_the_address_opens_nothing_but_the_sign_in() -> None:
    assert client_of(make_app()).get("/whoami", params={"token": TOKEN}).status_code == 401


def test_a_browser_learns_how_to_sign_in() -> None:
    response = client_of(make_app(), HTML).get("/page")
    assert response.status_code == 401
    assert "text/html" in response.headers["content-type"]
    assert "Ready:" in response.text
    assert 'href="/login?next=/page"' in response.text


def test_an_htmx_page_stays_with_its_typed_text() -> None:
    response = client_of(make_app(), HTML | {"HX-Request": "true"}).get("/page")
    assert response.status_code == 401
    assert "hx-refresh" not in response.headers
    assert response.headers["www-authenticate"] == "Bearer"


def test_a_script_gets_the_refusal_as_json() -> None:
    response = client_of(make_app()).get("/page")
    assert response.headers["content-type"] == "application/problem+json"
    assert "Bearer" in response.json()["detail"]


def test_every_websocket_is_refused() -> None:
    app = make_app()

    @app.websocket("/talk")
    async def talk(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.close()

    with pytest.raises(WebSocketDisconnect), client_of(app, BEARER).websocket_connect("/talk"):
        pass
