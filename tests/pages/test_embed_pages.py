"""The pages behind <mcp-inbox>: who may frame them, what they need, and what they give away."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tests.embedders.minting import ISSUER, ORIGIN, SECRET, minted
from webclient.runtime.app import create_app
from webclient.settings import load_settings

LARGEST = 8192
"""Bytes of the module, compressed; a host loads it beside its own page."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("embedders")
    chat = {"issuer": ISSUER, "origins": [ORIGIN, "http://localhost:3000"], "secret_env": "CHAT", "may": ["inbox"]}
    chat |= {"name": "Team chat", "may": ["inbox", "embed:admin"]}
    desk = {"issuer": "desk", "origins": ["https://desk.example"], "secret_env": "CHAT", "may": ["inbox"]}
    (folder / "embedders.json").write_text(json.dumps({"chat": chat, "desk": desk}), "utf-8")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CHAT", SECRET)
        settings = load_settings(port=8765, token="operator", data_dir=folder, embedders=folder / "embedders.json")
        with TestClient(create_app(settings), base_url="http://127.0.0.1:8765", follow_redirects=False) as client:
            yield client


@pytest.fixture
def session(client: TestClient) -> dict[str, str]:
    answer = client.post("/api/v1/sessions", json={"token": minted()})
    client.cookies.clear()
    return {"Authorization": f"Bearer {answer.json()['token']}"}


def test_the_module_is_small_and_open_to_every_site(client: TestClient) -> None:
    answer = client.get("/embed/v1.js", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "*")
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert len(gzip.compress(answer.content)) < LARGEST


def test_only_the_origins_of_its_embedder_may_show_a_frame(client: TestClient) -> None:
    framing = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    answer = client.get(f"/embed/chat?host={ORIGIN}", headers=framing)
    assert answer.status_code == 200
    assert f"frame-ancestors {ORIGIN} http://localhost:3000" in answer.headers["content-security-policy"]
    assert "x-frame-options" not in answer.headers
    assert answer.headers["cross-origin-embedder-policy"] == "require-corp"
    # All other pages stay closed to frames.
    assert "frame-ancestors 'none'" in client.get("/login", headers=framing).headers["content-security-policy"]


@pytest.mark.parametrize("host", ["", "https://desk.example", "https://evil.example", f"{ORIGIN}/", "*"])
def test_a_frame_for_a_foreign_page_is_refused(client: TestClient, host: str) -> None:
    answer = client.get("/embed/chat", params={"host": host})
    assert answer.status_code == 403
    assert "<script" not in answer.text


def test_a_frame_of_an_unknown_embedder_is_not_found(client: TestClient) -> None:
    answer = client.get(f"/embed/nobody?host={ORIGIN}")
    assert answer.status_code == 404
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def test_a_frame_is_in_the_wanted_language(client: TestClient) -> None:
    assert 'lang="zh-Hans"' in client.get(f"/embed/chat?host={ORIGIN}&locale=zh-Hans").text
    assert 'lang="en"' in client.get(f"/embed/chat?host={ORIGIN}&locale=xx").text


def test_the_questions_need_a_session(client: TestClient, session: dict[str, str]) -> None:
    assert client.get("/panel/chat").status_code == 401
    answer = client.get("/panel/chat?server=any&id=one", headers=session)
    assert answer.status_code == 200
    assert "page=embed&amp;id=one&amp;server=any" in answer.text


def test_a_code_opens_one_tab(client: TestClient, session: dict[str, str]) -> None:
    code = client.post("/panel/chat/code", headers=session).json()["code"]
    own = {"Sec-Fetch-Site": "same-origin"}
    # It is for the embedder of the session alone, and a wrong guess uses it up.
    other = client.post("/panel/chat/code", headers=session).json()["code"]
    assert client.post("/embed/desk/tab", data={"code": other}, headers=own).status_code == 403
    assert client.post("/embed/chat/tab", data={"code": other}, headers=own).status_code == 403
    opened = client.post("/embed/chat/tab", data={"code": code, "filters": "&id=one"}, headers=own)
    client.cookies.clear()
    cookie = opened.headers["set-cookie"]
    assert "SameSite=Strict" in cookie
    assert "HttpOnly" in cookie
    assert "Max-Age=3600" in cookie
    assert client.post("/embed/chat/tab", data={"code": code}, headers=own).status_code == 403
    shown = client.get("/panel/chat/tab", headers={"Cookie": cookie.partition(";")[0]})
    assert shown.status_code == 200
    assert client.get("/servers", headers={"Cookie": cookie.partition(";")[0]}).status_code == 403


def test_ended_and_expired_sessions_differ(client: TestClient, session: dict[str, str]) -> None:
    ending = {"Authorization": f"Bearer {minted(scope='embed:admin')}"}
    assert client.delete("/api/v1/embed/sessions?sub=ada", headers=ending).status_code == 200
    answer = client.get("/api/v1/me", headers=session)
    assert (answer.status_code, answer.json()["code"]) == (401, "session_ended")
    assert answer.headers["x-webclient-session"] == "ended"
    unknown = client.get("/api/v1/me", headers={"Authorization": "Bearer embed-unknown"})
    assert unknown.status_code == 401
    assert "code" not in unknown.json()
    assert "x-webclient-session" not in unknown.headers


def test_a_tab_without_session_leads_back_to_its_application(client: TestClient, session: dict[str, str]) -> None:
    code = client.post("/panel/chat/code", headers=session).json()["code"]
    opened = client.post("/embed/chat/tab", data={"code": code}, headers={"Sec-Fetch-Site": "same-origin"})
    client.cookies.clear()
    assert "/panel/chat/tab?" not in opened.text
    browser = {"Accept": "text/html"}
    lapsed = client.get("/panel/chat/tab", headers=browser)
    ending = {"Authorization": f"Bearer {minted(scope='embed:admin')}"}
    client.delete("/api/v1/embed/sessions?sub=ada", headers=ending)
    cookie = opened.headers["set-cookie"].partition(";")[0]
    ended = client.get("/panel/chat/tab", headers=browser | {"Cookie": cookie})
    for answer in (lapsed, ended):
        assert answer.status_code == 401
        assert "Team chat" in answer.text
        assert "Bearer" not in answer.text
        assert "login" not in answer.text
    assert lapsed.text != ended.text
    # An application that is not there has no name to lead to.
    assert "Team chat" not in client.get("/panel/nobody/tab", headers=browser).text


def test_a_tab_continues_to_its_questions_only(client: TestClient, session: dict[str, str]) -> None:
    code = client.post("/panel/chat/code", headers=session).json()["code"]
    data = {"code": code, "filters": "&id=1;url=https://evil.example"}
    answer = client.post("/embed/chat/tab", data=data, headers={"Sec-Fetch-Site": "same-origin"})
    client.cookies.clear()
    assert "evil.example" not in answer.text


def test_a_code_leads_to_a_sign_in_once(client: TestClient, session: dict[str, str]) -> None:
    own = {"Sec-Fetch-Site": "same-origin"}
    code = client.post("/panel/sign-ins/code", headers=session).json()["code"]
    # The code was accepted, so its user is known; that user has no such sign-in.
    assert client.post("/embed/sign-ins/unknown", data={"code": code}, headers=own).status_code == 404
    for wrong in (code, "", "x"):
        assert client.post("/embed/sign-ins/unknown", data={"code": wrong}, headers=own).status_code == 403
