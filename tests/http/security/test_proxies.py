"""Behind a company's proxy: its header names the user, and the same header from anywhere else is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.tables import each_row
from webclient.runtime.app import create_app
from webclient.settings import SettingsError, load_settings

TOKEN = "a token that only the person has"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
ADA, BOB = ({"Remote-User": name} for name in ("ada", "bob"))
PROXY = ("10.1.2.3", 50000)
OTHER = ("10.9.9.9", 50000)
SETTINGS: dict[str, Any] = {
    "identity": ["proxy"],
    "auth_header": "Remote-User",
    "auth_name_header": "Remote-Name",
    "trusted_proxies": ["10.1.2.0/24"],
    "admins": ["root@corp.example"],
}


@contextmanager
def served(folder: Path, **values: Any) -> Iterator[TestClient]:
    """Serve the app to the proxy."""
    settings = load_settings(**{"token": TOKEN, "port": 8765, "data_dir": folder, **SETTINGS, **values})
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8765", client=PROXY) as client:
        yield client


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[TestClient]:
    """Return a client that comes through the proxy."""
    with served(tmp_path) as client:
        yield client


def elsewhere(proxy: TestClient) -> TestClient:
    """Return a client of the same app that comes from another address."""
    return TestClient(proxy.app, base_url=str(proxy.base_url), client=OTHER)


def test_the_header_of_the_proxy_names_the_user(proxy: TestClient) -> None:
    named = [(b"Remote-User", b"ada"), (b"Remote-Name", "Ada Löve".encode())]
    me = proxy.get("/api/v1/me", headers=named).json()
    assert (me["name"], me["role"], me["scopes"]) == ("Ada Löve", "user", ["answer", "ask", "gateway", "read"])
    assert proxy.get("/api/v1/me", headers=ADA).json()["user_id"] == me["user_id"] != "local"
    assert proxy.get("/api/v1/me", headers=BOB).json()["user_id"] != me["user_id"]
    assert proxy.get("/api/v1/me", headers={"Remote-User": "root@corp.example"}).json()["role"] == "admin"
    assert "set-cookie" not in proxy.get("/", headers=ADA).headers


@pytest.mark.parametrize("path", ["/", "/api/v1/me", "/login", "/healthz"])
@pytest.mark.slow
def test_the_header_of_any_other_peer_is_an_error(proxy: TestClient, path: str) -> None:
    client = elsewhere(proxy)
    # Also if an untrusted proxy says that a trusted one sent it.
    forwarded = {"X-Forwarded-For": PROXY[0]}
    headers = [ADA, ADA | BEARER, ADA | forwarded, {"Remote-Name": "Ada"}]
    assert [client.get(path, headers=each).status_code for each in headers] == [400] * 4
    assert client.get("/api/v1/me", headers=BEARER).status_code == 200


@pytest.mark.parametrize(
    "headers", [[("Remote-User", "ada"), ("Remote-User", "bob")], [("Remote_User", "ada")], [("remote_user", "")]]
)
def test_an_ambiguous_header_is_an_error(proxy: TestClient, headers: list[tuple[str, str]]) -> None:
    assert proxy.get("/api/v1/me", headers=headers).status_code == 400


@pytest.mark.parametrize("subject", ["", " ", "x" * 256, "a\u202eb", "\u3000ada", "ada\xa0"])
def test_a_header_that_names_no_one_signs_no_one_in(proxy: TestClient, subject: str) -> None:
    headers = [(b"Remote-User", subject.encode())]
    assert proxy.get("/api/v1/me", headers=headers).status_code == 401


def test_a_token_decides_before_the_header(proxy: TestClient) -> None:
    assert proxy.get("/api/v1/me", headers=ADA | BEARER).json()["user_id"] == "local"
    assert proxy.get("/api/v1/me", headers=ADA | {"Authorization": "Bearer wrong"}).status_code == 401


def test_the_token_signs_no_browser_in_without_the_way_local(proxy: TestClient) -> None:
    response = proxy.get("/login", params={"token": TOKEN}, headers={"Accept": "text/html"})
    assert (response.status_code, "set-cookie" in response.headers) == (403, False)
    assert 'name="token"' not in response.text


def test_a_session_of_a_way_that_was_switched_off_is_over(tmp_path: Path) -> None:
    with served(tmp_path, identity=["local", "proxy"]) as both:
        cookie = both.get("/login", params={"token": TOKEN}).cookies
        assert both.get("/api/v1/me").json()["user_id"] == "local"
    with served(tmp_path) as proxy:
        proxy.cookies = cookie
        assert proxy.get("/api/v1/me").status_code == 401
        # Nor does it shut out a person whom the proxy names.
        assert proxy.get("/api/v1/me", headers=ADA).json()["user_id"] != "local"


def test_another_site_cannot_act_with_the_proxys_header(proxy: TestClient) -> None:
    headers = ADA | {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    body = {"label": "evil", "transport": {"type": "http", "url": "https://evil.example"}}
    assert proxy.post("/api/v1/servers", headers=headers, json=body).status_code == 403


def test_signing_out_goes_on_at_the_proxy(tmp_path: Path) -> None:
    with served(tmp_path, sign_out_url="https://id.example.com/logout?a=1&b=2") as proxy:
        response = proxy.post("/logout", headers=ADA | {"Sec-Fetch-Site": "same-origin"})
        assert 'content="0;url=https://id.example.com/logout?a=1&amp;b=2"' in response.text


@each_row(
    "wrong",
    [
        {"identity": ["local"]},
        {"trusted_proxies": []},
        {"trusted_proxies": ["0.0.0.0/0"]},
        {"auth_header": None},
        {"auth_header": None, "auth_name_header": None},
        {"auth_header": "Remote_User"},
        {"identity": []},
        {"identity": ["badge"]},
        {"sign_out_url": "javascript:alert(1)"},
        {"sign_out_url": "//evil.example"},
    ],
)
def test_half_of_the_settings_for_a_proxy_is_refused(wrong: dict[str, Any]) -> None:
    load_settings(**SETTINGS)
    with pytest.raises(SettingsError):
        load_settings(**SETTINGS | wrong)
